"""What a cell showed when it ran; whoever reads this of a graded submission loads no torch."""

from dataclasses import dataclass

from autograder.report.outputs import Output
from autograder.testing.student_error import StudentError

MAX_SHOWN = 16 << 20  # characters that a whole notebook may show


@dataclass(frozen=True, slots=True)
class CellResult:
    """What one cell showed when it ran, and the exception that ended it, if one did."""

    outputs: tuple[Output, ...]
    error: StudentError | None
