"""Failures of the sandbox itself. Their messages are for instructors."""

from autograder.errors import AutograderError


class ZygoteError(AutograderError):
    """The zygote did not start or has died. This is never the submission's fault."""


class StarvedError(ZygoteError):
    """The machine was too busy to give a worker the allowed processor time. Grading can be repeated."""


class WallError(AutograderError):
    """A wall that the course demands is not in effect."""
