"""What a command is about, and what of it is certain to be graded."""

from autograder.batch.grade import is_work_certain, submissions_of
from autograder.course.course import Course
from autograder.tests.classroom import hand_in, small


def test_the_students_that_are_named_are_taken_once_and_otherwise_all(course: Course) -> None:
    for student in ("ann", "ben"):
        hand_in(course, student, "no notebook")
    named = submissions_of(course, small(course), ["cleo", "ann", "cleo"])
    assert [one.student for one in named] == ["cleo", "ann"]
    assert sorted(one.student for one in submissions_of(course, small(course))) == ["ann", "ben"]


def test_work_is_certain_where_a_notebook_was_never_graded_or_all_are_graded_again(course: Course) -> None:
    graded, new, missing = (hand_in(course, student, "no notebook") for student in ("ann", "ben", "cleo"))
    missing.notebook.unlink()
    graded.autograded.parent.mkdir(parents=True)
    graded.autograded.write_text("{}")
    assert not any(map(is_work_certain, ([graded], [missing], [])))
    assert is_work_certain([graded, new, missing])
    assert is_work_certain([graded, missing], force=True)
    assert not is_work_certain([missing], force=True)
