"""A known wrong answer with what the hidden tests make of it, and how it is written to a file."""

import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Any

from autograder.grading.form import form
from autograder.grading.same_answer import same_exchanges
from autograder.grading.wrong_answers import WrongAnswer
from autograder.testing.exchange import Exchange
from autograder.testing.expectations import Unmet
from autograder.testing.student_error import StudentError
from autograder.testing.suite import HiddenTest, TestRun
from autograder.worker.protocol import ProtocolError, pack, read_frame

_NOISE = 1e-4  # of a tensor's largest number: equal answers differ by less, in sketches as in themselves
_LARGE = 1e3  # numbers count in a sketch up to this


@dataclass(frozen=True, slots=True)
class Sketch:
    """One number for all that a test got. Two far apart tell that the runs differ, two near tell nothing."""

    number: float
    noise: float
    form: str = ""  # in what its form differs from a right answer

    def may_be(self, other: "Sketch") -> bool:
        """Whether the two runs may have got the same."""
        return abs(self.number - other.number) <= self.noise


def sketch(run: TestRun, right: TestRun | None = None) -> Sketch:
    """Return the sum of the means of all tensors that a test got, and how its form is not that of `right`."""
    number = noise = 0.0
    for exchange in run.exchanges:
        header, tensors = exchange.reply
        for place, times in Counter(_places(header)).items():
            if place < len(tensors) and (tensor := tensors[place]).numel():
                numbers = tensor.detach().double().nan_to_num(0, 0, 0).clamp(-_LARGE, _LARGE)
                number += times * numbers.mean().item()
                noise += times * _NOISE * max(1.0, numbers.abs().max().item())
    return Sketch(number, noise, form(run.exchanges, right.exchanges) if right else "")


def _places(code: object) -> Iterator[int]:
    """Yield the numbers of the tensors in an answer, as often as it holds each of them."""
    match code:
        case {"tensor": int(place)}:
            yield max(place, 0)
        case dict():
            for item in code.values():
                yield from _places(item)
        case list():
            for item in code:
                yield from _places(item)


@dataclass(frozen=True)
class Known:
    """A known wrong answer, with its failed tests by number; it passes all others.

    What these tests got is read from its bytes when somebody asks for it, which is seldom.
    """

    answer: WrongAnswer
    sketches: Mapping[int, Sketch]
    packed: bytes
    tests: Mapping[int, HiddenTest]

    @cached_property
    def failed(self) -> frozenset[int]:
        """The numbers of the failed tests."""
        return frozenset(self.sketches)

    @cached_property
    def runs(self) -> Mapping[int, TestRun]:
        """The runs of the failed tests, by number."""
        stream = io.BytesIO(self.packed)
        return {number: _read_run(stream, self.tests[number]) for number in self.sketches}

    def form(self, number: int) -> str:
        """In what form it differs from a right answer in one test; nothing where it does not."""
        return self.sketches[number].form if number in self.sketches else ""

    def is_like(self, other: "Known") -> bool:
        """Whether it has the name of another one, or cannot be told from it."""
        if self.answer.names == other.answer.names:
            return True
        return self.failed == other.failed and all(
            one.may_be(other.sketches[number])
            and same_exchanges(self.runs[number].exchanges, other.runs[number].exchanges)
            for number, one in self.sketches.items()
        )

    def line(self) -> list[Any]:
        """Return all but the runs, for JSON."""
        sketches = [[number, *astuple(one)] for number, one in self.sketches.items()]
        answer = self.answer
        return [answer.names, answer.hints, answer.code, answer.written, sketches, len(self.packed)]


def known(
    answer: WrongAnswer, failed: Sequence[TestRun], right: Mapping[int, TestRun] | None = None
) -> Known | None:
    """Return a wrong answer with its failed tests; None where a worker could not send what they got.

    `right` holds a right answer's runs of the tests, by number.
    """
    try:
        packed = b"".join(map(_packed, failed))
    except (ProtocolError, TypeError, ValueError):
        return None
    runs = {run.test.number: run for run in failed}
    sketches = {number: sketch(run, (right or {}).get(number)) for number, run in runs.items()}
    found = Known(answer, sketches, packed, {number: run.test for number, run in runs.items()})
    vars(found)["runs"] = runs  # they need not be read again
    return found


def written(answers: Sequence[Known]) -> tuple[str, bytes]:
    """Return the lines of all answers as JSON, and their runs."""
    return json.dumps([one.line() for one in answers]), b"".join(one.packed for one in answers)


def read(lines: str, packed: bytes, tests: Mapping[int, HiddenTest]) -> Iterator[Known]:
    """Yield the answers that `written` has written."""
    at = 0
    for names, hints, code, by_hand, sketches, length in json.loads(lines):
        answer = WrongAnswer(tuple(names), tuple(hints), code, by_hand)
        found = {number: Sketch(*values) for number, *values in sketches}
        yield Known(answer, found, packed[at : at + length], tests)
        at += length


def _packed(run: TestRun) -> bytes:
    replies = [[exchange.reply[0], len(exchange.reply[1])] for exchange in run.exchanges]
    tensors = [tensor for exchange in run.exchanges for tensor in exchange.reply[1]]
    crashed = isinstance(run.error, StudentError)
    return pack({"crashed": crashed, "words": str(run.error), "replies": replies}, tensors)


def _read_run(stream: io.BytesIO, test: HiddenTest) -> TestRun:
    header, tensors = read_frame(stream.read)
    exchanges: list[Exchange] = []
    for reply, count in header["replies"]:
        exchanges.append(Exchange(({}, []), (reply, tensors[:count])))
        tensors = tensors[count:]
    last = exchanges[-1].reply[0] if exchanges else {}
    crashed = header["crashed"] and "error" in last
    error = StudentError(last["error"]) if crashed else Unmet(header["words"])
    return TestRun(test, error, tuple(exchanges))
