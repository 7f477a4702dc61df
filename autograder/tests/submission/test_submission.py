"""Whose a submission is and where its files lie: ids that are safe everywhere, and nbgrader's folders."""

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
        *("", ".", "..", "../x", "=1", "@x", "-x", ".x", "a b", "a\nb", "CON", "nul.txt", "x.", "a\n"),
        *("jo\u0308rg", "j\u00f6rg\u202e", "\u00f6" * 65, "\U00020000" * 60, "a" * 65),
    ],
)
def test_ids_that_mean_more_than_themselves_are_refused(name: str) -> None:
    assert not is_student(name)


def test_submissions_are_found_in_order_whatever_their_names(course: Course) -> None:
    assert list(find_submissions(course, small(course))) == []
    for student in ("zoe", "=1+1", "ann"):
        hand_in(course, student, "")
    hand_in(course, "max", "").notebook.unlink()
    (course.root / "submitted" / "stray.txt").write_text("not a student", encoding="utf-8")
    (course.root / "submitted" / "tom" / "02_other").mkdir(parents=True)
    found = list(find_submissions(course, small(course)))
    assert found == [
        Submission(course.root, student, "01_small") for student in ("=1+1", "ann", "max", "zoe")
    ]
