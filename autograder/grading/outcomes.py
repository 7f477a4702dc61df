"""Computes the verdicts on hidden tests, and the verdict and score of a question from its tests.

A test must pass on hidden inputs. Runs on disclosed inputs, which students may see, explain why tests fail. A
submission can copy hidden inputs into all texts and shapes of its results. So the report says of a run on
hidden inputs only whether the test passed.
"""

import math
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.report.report import QuestionReport, TestReport, Verdict, earned_share
from autograder.report.text import one_line
from autograder.testing.expectations import Unmet
from autograder.testing.inputs import Inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.coding import TABLE
from autograder.worker.protocol import Parts

_SENTENCES = 8  # number of different remarks on a question's rule in a report; no remark also counts as one
_RESULTS_FIRST = "This test gives points only if the tests that check your results pass."
_CALL, _VARIABLE = "A call must give {}, but it gave {}.", "The variable must be {}, but it is {}."
_INSIDE = {  # for each sentence on a whole value: the sentence on an item of a tuple, list or dict
    _CALL: "The result of a call must contain {}, but it contained {}.",
    _VARIABLE: "A value in the variable must be {}, but it is {}.",
}
_NEXT_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """The result of one hidden test: the run that decides the verdict, and the run that explains it.

    The run on hidden inputs decides, and the run on disclosed inputs explains. There is one exception. If the
    question's visible check raised an error, a failed run on disclosed inputs does both.
    """

    __test__ = False
    test: HiddenTest
    decisive: Run
    disclosed: Run | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict: passed, failed, grader error, or timed out if the submission had no time left."""
        if self.decisive.kind in (Verdict.PASSED, Verdict.GRADER_ERROR):
            return self.decisive.kind
        return Verdict.TIMED_OUT if self.decisive.exhausted else Verdict.FAILED

    @property
    def failed(self) -> bool:
        """Whether the submission failed the test. Only such a test is explained."""
        return self.verdict is Verdict.FAILED

    @property
    def report(self) -> TestReport:
        """The report for the student before any explanation is added."""
        hint = ""
        if self.verdict is Verdict.GRADER_ERROR:
            what = f'The hidden test "{self.test.title}" could not judge this answer.'
            hint = f"{what} An instructor will check it."
        elif self.verdict is Verdict.TIMED_OUT:
            hint = self.decisive.detail
        return TestReport(self.test.title, self.verdict, self.test.weight, hint, self.test.basic)


def max_leaked_bits(tests: int, rules: int = 0, building: int = 0, questions: int = 0) -> int:
    """Return the greatest number of bits about hidden inputs that a report can reveal.

    All arguments are counts. Each of the `tests` passes, fails, or raises an unexpected error. The report
    shows at which test the time was used up. On each question with a rule (`rules`), it says one of
    _SENTENCES things. On each question that builds on others (`building`), it shows whether a right earlier
    answer helped, and whether there was time to explain the result. On each of the `questions`, it shows
    whether the variables at the check or at the end of the notebook gave the result.
    """
    bits = tests * math.log2(3) + math.log2(tests + 2) + rules * math.log2(_SENTENCES)
    return math.ceil(bits + 2 * building + questions)


def attribute_fault(suite: Suite, run: Run, inputs: Inputs) -> Run:
    """Attribute the failure of a test to the submission or to the test, and return the run with its verdict.

    If the reference also fails on these inputs, the test is at fault. For example, two inputs that should
    differ may be equal by chance. A test that raised an unexpected error is also at fault. But the submission
    is at fault if one of its results differs in type, shape, length or keys from the reference's result.
    """
    breaks = run.kind is Verdict.GRADER_ERROR
    if run.kind is Verdict.FAILED and not suite.is_fair(run.test, inputs):
        return replace(run, kind=Verdict.GRADER_ERROR, detail="")
    if not breaks and (run.kind is not Verdict.FAILED or isinstance(run.error, Unmet)):
        return run
    detail = _other_kind(suite, run, inputs)
    return replace(run, kind=Verdict.FAILED, detail=detail) if detail or not breaks else run


def _other_kind(suite: Suite, run: Run, inputs: Inputs) -> str:
    """Describe the first result whose type, shape, length or keys are not the reference's, or return ""."""
    reference = suite.reference_run(run.test, inputs).exchanges
    for right, exchange in zip(reference, run.exchanges, strict=False):
        (expected, ours), (actual, theirs) = right.reply, exchange.reply
        is_variable = right.request[0]["op"] == "value"
        sentence = _VARIABLE if is_variable else _CALL
        if difference := _difference(expected.get("value"), ours, actual.get("value"), theirs, sentence):
            return difference
    return ""


def _difference(expected_value: Any, ours: Parts, actual_value: Any, theirs: Parts, sentence: str) -> str:
    """Return a sentence on a difference in type, shape, length or keys of two values, or ""."""
    if (right_kind := _kind(expected_value, ours)) != (actual_kind := _kind(actual_value, theirs)):
        return sentence.format(right_kind, actual_kind)
    inside = _INSIDE.get(sentence, sentence)
    pairs = zip(_items(expected_value), _items(actual_value), strict=True)
    differences = (_difference(right, ours, actual, theirs, inside) for right, actual in pairs)
    return next(filter(None, differences), "")


def _items(value: Any) -> list[Any]:
    """Return the items of a container. A dict's values are in the order of its keys."""
    match value:
        case {"tuple": list(items)} | {"list": list(items)}:
            return items
        case {"dict": list(pairs)}:
            return [item for _, item in sorted(pairs, key=repr)]
    return []


def _kind(value: Any, parts: Parts) -> str:
    """Return the type of a value in words, with a tensor's shape, a list's length or a dict's keys."""
    match value:
        case None:
            return "None"
        case {"tensor": int(index)} if index < len(parts):
            dtype = str(parts[index].dtype).removeprefix("torch.")
            return f"a {dtype} tensor of shape {tuple(parts[index].shape)}"
        case {"tuple": list(items)} | {"list": list(items)}:
            return "1 value" if len(items) == 1 else f"{len(items)} values"
        case {"handle": _, "type": str(kind)}:
            return one_line(kind, 60)
        case {"dict": list(pairs)}:
            keys = ", ".join(sorted(repr(pair[:1]).strip("[]") for pair in pairs))
            return one_line(f"a dict with the keys {keys}", 200) if keys else "an empty dict"
        case dict() if (name := next(iter(value), "")) in TABLE:
            numpy = {"array": "numpy.ndarray", "scalar": f"numpy.{value.get('dtype')}"}
            return one_line(numpy.get(name, f"{'an' if name in ('int', 'index') else 'a'} {name}"), 60)
        case bool() | str() | float():
            return f"a {type(value).__name__}"
        case int():
            return "an int"
    return "something else"


TestReports = Mapping[HiddenTest, TestReport]


def summarize(name: str, points: float, tests: tuple[TestReport, ...]) -> QuestionReport:
    """Return the report on question `name`, given its points and its tests."""
    worst = min(tests, key=lambda test: (list(Verdict).index(test.verdict), not test.hint))
    passed = any(test.verdict is Verdict.PASSED for test in tests)
    half_done = worst.verdict is Verdict.NOT_ATTEMPTED and passed
    verdict = Verdict.FAILED if half_done or worst.verdict is Verdict.NOT_JUDGED else worst.verdict
    score: float | None = round(points * earned_share(tests), 4)
    if verdict in (Verdict.REVIEW, Verdict.GRADER_ERROR):  # an instructor looks, and then gives the score
        score = 0.0 if verdict is Verdict.REVIEW else None
    return QuestionReport(name, verdict, score, points, worst.hint, None, tests)


def is_better(again: QuestionReport, before: QuestionReport) -> bool:
    """Whether the report `again` gives more points than the report `before`, or may do so after a review."""
    if again.verdict is Verdict.PASSED:
        return before.verdict is not Verdict.PASSED
    if again.verdict is before.verdict is Verdict.REVIEW:
        return earned_share(again.tests) > earned_share(before.tests)
    if again.verdict is Verdict.REVIEW:
        return before.score == 0.0
    return again.score is not None and before.score is not None and again.score > before.score


def kept_share(tests: Sequence[HiddenTest], failed: Container[HiddenTest]) -> float:
    """Return the fraction, 0 to 1, of a question's points that an answer gets if it fails these tests."""
    verdicts = {test: Verdict.FAILED if test in failed else Verdict.PASSED for test in tests}
    reports = {
        test: TestReport(test.title, verdict, test.weight, basic=test.basic)
        for test, verdict in verdicts.items()
    }
    return earned_share(tuple(drop_follow_up_questions(reports).values()))


def drop_follow_up_questions(reports: TestReports) -> dict[HiddenTest, TestReport]:
    """Return the reports on one question's tests, changed unless all basic tests passed.

    If they are changed, a passed test with `needs_results` no longer counts. If a test that is not basic
    failed, questions are removed from its hint, because they assume right results.
    """
    if all(reports[test].verdict is Verdict.PASSED for test in reports if test.basic):
        return dict(reports)
    return {
        test: report if test.basic else _without_right_results(test, report)
        for test, report in reports.items()
    }


def _without_right_results(test: HiddenTest, report: TestReport) -> TestReport:
    if test.needs_results and report.verdict is Verdict.PASSED:
        return replace(report, verdict=Verdict.NOT_JUDGED, hint=_RESULTS_FIRST)
    return replace(report, hint=facts(report.hint)) if report.verdict is Verdict.FAILED else report


def most_specific_hint(
    before: TestReports, after: TestReports, count_failing_mistakes: Callable[[HiddenTest], int]
) -> str:
    """Return the hint of the most specific failed test: the test that fails for the fewest known mistakes.

    A test with a shortened hint is chosen only if all hints were shortened.
    """
    failed = [test for test, report in after.items() if report.verdict is Verdict.FAILED and report.hint]
    whole = [test for test in failed if after[test].hint == before[test].hint] or failed
    return after[min(whole, key=count_failing_mistakes)].hint if whole else ""


def facts(hint: str) -> str:
    """Return a hint without sentences that end with a question mark. The first sentence always stays."""
    first, *others = _NEXT_SENTENCE.split(hint)
    return " ".join([first, *(sentence for sentence in others if not sentence.endswith("?"))])
