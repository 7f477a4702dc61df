"""Two right answers that read the exercise differently are found by calls that no hidden test makes."""

from autograder.authoring.disagreement import disagreements
from autograder.authoring.strength import measure_together
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.testing.suite import Suite

DIFFERS = '''"""Ones where all is zero, and not for a single row."""


def double(x):
    return x + x if x.any() else x + 1


def row_sums(x):
    return x.sum(-1) if len(x) > 1 else x.sum(-1, keepdim=True)
'''
DECLARED = "- {question: QUESTION, answer: differs, because: nobody asks for it}\n"


def test_the_smallest_call_on_which_two_right_answers_disagree_is_found(course: Course) -> None:
    folder = course.exercises["01_small"].folder
    assert disagreements(Exercise(folder), Suite(Exercise(folder))) == []
    (folder / "accepted/differs.py").write_text(DIFFERS, encoding="utf-8")
    exercise = Exercise(folder)
    found = {(one.question, one.case): one for one in disagreements(exercise, Suite(exercise))}
    assert set(found) == {
        ("double", "all numbers are 0"),
        ("row_sums", "1 stands for 4"),
        ("row_sums", "1 stands for 5"),
    }
    seen = found["double", "all numbers are 0"]
    assert (seen.answer, seen.call) == ("differs", "inspect with float32 (7,)")
    assert str(found["row_sums", "1 stands for 5"]).startswith(
        "row_sums of accepted/differs.py, where 1 stands for 5: "
        "call with float32 (1, 2) gives float32 (1, 1) ["
    )


def test_an_author_declares_where_a_right_answer_may_differ(course: Course) -> None:
    folder = course.exercises["01_small"].folder
    (folder / "accepted/differs.py").write_text(DIFFERS, encoding="utf-8")
    declared = "".join(DECLARED.replace("QUESTION", name) for name in ("double", "row_sums"))
    (folder / "equivalent.yaml").write_text(declared, encoding="utf-8")
    (measured,) = measure_together(course, course.chosen([]), 1)
    assert measured.findings == ()
    (folder / "accepted/differs.py").write_text(
        DIFFERS.replace(" if x.any() else x + 1", ""), encoding="utf-8"
    )
    (folder / "equivalent.yaml").write_text(DECLARED.replace("QUESTION", "double"), encoding="utf-8")
    (measured,) = measure_together(course, course.chosen([]), 1)
    *undeclared, needless = measured.findings
    assert needless.endswith("equivalent.yaml:1: accepted/differs.py never disagrees any more; take it out")
    assert len(undeclared) == 2
    assert all(
        one.endswith("say in the stub which is asked for, or declare it in equivalent.yaml")
        for one in undeclared
    )
