"""Publishing only reads: the gradebook is the same to the byte before and after."""

import pytest

from autograder.course.course import Course, load_course
from autograder.gradebook.pages import read_gradebook, write_feedback
from autograder.tests.classroom import hand_in, small, solved
from autograder.tests.gradebook.rows import full_marks, record


@pytest.fixture
def graded(ready: Course) -> Course:
    """Return a course with a graded submission whose exercise has lost a question since."""
    hand_in(ready, "ann", solved(small(ready)))
    record(ready, "ann", full_marks(small(ready)))
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
