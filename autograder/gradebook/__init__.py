"""The one door to nbgrader: releasing, its gradebook, its way through submissions and feedback."""

from autograder.gradebook.conversion import (
    ConversionError,
    autograde,
    generate,
    generate_feedback,
    read_handins,
    register,
)
from autograder.gradebook.refusal import refusal
from autograder.gradebook.settings import configuration

__all__ = [
    "ConversionError",
    "autograde",
    "configuration",
    "generate",
    "generate_feedback",
    "read_handins",
    "refusal",
    "register",
]
