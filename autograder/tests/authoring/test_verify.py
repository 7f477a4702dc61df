"""Verifying shows that right answers score in full and wrong ones fail, and says where they do not."""

import pytest

from autograder.authoring.verify import prove
from autograder.course.course import Course
from autograder.sandbox.zygote import Zygote

BOTH = '"""Is that each row?"""\n\n\ndef row_sums(x):\n    return x\n\n\nglobals()["double"] = row_sums\n'
MISTAKE = '"""Is that twice?"""\n\n\ndef double(x):\n    return {}\n'


def findings(course: Course, zygote: Zygote) -> str:
    (proof,) = prove(course, course.chosen([]), zygote)
    return "\n".join(proof.findings)


def test_the_small_exercise_stands_and_each_mistake_is_called_by_its_name(
    course: Course, zygote: Zygote
) -> None:
    (proof,) = prove(course, course.chosen([]), zygote)
    assert proof.findings == ()
    assert (proof.accepted, proof.mistakes, proof.named) == (1, 3, 3)


@pytest.mark.parametrize(
    ("place", "text", "finding"),
    [
        ("mistakes/double__right.py", MISTAKE.format("x + x"), "scores in full; add a hidden test to double"),
        (
            "mistakes/double__again.py",
            MISTAKE.format("x * x"),
            "let a hidden test tell them apart, or drop one",
        ),
        ("mistakes/row_sums__both.py", BOTH, "also fails double"),
        ("accepted/wrong.py", MISTAKE.format("x"), 'must score in full, but double, "Every element becomes'),
        ("notes.txt", "", "belongs to no exercise; move it to accepted/, mistakes/ or heldout/, or"),
        ("test_hidden.py", "", 'question "double" has no hidden test; add one with @question("double")'),
    ],
)
def test_what_does_not_hold_is_found_with_its_place_and_mend(
    course: Course, zygote: Zygote, place: str, text: str, finding: str
) -> None:
    folder = course.exercises["01_small"].folder
    (folder / place).write_text(text, encoding="utf-8")
    found = findings(course, zygote)
    assert finding in found
    assert str(folder) in found
