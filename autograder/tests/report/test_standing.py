"""A word or two on an answer: who got most of the points has not failed."""

import pytest

from autograder.report.report import Verdict
from autograder.report.standing import standing


@pytest.mark.parametrize(
    ("verdict", "score", "stands"),
    [
        (Verdict.FAILED, 2.84, "nearly right"),
        (Verdict.CRASHED, 2.25, "nearly right"),
        (Verdict.TIMED_OUT, 2.2, "partly right"),
        (Verdict.BLOCKED, 0.1, "partly right"),
        (Verdict.FAILED, 0.0, "failed"),
        (Verdict.CRASHED, None, "crashed"),
        (Verdict.PASSED, 3.0, "passed"),
        (Verdict.REVIEW, 0.0, "review"),
        (Verdict.NOT_ATTEMPTED, 0.0, "not attempted"),
    ],
)
def test_a_part_of_the_points_is_said_to_be_a_part(
    verdict: Verdict, score: float | None, stands: str
) -> None:
    assert standing(verdict, score, 3.0) == stands
