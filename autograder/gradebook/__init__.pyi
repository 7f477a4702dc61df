from .book import ExerciseGradebook
from .config import configuration
from .conversion import ConversionError
from .feedback import write_feedback
from .folder_check import refusal
from .reading import read_gradebook
from .release import generate, register

__all__ = [
    "ConversionError",
    "ExerciseGradebook",
    "configuration",
    "generate",
    "read_gradebook",
    "refusal",
    "register",
    "write_feedback",
]
