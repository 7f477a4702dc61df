from .book import ExerciseGradebook
from .config import configuration
from .conversion import ConversionError
from .extensions import extend
from .folder_check import refusal
from .pages import read_gradebook, write_feedback
from .release import generate, register

__all__ = [
    "ConversionError",
    "ExerciseGradebook",
    "configuration",
    "extend",
    "generate",
    "read_gradebook",
    "refusal",
    "register",
    "write_feedback",
]
