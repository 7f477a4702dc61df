"""What a hidden test meets where the submission fails: an exception of its code, or a name it lacks.

All that an answer says here was chosen by the submission, so it is checked and shortened before it is kept.
"""

from collections.abc import Iterator

from autograder.report.text import one_line
from autograder.worker.protocol import Header

CellLine = tuple[int, int | None]  # a cell's number, and a line in it where one is known
_ADVICE = "Hint: enable anomaly detection"  # torch's words about a switch that students cannot reach here
_MAX_CELL_LINES = 20
_MAX_NUMBER = 1_000_000  # no notebook has so many cells, and no cell so many lines


class StudentError(Exception):
    """The student's code raised: the type, the message and the lines, without anything of ours."""

    def __init__(self, error: Header) -> None:
        self.type = one_line(error.get("type", "Exception"), 60)
        bases = error.get("bases")
        self.bases = [base for base in bases if isinstance(base, str)] if isinstance(bases, list) else []
        self.message = one_line(one_line(error.get("message", ""), 600).partition(_ADVICE)[0], 300)
        self.places = tuple(_cell_lines(error.get("places")))  # the innermost first
        super().__init__(f"{self.type}: {self.message}" if self.message else self.type)


class NotDefinedError(Exception):
    """The notebook defines no such name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _cell_lines(claimed: object) -> Iterator[CellLine]:
    """Yield the cells and lines that an error says it passed through; malformed ones are left out."""
    for place in claimed[:_MAX_CELL_LINES] if isinstance(claimed, list) else ():
        match place:
            case [cell, line] if (number := _number(cell)) is not None:
                yield number, _number(line)


def _number(claimed: object) -> int | None:
    return claimed if type(claimed) is int and 0 <= claimed < _MAX_NUMBER else None
