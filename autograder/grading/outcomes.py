"""Runs wrong answers on hidden tests when the diagnosis asks for it, and keeps what came of it on disk."""

import hashlib
import io
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from warnings import catch_warnings

from autograder.course.exercise import Exercise
from autograder.files import write_whole
from autograder.grading.same_answer import same_exchanges
from autograder.submission.digest import engine
from autograder.testing.exchange import Backend, Exchange, Local, Reply, StudentError
from autograder.testing.expectations import Unmet
from autograder.testing.suite import HiddenTest, Suite, TestRun
from autograder.worker.description import CELL
from autograder.worker.namespace import Namespace, run_code
from autograder.worker.protocol import Header, ProtocolError, Tensors, pack, read_frame


class Outcomes:
    """What hidden tests make of wrong answers to one question; each answer meets each test at most once.

    What was computed is kept in a file whose name tells the suite, the solution and the engine, and in it
    under a digest of the answer's code. So what is read there is what computing it again would give.
    """

    def __init__(self, suite: Suite, question: str, folder: Path) -> None:
        self._suite = suite
        name = f"{suite.exercise.name}-{question}"
        self._file = folder / f"{name}-{_digest(suite.exercise)}.runs"
        self._is_changed = False
        self._compiled = lru_cache(64)(compile)
        self._namespace = lru_cache(2000)(self._make_namespace)

    def run(self, code: str, test: HiddenTest) -> TestRun:
        """Return what `test` makes of the solution with `code` in its place."""
        key = f"{test.number} {hashlib.sha256(code.encode()).hexdigest()}"
        if key not in self._runs:
            self._runs[key] = self._run(code, test)
            self._is_changed = True
        return self._runs[key]

    def save(self) -> None:
        """Write what is new to disk; where that is not possible, it is computed again another time."""
        if self._is_changed:
            with suppress(OSError):
                write_whole(self._file, b"".join(_frames(self._runs)))
            self._is_changed = False

    @cached_property
    def _runs(self) -> dict[str, TestRun]:
        try:
            content = self._file.read_bytes()
        except OSError:
            return {}
        tests = {test.number: test for test in self._suite.tests}
        with suppress(ProtocolError, KeyError, ValueError, struct.error):
            return dict(_read_frames(content, tests))
        return {}

    def _run(self, code: str, test: HiddenTest) -> TestRun:
        with catch_warnings(action="ignore"):  # the mistake may deserve a warning, but nobody here made it
            namespace = self._namespace(code)
            if namespace is None:
                return TestRun(test, RuntimeError("the code cannot be run"), ())
            return self._suite.run_one(test, Local(namespace))

    def _make_namespace(self, code: str) -> Namespace | None:
        variables: dict[str, object] = {"__name__": "__main__"}
        try:
            for number, cell in enumerate(self._suite.exercise.variant(code)):
                exec(self._compiled(cell, f"{CELL}{number}", "exec"), variables)  # noqa: S102 - the course's code
            return Namespace(variables)
        except Exception:  # a change made of it what no student would hand in
            return None


def tests_of_own_numbers(suite: Suite) -> frozenset[int]:
    """Return the tests, by number, in which the numbers of a right answer depend on its seed."""
    backend = _SeededApart(Local(run_code(suite.exercise.reference)))
    pairs = zip(suite.reference_runs, suite.run(backend), strict=True)
    return frozenset(
        one.test.number for one, other in pairs if not same_exchanges(one.exchanges, other.exchanges)
    )


@dataclass(frozen=True)
class _SeededApart:
    """A backend that seeds another one with other numbers than it is asked to."""

    backend: Backend

    def ask(self, header: Header, tensors: Tensors) -> Reply:
        """Return the other backend's answer."""
        apart: Header = {key: header[key] + 7919 for key in ("fresh", "seed") if key in header}
        return self.backend.ask({**header, **apart}, tensors)


def _digest(exercise: Exercise) -> str:
    """Return a digest of all on which the runs of an answer depend, besides the answer."""
    digest = hashlib.sha256(engine().encode())
    for path in (exercise.source, exercise.suite):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _frames(runs: dict[str, TestRun]) -> Iterator[bytes]:
    """Yield each run as the bytes that a worker would send; what it could not send is left out."""
    for key, run in runs.items():
        failure = None if run.error is None else [type(run.error).__name__, str(run.error)]
        replies = [[exchange.reply[0], len(exchange.reply[1])] for exchange in run.exchanges if failure]
        tensors = [tensor for exchange in run.exchanges if failure for tensor in exchange.reply[1]]
        with suppress(ProtocolError, TypeError, ValueError):
            yield pack({"key": key, "failure": failure, "replies": replies}, tensors)


def _read_frames(content: bytes, tests: dict[int, HiddenTest]) -> Iterator[tuple[str, TestRun]]:
    stream = io.BytesIO(content)
    while stream.tell() < len(content):
        header, tensors = read_frame(stream.read)
        exchanges, error = [], None
        for reply, count in header["replies"]:
            exchanges.append(Exchange(({}, []), (reply, tensors[:count])))
            tensors = tensors[count:]
        if header["failure"] is not None:
            kind, said = header["failure"]
            last = exchanges[-1].reply[0] if exchanges else {}
            error = StudentError(last["error"]) if kind == "StudentError" else Unmet(said)
        number = int(header["key"].partition(" ")[0])
        yield header["key"], TestRun(tests[number], error, tuple(exchanges))
