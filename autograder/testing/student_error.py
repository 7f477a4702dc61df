"""An error of the student's code, as its process describes it; it loads no torch."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from autograder.report.text import one_line

CellLine = tuple[int, int | None]  # a cell's number, and a line in it where one is known
_ADVICE = "Hint: enable anomaly detection"  # torch's words about a switch that students cannot reach here
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")  # of an object, another one in each process
_MAX_CELL_LINES = 20
_MAX_BASES = 20
_MAX_NUMBER = 1_000_000  # no notebook has so many cells, and no cell so many lines


class StudentError(Exception):
    """The student's code raised: the type, the message and the lines, without anything of ours.

    The submission chose all that an answer says here, so it is checked and shortened before it is kept.
    """

    def __init__(self, error: Mapping[str, Any]) -> None:
        self.type = one_line(error.get("type", "Exception"), 60)
        bases = error.get("bases")
        claimed = bases[:_MAX_BASES] if isinstance(bases, list) else []
        self.bases = [one_line(base, 60) for base in claimed if isinstance(base, str)]
        said = one_line(error.get("message", ""), 600).partition(_ADVICE)[0]
        self.message = one_line(_ADDRESS.sub("0x...", said), 300)
        self.places = tuple(_cell_lines(error.get("places")))  # the innermost first
        super().__init__(f"{self.type}: {self.message}" if self.message else self.type)


def _cell_lines(claimed: object) -> Iterator[CellLine]:
    """Yield the cells and lines that an error says it passed through; malformed ones are left out."""
    for place in claimed[:_MAX_CELL_LINES] if isinstance(claimed, list) else ():
        match place:
            case [cell, line] if (number := _number(cell)) is not None:
                yield number, _number(line)


def _number(claimed: object) -> int | None:
    return claimed if type(claimed) is int and 0 <= claimed < _MAX_NUMBER else None
