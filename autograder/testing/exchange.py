"""Requests to a submission, their answers, and who answers: a worker, or trusted code here."""

from dataclasses import dataclass
from typing import Any, Protocol

from autograder.report.report import Verdict
from autograder.testing.inputs import random_state, set_random_state
from autograder.worker.namespace import Namespace, copied, silence
from autograder.worker.protocol import Header, Parts

Request = tuple[Header, Parts]
Reply = tuple[Header, Parts]


class Backend(Protocol):
    """Whatever answers requests: a worker, or a namespace in this process."""

    def ask(self, header: Header, parts: Parts) -> Reply:
        """Return the answer to one request."""


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

    def ask(self, header: Header, parts: Parts) -> Reply:
        """Return the namespace's answer to one request."""
        others = random_state()
        if self._random is not None:
            set_random_state(self._random)
        try:
            with silence():
                return self._namespace.handle(header, copied(parts))
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
