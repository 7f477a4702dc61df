"""Requests to a submission, their answers and errors, and who answers: a worker, or trusted code here."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import torch

from autograder.report.text import one_line
from autograder.worker.namespace import Namespace
from autograder.worker.protocol import Header, Tensors

Request = tuple[Header, Tensors]
Reply = tuple[Header, Tensors]
CellLine = tuple[int, int | None]  # a cell's number, and a line in it where one is known
_ADVICE = "Hint: enable anomaly detection"  # torch's words about a switch that students cannot reach here
_MAX_CELL_LINES = 20
_MAX_BASES = 20
_MAX_NUMBER = 1_000_000  # no notebook has so many cells, and no cell so many lines


class Backend(Protocol):
    """Whatever answers requests: a worker, or a namespace in this process."""

    def ask(self, header: Header, tensors: Tensors) -> Reply:
        """Return the answer to one request."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, as they crossed the pipe."""

    request: Request
    reply: Reply


class Local:
    """A backend in this process, for trusted code only.

    It answers as a worker does: tensors are copied, and its random numbers are its own.
    """

    def __init__(self, namespace: Namespace) -> None:
        self._namespace = namespace
        self._random = torch.get_rng_state()

    def ask(self, header: Header, tensors: Tensors) -> Reply:
        """Return the namespace's answer to one request."""
        generator = torch.default_generator
        others = generator.get_state()
        generator.set_state(self._random)
        try:
            return self._namespace.handle(header, [tensor.clone() for tensor in tensors])
        finally:
            self._random = generator.get_state()
            generator.set_state(others)


class StudentError(Exception):
    """The student's code raised: the type, the message and the lines, without anything of ours.

    The submission chose all that an answer says here, so it is checked and shortened before it is kept.
    """

    def __init__(self, error: Header) -> None:
        self.type = one_line(error.get("type", "Exception"), 60)
        bases = error.get("bases")
        claimed = bases[:_MAX_BASES] if isinstance(bases, list) else []
        self.bases = [one_line(base, 60) for base in claimed if isinstance(base, str)]
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
