from .assignment import generate, register
from .backup import back_up, restore
from .book import ExerciseGradebook
from .config import ConversionError, configuration
from .folder_check import refusal
from .lateness import extend
from .pages import read_gradebook, write_feedback
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
