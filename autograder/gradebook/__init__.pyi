from .backup import back_up, restore
from .book import ExerciseGradebook
from .config import configuration
from .conversion import ConversionError
from .extensions import extend
from .folder_check import refusal
from .pages import read_gradebook, write_feedback
from .release import generate, register
from .renaming import rename

__all__ = [
    "ConversionError",
    "ExerciseGradebook",
    "back_up",
    "configuration",
    "extend",
    "generate",
    "read_gradebook",
    "refusal",
    "register",
    "rename",
    "restore",
    "write_feedback",
]
