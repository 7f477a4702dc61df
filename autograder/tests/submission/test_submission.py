"""Whose a submission is and where its files lie: ids that are safe everywhere, and nbgrader's folders."""

from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.submission.submission import Submission, find_submissions, is_student
from autograder.tests.classroom import hand_in, small


@pytest.mark.parametrize("name", ["ann", "A.Student-2", "12345", "x@example.org", "a_b+c", "jörg", "佐藤"])
def test_ids_are_plain(name: str) -> None:
    assert is_student(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "=1",
        "@x",
        "-x",
        ".x",
        "a b",
        "a\nb",
        "CON",
        "nul.txt",
        "jo\u0308rg",
        "jörg\u202e",
        "ö" * 65,
        "\U00020000" * 60,
        "x.",
        "a" * 65,
        "a\n",
    ],
)
def test_ids_that_mean_more_than_themselves_are_refused(name: str) -> None:
    assert not is_student(name)


def test_files_lie_where_nbgrader_keeps_them() -> None:
    submission = Submission(Path("course"), "ann", "01_small")
    assert submission.folder == Path("course/submitted/ann/01_small")
    assert submission.notebook == Path("course/submitted/ann/01_small/01_small.ipynb")
    assert submission.autograded == Path("course/autograded/ann/01_small/01_small.ipynb")
    assert submission.feedback == Path("course/feedback/ann/01_small/01_small.html")


def test_submissions_are_found_in_order_whatever_their_names(course: Course) -> None:
    for student in ("zoe", "=1+1", "ann"):
        hand_in(course, student, "")
    (course.root / "submitted" / "stray.txt").write_text("not a student", encoding="utf-8")
    (course.root / "submitted" / "max" / "02_other").mkdir(parents=True)
    found = list(find_submissions(course, small(course)))
    assert found == [Submission(course.root, student, "01_small") for student in ("=1+1", "ann", "zoe")]


def test_a_folder_without_the_notebook_is_a_submission_too(course: Course) -> None:
    hand_in(course, "ann", "").notebook.unlink()
    assert [submission.student for submission in find_submissions(course, small(course))] == ["ann"]


def test_where_nothing_was_handed_in_nothing_is_found(course: Course) -> None:
    assert list(find_submissions(course, small(course))) == []
