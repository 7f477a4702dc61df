"""Requests to a submission, their answers, and who answers: a worker, or trusted code here."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from autograder.report.report import Verdict
from autograder.report.text import one_line
from autograder.testing.inputs import random_state, set_random_state
from autograder.worker.namespace import Namespace, copied, silence
from autograder.worker.protocol import Header, Parts
from autograder.worker.remote_function import Answer

Request = tuple[Header, Parts]
Reply = tuple[Header, Parts]
CellLine = tuple[int, int | None]  # a cell's number, and a line in it where one is known
_ADVICE = "Hint: enable anomaly detection"  # torch's words about a switch that students cannot reach here
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")  # of an object, another one in each process
_MAX_CELL_LINES = 20
_MAX_BASES = 20
_MAX_NUMBER = 1_000_000  # no notebook has so many cells, and no cell so many lines


class Backend(Protocol):
    """Whatever answers requests: a worker, or a namespace in this process."""

    def ask(self, header: Header, parts: Parts, answer: Answer | None = None, /) -> Reply:
        """Return the answer to one request; `answer` answers calls of the test's functions meanwhile."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, as they crossed the pipe."""

    request: Request
    reply: Reply


class Local:
    """A backend in this process, for trusted code only.

    It answers as a worker does: parts are copied, and its random numbers are its own.
    """

    def __init__(self, namespace: Namespace) -> None:
        self._namespace = namespace
        self._random: Any = None

    def ask(self, header: Header, parts: Parts, answer: Answer | None = None) -> Reply:
        """Return the namespace's answer to one request."""
        others = random_state()
        if self._random is not None:
            set_random_state(self._random)
        try:
            with silence():
                return self._namespace.handle(header, copied(parts), answer)
        finally:
            self._random = random_state()
            set_random_state(others)


class LostError(Exception):
    """The submission answers no more requests of a question; the `verdict`, and words for the student."""

    def __init__(self, verdict: Verdict, words: str) -> None:
        super().__init__(words)
        self.verdict = verdict


class ExhaustedError(LostError):
    """The submission as a whole has used up its seconds, or its fresh starts."""

    def __init__(self) -> None:
        super().__init__(Verdict.TIMED_OUT, "The notebook had used up its time before this could be tested.")


class NotDefinedError(Exception):
    """The notebook defines no such name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class FromMemory:
    """A backend that answers from earlier `exchanges` as long as it is asked the same, to the bit.

    From the first other request on, the real backend answers, which gets all the earlier ones first. It also
    answers from the first request on that hands over a function: what that returns may differ.
    """

    def __init__(self, backend: Backend, exchanges: Sequence[Exchange]) -> None:
        self._backend = backend
        self._left, self._answered = list(exchanges), list[Exchange]()

    def ask(self, header: Header, parts: Parts, answer: Answer | None = None) -> Reply:
        """Return the answer to one request."""
        if self._left and not hands_over_function(header) and is_same(self._left[0].request, (header, parts)):
            self._answered.append(known := self._left.pop(0))
            return known.reply[0], copied(known.reply[1])
        for known in self._answered:
            self._backend.ask(*known.request)
        self._left, self._answered = [], []
        return self._backend.ask(header, parts, answer)


def hands_over_function(code: object) -> bool:
    """Whether a request, or a part of one, holds a function of the test."""
    match code:
        case {"function": int()}:
            return True
        case dict() | list():
            return any(map(hands_over_function, code.values() if isinstance(code, dict) else code))
    return False


def is_same(one: Request, other: Request) -> bool:
    """Whether two requests are the same in everything that code can tell: 1, 1.0 and True are equal."""
    same = repr(one[0]) == repr(other[0]) and len(one[1]) == len(other[1])
    return same and all(map(_is_same_part, one[1], other[1]))


def _is_same_part(one: Any, other: Any) -> bool:
    if type(one) is not type(other) or isinstance(one, bytes):
        return bool(type(one) is type(other) and one == other)
    if (one.dtype, one.shape, one.stride()) != (other.dtype, other.shape, other.stride()):
        return False
    torch = sys.modules["torch"]
    return bool(torch.equal(*(part.detach().reshape(-1).view(torch.uint8) for part in (one, other))))


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
