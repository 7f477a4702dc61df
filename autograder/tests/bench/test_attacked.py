"""The made-up class again, with attacks on the grader among its answers."""

from autograder.bench.attacked import attacked, honest
from autograder.bench.crowd import class_answers
from autograder.course.course import Course
from autograder.submission.matching import defines
from autograder.tests.classroom import small


def test_the_first_of_every_ten_attacks_the_first_question_and_nobody_else_changes(course: Course) -> None:
    exercise = small(course)
    peaceful = dict(class_answers(exercise, 31, seed=1))
    made = dict(attacked(iter(peaceful.items()), exercise))
    changed = {
        student: [name for name in answers if answers[name] != peaceful[student][name]]
        for student, answers in made.items()
        if answers != peaceful[student]
    }
    assert changed == {
        "student-00001": ["double"],
        "student-00011": ["double"],
        "student-00021": ["double"],
        "student-00031": ["double"],
    }
    attacks = {made[student][name] for student, (name,) in changed.items()}
    assert len(attacks) == 4
    assert all(defines(made[student][name], name) for student, (name,) in changed.items())
    marks = {student: frozenset[str]() for student in made}
    assert set(dict(honest(marks))) == set(made) - set(changed)
