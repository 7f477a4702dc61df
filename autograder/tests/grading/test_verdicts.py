"""A run on hidden inputs gives a verdict, and tells nothing else of what the submission answered."""

import math

import pytest
import torch

from autograder.course.course import Course
from autograder.grading.session import ExhaustedError
from autograder.grading.verdicts import decide, told_bits
from autograder.report.report import TestReport, Verdict
from autograder.sandbox.process import DeadlineError, DiedError
from autograder.testing.exchange import Exchange, NotDefinedError
from autograder.testing.expectations import Unmet
from autograder.testing.inputs import numbered_inputs
from autograder.testing.student_error import StudentError
from autograder.testing.suite import Suite, TestRun
from autograder.worker.protocol import Header, ProtocolError

INPUTS = numbered_inputs(b"secret", "01_small", 3)


@pytest.fixture
def suite(course: Course) -> Suite:
    return Suite(course.exercises["01_small"])


def decided(suite: Suite, error: BaseException | None, *replies: tuple[Header, torch.Tensor]) -> TestReport:
    exchanges = tuple(Exchange(({}, []), (header, [tensor])) for header, tensor in replies)
    return decide(suite, TestRun(suite.tests[0], error, exchanges), INPUTS)


@pytest.mark.parametrize(
    "error",
    [
        Unmet("row 1127 sums to 0.25"),
        AssertionError("0.25 == 0.5"),
        StudentError({"type": "E025", "message": "0.25", "places": [[0, 1127]], "bases": ["OSError"]}),
        NotDefinedError("double"),
        DeadlineError(),
        DiedError("the process ended itself (exit code 25)"),
        ProtocolError("?"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_goes_wrong_the_report_says_no_more_than_that_it_failed(
    suite: Suite, error: Exception
) -> None:
    test = suite.tests[0]
    assert decided(suite, error) == TestReport(test.title, Verdict.FAILED, test.weight, "")


def test_a_run_without_an_error_has_passed(suite: Suite) -> None:
    assert decided(suite, None).verdict is Verdict.PASSED


def test_a_test_for_which_no_time_was_left_says_so(suite: Suite) -> None:
    exhausted = decided(suite, ExhaustedError())
    assert exhausted.verdict is Verdict.TIMED_OUT
    assert exhausted.hint.startswith("The notebook had used up its time")


def test_a_test_that_breaks_on_an_answer_of_another_kind_fails_without_a_word_about_it(suite: Suite) -> None:
    report = decided(suite, TypeError("in the test"), ({"value": {"tensor": 0}}, torch.zeros(0, 1127)))
    assert (report.verdict, report.hint) == (Verdict.FAILED, "")


def test_a_test_that_breaks_on_an_answer_of_the_right_kind_is_our_failure(suite: Suite) -> None:
    report = decided(suite, TypeError("in the test"), ({"value": {"tensor": 0}}, torch.zeros(3, 5)))
    title = suite.tests[0].title
    assert report.verdict is Verdict.GRADER_ERROR
    assert report.hint == f'The hidden test "{title}" failed by itself. Your instructor will look.'


@pytest.mark.parametrize("tests", [1, 2, 45])
def test_the_bound_counts_each_report_that_a_run_can_come_to(tests: int) -> None:
    """Three outcomes for each test, and a point from which on no time was left, or none to explain them."""
    reports = 3**tests * (tests + 2)
    assert math.log2(reports) <= told_bits(tests) < math.log2(reports) + 1
    assert told_bits(tests, building=2) == told_bits(tests) + 4  # which of two runs, and whether explained
