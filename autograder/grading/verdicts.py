"""Decides on a hidden test by its run on hidden inputs.

Hidden runs decide, disclosed runs explain. The submission could put what it has seen of hidden inputs into
every word, line or shape of its answers. So of a hidden run nothing counts but its outcome.
"""

import math
from collections.abc import Mapping
from typing import Any

from autograder.course.exercise import Building
from autograder.course.rule import Rule
from autograder.grading.session import ExhaustedError
from autograder.report.report import TestReport, Verdict
from autograder.report.text import one_line
from autograder.sandbox.process import DeadlineError, DiedError
from autograder.testing.exchange import NotDefinedError
from autograder.testing.inputs import Inputs
from autograder.testing.student_error import StudentError
from autograder.testing.suite import Suite, TestRun
from autograder.worker.protocol import ProtocolError, Tensors

_SENTENCES = 8  # on a rule that was broken, and none
_USED_UP = "The notebook had used up its time before this could be tested."


def decide(suite: Suite, run: TestRun, inputs: Inputs) -> TestReport:
    """Return the report on a run with hidden `inputs`; of the submission it holds the outcome alone."""
    test = run.test
    match run.error:
        case None:
            return TestReport(test.title, Verdict.PASSED, test.weight)
        case ExhaustedError():
            return TestReport(test.title, Verdict.TIMED_OUT, test.weight, _USED_UP)
        case StudentError() | NotDefinedError() | DeadlineError() | DiedError() | ProtocolError():
            return TestReport(test.title, Verdict.FAILED, test.weight)
    if isinstance(run.error, AssertionError) or other_kind(suite, run, inputs):
        return TestReport(test.title, Verdict.FAILED, test.weight)
    hint = f'The hidden test "{test.title}" failed by itself. Your instructor will look.'
    return TestReport(test.title, Verdict.GRADER_ERROR, test.weight, hint)


def report_bits(suite: Suite, rules: Mapping[str, Rule], building: Building) -> int:
    """Return how many bits a report on an exercise can tell about hidden inputs, at most."""
    return told_bits(len(suite.tests), len(rules), len(building.builds_on))


def told_bits(tests: int, rules: int = 0, building: int = 0) -> int:
    """Return how many bits a report can tell about hidden inputs, at most.

    Each of so many `tests` passes, fails or breaks; from one test on, there may be no time left for it and
    all later ones, or none for the run that explains them. Of each question with `rules`, one of a few
    sentences says why a person has to look. Of each question that is `building` on others, one of two hidden
    runs is told, and which, and whether there was time to explain it.
    """
    bits = tests * math.log2(3) + math.log2(tests + 2) + rules * math.log2(_SENTENCES)
    return math.ceil(bits + 2 * building)


def other_kind(suite: Suite, run: TestRun, inputs: Inputs) -> str:
    """Return what is wrong with the kind of an answer, after which a test has raised an error of its own.

    The submission is to blame where an answer, or anything in it, is of another kind than the reference's.
    Otherwise the test is: `verify` has seen it pass on the reference, and here it breaks on an answer of the
    same kind.
    """
    reference = suite.reference_run(run.test, inputs).exchanges
    for right, seen in zip(reference, run.exchanges, strict=False):
        (expected, ours), (actual, theirs) = right.reply, seen.reply
        if difference := _difference(expected.get("value"), ours, actual.get("value"), theirs):
            return difference
    return ""


def _difference(right: Any, ours: Tensors, seen: Any, theirs: Tensors, call: str = "A call") -> str:
    """Return how the kind of an answer differs from what it must be, or nothing."""
    if (expected := _kind(right, ours)) != (actual := _kind(seen, theirs)):
        return f"{call} must give {expected}, but it gave {actual}."
    inside = "Inside its result, a call"
    pairs = zip(_items(right), _items(seen), strict=True)
    found = (_difference(one, ours, other, theirs, inside) for one, other in pairs)
    return next(filter(None, found), "")


def _items(value: Any) -> list[Any]:
    """Return what a container holds, a dict's values in the order of its keys."""
    match value:
        case {"tuple": list(items)} | {"list": list(items)}:
            return items
        case {"dict": list(pairs)}:
            return [item for _, item in sorted(pairs, key=repr)]
    return []


def _kind(value: Any, tensors: Tensors) -> str:
    """Return words for the kind of a value: its type, a tensor's size, how many values or which keys."""
    match value:
        case None:
            return "None"
        case {"tensor": int(index)} if index < len(tensors):
            dtype = str(tensors[index].dtype).removeprefix("torch.")
            return f"a {dtype} tensor of shape {tuple(tensors[index].shape)}"
        case {"tuple": list(items)} | {"list": list(items)}:
            return "1 value" if len(items) == 1 else f"{len(items)} values"
        case {"handle": _, "type": str(kind)}:
            return one_line(kind, 60)
        case {"dict": list(pairs)}:
            keys = ", ".join(sorted(repr(pair[:1]).strip("[]") for pair in pairs))
            return one_line(f"a dict with the keys {keys}", 200) if keys else "an empty dict"
        case {"float": _}:
            return "a float"
        case {"dtype": _}:
            return "a dtype"
        case bool() | str() | float():
            return f"a {type(value).__name__}"
        case int():
            return "an int"
    return "something else"
