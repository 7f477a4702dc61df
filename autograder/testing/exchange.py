"""Requests of hidden tests, and the backends that reply.

A backend is a worker with a submission, or trusted code in this process, such as the solution.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from autograder.report.report import Verdict
from autograder.report.text import one_line, whole_sentences
from autograder.testing.inputs import random_state, set_random_state
from autograder.worker.namespace import Namespace, copied, silence
from autograder.worker.protocol import Header, Parts
from autograder.worker.remote_function import Answer

Request = tuple[Header, Parts]
Reply = tuple[Header, Parts]
CellLine = tuple[int, int | None]  # the number of a cell, and of a line in this cell (None: unknown)
_ADVICE = "Hint: enable anomaly detection"  # torch's advice begins with these words; it is cut off
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")  # an object's address, which differs between processes
_MAX_CELL_LINES = 20
_MAX_BASES = 20
_MAX_NUMBER = 1_000_000  # larger numbers of cells or lines are ignored


class Backend(Protocol):
    """The common interface of workers, `Local` and `FromMemory`."""

    def ask(self, header: Header, parts: Parts, answer: Answer | None = None, /) -> Reply:
        """Return the reply to a request. `answer` runs a function of the test if the code calls one."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A test's request and the backend's reply."""

    request: Request
    reply: Reply


class Local:
    """A backend in this process, for trusted code only.

    Like a worker, it copies tensors and leaves the caller's random generators unchanged.
    """

    def __init__(self, namespace: Namespace) -> None:
        self._namespace = namespace
        self._random: Any = None

    def ask(self, header: Header, parts: Parts, answer: Answer | None = None) -> Reply:
        """Return the reply to a request; drop what the code prints."""
        callers_state = random_state()
        if self._random is not None:
            set_random_state(self._random)
        try:
            with silence():
                return self._namespace.handle(header, copied(parts), answer)
        finally:
            self._random = random_state()
            set_random_state(callers_state)


class LostError(Exception):
    """A test has lost its worker. The question's later tests are not run and get the same `verdict`."""

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


class ExhaustedError(LostError):
    """The submission has used up its time, or its number of worker restarts."""

    def __init__(self) -> None:
        super().__init__(Verdict.TIMED_OUT, "The notebook had used up its time before this could be tested.")


class NotDefinedError(Exception):
    """The notebook does not define the name that a test uses."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class NotFilledInError(Exception):
    """The question asks for the value of a variable, and the variable is still None or `...`."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not filled in yet.")


class FromMemory:
    """A backend that repeats the stored replies in `exchanges` while the requests are the same, bit by bit.

    The first different request goes to `backend`, after all earlier requests. All later requests also go to
    `backend`. A request with one of the test's functions counts as different, because the function may now
    return a different value.
    """

    def __init__(self, backend: Backend, exchanges: Sequence[Exchange]) -> None:
        self._backend = backend
        self._left, self._answered = list(exchanges), list[Exchange]()

    def ask(self, header: Header, parts: Parts, answer: Answer | None = None) -> Reply:
        """Return the stored reply to a request, or the reply of `backend`."""
        if self._left and not hands_over_function(header) and is_same(self._left[0].request, (header, parts)):
            self._answered.append(exchange := self._left.pop(0))
            return exchange.reply[0], copied(exchange.reply[1])
        for exchange in self._answered:
            self._backend.ask(*exchange.request)
        self._left, self._answered = [], []
        return self._backend.ask(header, parts, answer)


def hands_over_function(code: object) -> bool:
    """Whether a request or a part of it contains a function of the test."""
    match code:
        case {"function": int()}:
            return True
        case dict() | list():
            return any(map(hands_over_function, code.values() if isinstance(code, dict) else code))
    return False


def is_same(first: Request, second: Request) -> bool:
    """Whether two requests have equal values of equal types. By ==, 1 and True would be the same."""
    same = repr(first[0]) == repr(second[0]) and len(first[1]) == len(second[1])
    return same and all(map(_is_same_part, first[1], second[1]))


def _is_same_part(first: Any, second: Any) -> bool:
    if type(first) is not type(second) or isinstance(first, bytes):
        return bool(type(first) is type(second) and first == second)
    if (first.dtype, first.shape, first.stride()) != (second.dtype, second.shape, second.stride()):
        return False
    torch = sys.modules["torch"]
    return bool(torch.equal(*(part.detach().reshape(-1).view(torch.uint8) for part in (first, second))))


class StudentError(Exception):
    """An exception of the student's code: its type, its message, and the cells and lines in its traceback.

    The submission can put any values here. Malformed values are dropped, and long texts are cut.
    """

    def __init__(self, error: Mapping[str, Any]) -> None:
        self.type = one_line(error.get("type", "Exception"), 60)
        bases = error.get("bases")
        claimed = bases[:_MAX_BASES] if isinstance(bases, list) else []
        self.bases = [one_line(base, 60) for base in claimed if isinstance(base, str)]
        message = one_line(error.get("message", ""), 600).partition(_ADVICE)[0]
        self.message = whole_sentences(_ADDRESS.sub("0x...", message), 300)
        self.places = tuple(_cell_lines(error.get("places")))  # from the innermost call to the outermost
        super().__init__(f"{self.type}: {self.message}" if self.message else self.type)


def _cell_lines(claimed: object) -> Iterator[CellLine]:
    """Yield the cells and lines that a worker claims for a traceback. Malformed entries are skipped."""
    for entry in claimed[:_MAX_CELL_LINES] if isinstance(claimed, list) else ():
        match entry:
            case [cell, line] if (number := _number(cell)) is not None:
                yield number, _number(line)


def _number(claimed: object) -> int | None:
    return claimed if type(claimed) is int and 0 <= claimed < _MAX_NUMBER else None
