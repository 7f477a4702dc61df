"""Who needs a person, the gravest reasons first, and who does not."""

from dataclasses import replace

from autograder.publishing.concerns import Concern, find_concerns
from autograder.report.report import Verdict
from autograder.tests.publishing.works import POINTS, RIGHT, in_gradebook, unreadable, work


def test_those_who_need_a_look_are_named_the_gravest_first() -> None:
    works = [
        work("a", RIGHT),
        work("b", dict.fromkeys(POINTS, Verdict.NOT_ATTEMPTED)),
        work("c", {"double": Verdict.REVIEW, "row_sums": 3.0}),
        unreadable("d", "cut off"),
        work("e", {"double": Verdict.GRADER_ERROR, "row_sums": 3.0}),
        replace(work("f", RIGHT), report=None),
        replace(work("g", RIGHT), is_late_untimed=True),
        work("a", {"double": 2.0, "row_sums": 0.5}, "02_next"),
        work("c", {"double": 2.0, "row_sums": 3.0}, "02_next"),
    ]
    assert find_concerns(works) == (
        Concern("e", "01_small", "grader error in double"),
        Concern("f", "01_small", "not graded yet"),
        Concern("d", "01_small", "unreadable: cut off"),
        Concern("c", "01_small", "review of double"),
        Concern("g", "01_small", "late as Canvas says, time unknown: collect again with --times"),
        Concern("b", "01_small", "nothing attempted"),
        Concern("a", "02_next", "from 100% in 01_small to 50%"),
    )


def test_what_a_person_has_settled_needs_no_look() -> None:
    for settled in (work("a", {"double": Verdict.REVIEW, "row_sums": 3.0}), unreadable("b")):
        assert settled.report is not None
        submission = in_gradebook(settled.student, settled.report, person=False)
        assert find_concerns([replace(settled, submission=submission)]) == ()


def test_a_small_drop_is_no_reason() -> None:
    assert find_concerns([work("a", RIGHT), work("a", {"double": 2.0, "row_sums": 1.5}, "02_next")]) == ()


def test_a_drop_is_measured_from_the_latest_work_that_has_a_score() -> None:
    failed = work("a", {"double": Verdict.GRADER_ERROR, "row_sums": 3.0}, "02_next")
    works = [work("a", RIGHT), failed, work("a", {"double": 0.0, "row_sums": 0.0}, "03_last")]
    assert [concern.why for concern in find_concerns(works)] == [
        "grader error in double",
        "from 100% in 01_small to 0%",
    ]
