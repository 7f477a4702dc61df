"""An exercise becomes a notebook that nbgrader takes, with the same ids each time."""

from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.hints import secrets
from autograder.course.notebook import RUBRIC as RELEASED
from autograder.course.notebook import build_notebook, is_rubric, with_rubric
from autograder.course.source import BEGIN, END, Cell, Role, fingerprint
from autograder.tests.classroom import real_course

ROOT = Path(__file__).parents[3]
EXERCISES = list(real_course().exercises.values())


@pytest.fixture
def exercise(course: Course) -> Exercise:
    return course.exercises["01_small"]


RUBRIC = """
# (what both are: 1 point; what may be
# done with $k < 2$: 1 point.)
"""


def test_a_rubric_is_folded_below_the_written_answer_and_nobody_grades_it(exercise: Exercise) -> None:
    text = exercise.source.read_text(encoding="utf-8")
    end = "# ### END SOLUTION\n"
    assert text.endswith(end)
    exercise.source.write_text(f"{text.removesuffix(end)}#{RUBRIC}{end}", encoding="utf-8")
    *_, answer, shown = build_notebook(exercise)["cells"]
    assert answer["id"] == "why"
    assert shown["cell_type"] == "markdown"
    assert shown["metadata"] == {}
    assert "".join(shown["source"]).split("\n") == [
        "<details>",
        "<summary>Open this after you have written your answer. A full answer names two things.</summary>",
        "",
        "- what both are: 1 point",
        "- what may be done with $k < 2$: 1 point",
        "",
        "</details>",
    ]
    assert not [secret.text for secret in secrets(exercise) if "point" in secret.text]


def test_a_rubric_of_one_sentence_is_shown_as_it_is() -> None:
    text = f"{BEGIN}\nBoth are linear.\n\n(One point for linear.)\n{END}"
    _, shown = with_rubric(Cell(Role.MANUAL, text, "why", 2))
    assert "A full answer names these things." in shown.text
    assert "\n- One point for linear\n" in shown.text
    written = Cell(Role.MANUAL, f"{BEGIN}\n(Both are linear.)\n{END}", "why", 2)
    assert with_rubric(written) == [written]


def test_cells_of_the_same_words_have_ids_of_their_own(exercise: Exercise) -> None:
    exercise.__dict__["cells"] = (Cell(Role.TEXT, "Now you."),) * 3
    ids = [cell["id"] for cell in build_notebook(exercise)["cells"]]
    assert [name for name in ids if "now-you" in name] == [
        "text-now-you",
        "text-now-you--2",
        "text-now-you--3",
    ]


def test_a_fingerprint_sees_code_and_not_its_comments() -> None:
    assert fingerprint("# Check\nx = 1\n\ny = 2") == fingerprint("x = 1  \r\ny = 2\n# done")
    assert fingerprint("x = 1") != fingerprint("x = 2")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", True),
        ("\n{}\n", True),
        ("{}\nMy own answer.", False),
        ("My own answer.\n{}", False),
        ("<details>\n<summary>My answer</summary>\n\n- a thing\n\n</details>", False),
        ("<details>\n<summary>Open this after class</summary>\nMy answer.\n</details>", False),
    ],
)
def test_a_rubric_is_recognised_by_its_form_even_if_its_items_have_changed(text: str, expected: bool) -> None:
    things = "- that it is linear\n- the factor k"
    rubric = RELEASED.format(named="a full answer names two things", things=things)
    assert is_rubric(text.format(rubric)) is expected
