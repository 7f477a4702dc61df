"""The one door to nbgrader: releasing, its gradebook, its way through submissions and feedback."""

from autograder.gradebook.book import Book, read_handins
from autograder.gradebook.conversion import ConversionError, generate, register
from autograder.gradebook.refusal import refusal
from autograder.gradebook.settings import configuration

__all__ = [
    "Book",
    "ConversionError",
    "configuration",
    "generate",
    "read_handins",
    "refusal",
    "register",
]
