"""Publishing only reads: the gradebook is the same to the byte before and after."""

from typing import Any

import pytest

from autograder.course.course import Course, load_course
from autograder.gradebook import ConversionError
from autograder.gradebook.pages import read_gradebook, write_feedback
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.report.report import Report
from autograder.submission.submission import Submission
from autograder.tests.classroom import hand_in, small, solved
from autograder.tests.gradebook.rows import record


@pytest.fixture
def graded(ready: Course) -> Course:
    """Return a course with a graded submission whose exercise has lost a question since."""
    hand_in(ready, "ann", solved(small(ready)))
    record(ready, "ann")
    text = small(ready).source.read_text(encoding="utf-8")
    small(ready).source.write_text(text[: text.index("# %% [markdown] manual")], encoding="utf-8")
    return load_course(ready.root)


def test_writing_pages_leaves_the_gradebook_as_it_was(graded: Course) -> None:
    before = (graded.root / "gradebook.db").read_bytes()
    (page,) = write_feedback(graded, small(graded))
    assert page == graded.root / "feedback" / "ann" / "01_small" / "01_small.html"
    assert (graded.root / "gradebook.db").read_bytes() == before


def test_where_there_is_no_gradebook_nothing_is_read_and_none_is_made(course: Course) -> None:
    assert read_gradebook(course, small(course)) == ()
    assert list(write_feedback(course, small(course))) == []
    assert not (course.root / "gradebook.db").exists()


def test_a_submission_without_an_autograded_notebook_gets_no_page(ready: Course) -> None:
    for student in ("ann", "ben"):
        hand_in(ready, student, solved(small(ready)))
        record(ready, student)
    Submission(ready.root, "ann", "01_small").autograded.unlink()
    assert list(write_feedback(ready, small(ready))) == [Submission(ready.root, "ben", "01_small").feedback]


def test_a_page_that_fails_is_reported_and_stops_no_other(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    for student in ("ann", "ben", "cleo"):
        hand_in(ready, student, solved(small(ready)))
        record(ready, student)

    def broken(report: Report, graded: GradebookSubmission, *rest: Any) -> str:
        if graded.student == "ben":
            raise RuntimeError("a defect of ours")
        return f"the page of {graded.student}"

    monkeypatch.setattr("autograder.gradebook.pages.render_feedback", broken)
    ann, ben, cleo = write_feedback(ready, small(ready))
    assert [ann, cleo] == [Submission(ready.root, name, "01_small").feedback for name in ("ann", "cleo")]
    assert isinstance(ben, ConversionError)
    assert str(ben).startswith("nbgrader gave up on 01_small of ben; ")
    assert "a defect of ours" in (ready.build / "nbgrader.log").read_text(encoding="utf-8")


def test_beside_the_page_lies_what_the_exchange_needs_and_nothing_of_the_exercise(ready: Course) -> None:
    submission = hand_in(ready, "ann", solved(small(ready)), late="2026-01-01 12:00:00 UTC")
    record(ready, "ann")
    submission.feedback.parent.mkdir(parents=True)
    (submission.feedback.parent / "old.html").touch()
    for name in ("conftest.py", "SETUP.md", "notation.md"):
        (submission.autograded.parent / name).touch()
    list(write_feedback(ready, small(ready)))
    assert sorted(path.name for path in submission.feedback.parent.iterdir()) == [
        "01_small.html",
        "timestamp.txt",
    ]
