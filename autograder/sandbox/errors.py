"""Failures on our side of the sandbox. Their messages are for the instructor who runs the grader."""

from autograder.errors import AutograderError


class ZygoteError(AutograderError):
    """The zygote does not start or has died, which is our failure and never the submission's."""


class StarvedError(ZygoteError):
    """The machine was too busy for a worker to use its seconds; the submission may be graded again."""


class WallError(AutograderError):
    """Fewer walls stand than the course demands."""
