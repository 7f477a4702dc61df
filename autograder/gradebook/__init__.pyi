from .assignment import generate, register
from .attempts import refusal
from .backup import back_up, restore
from .book import ExerciseGradebook
from .config import ConversionError, configuration
from .lateness import extend
from .pages import read_gradebook, write_feedback
from .renaming import rename

def load_nbgrader() -> None: ...

__all__ = [
    "ConversionError",
    "ExerciseGradebook",
    "back_up",
    "configuration",
    "extend",
    "generate",
    "load_nbgrader",
    "read_gradebook",
    "refusal",
    "register",
    "rename",
    "restore",
    "write_feedback",
]
