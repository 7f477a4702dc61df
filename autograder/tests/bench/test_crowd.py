"""The made-up class: one for all graders, and no two files the same."""

from autograder.authoring.answers import released
from autograder.bench.crowd import class_answers, course_of, hand_in
from autograder.course.course import Course
from autograder.tests.classroom import small


def test_every_submission_is_another_file_and_small_classes_begin_large_ones(furnished: Course) -> None:
    exercise = small(furnished)
    class_of_nine = dict(class_answers(exercise, 9, seed=1))
    assert list(dict(class_answers(exercise, 4, seed=1)).values()) == list(class_of_nine.values())[:4]
    assert dict(class_answers(exercise, 9, seed=2)) != class_of_nine
    made = course_of(furnished, exercise, furnished.root / "build" / "copy")
    hand_in(made.root, released(made.assignments, exercise), exercise, iter(class_of_nine.items()))
    notebooks = list((made.root / "submitted").rglob("*.ipynb"))
    assert len({path.read_bytes() for path in notebooks}) == 9
    assert list(made.exercises) == ["01_small"]
