"""The one door to nbgrader: releasing, its gradebook, its way through submissions and feedback."""

from autograder.gradebook.book import ExerciseGradebook, read_gradebook
from autograder.gradebook.config import configuration
from autograder.gradebook.folder_check import refusal
from autograder.gradebook.release import ConversionError, generate, register

__all__ = [
    "ConversionError",
    "ExerciseGradebook",
    "configuration",
    "generate",
    "read_gradebook",
    "refusal",
    "register",
]
