"""A student's work as gradebook and autograded notebook have it, whatever state they are in."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from autograder.course.course import Course
from autograder.publishing import graded_work
from autograder.publishing.graded_work import GradedWork, read_graded_work
from autograder.report.report import Verdict
from autograder.submission.submission import Submission
from autograder.tests.publishing.works import RIGHT, unreadable, work

ADA = work("ada", RIGHT)
Read = Callable[[object], GradedWork]


@pytest.fixture
def read(course: Course, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Return a function that puts a file where the autograded notebook lies, and reads the work."""

    def write_and_read(content: object) -> GradedWork:
        path = Submission(course.root, "ada", "01_small").autograded
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise, **_: (ADA.submission,))
        (found,) = read_graded_work(course, course.chosen([]))
        return found

    return write_and_read


@pytest.mark.parametrize("content", ["", "{", "[]", {}])
def test_a_damaged_graded_notebook_has_no_answers(read: Read, content: object) -> None:
    found = read(content)
    assert (found.student, found.exercise, found.submission) == ("ada", "01_small", ADA.submission)
    assert (found.answers, found.report) == ({}, None)


def test_score_and_share_are_of_the_tested_questions_alone() -> None:
    one = work("ada", {"double": 2.0, "row_sums": 0.5})
    assert (one.score, one.share) == (2.5, 0.5)


def test_a_question_without_a_score_leaves_neither_score_nor_share() -> None:
    for one in (
        work("ada", {"double": Verdict.GRADER_ERROR, "row_sums": 3.0}),
        unreadable("ada"),
        replace(ADA, report=None),
    ):
        assert (one.score, one.share) == (None, None)
