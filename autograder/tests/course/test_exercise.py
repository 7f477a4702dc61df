"""An exercise is read from its folder; what is wrong with its answers is reported with their file."""

import re

import pytest

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.source import Role, SourceError


@pytest.fixture
def exercise(course: Course) -> Exercise:
    return course.exercises["01_small"]


def test_the_reference_has_neither_checks_nor_demos(exercise: Exercise) -> None:
    assert [code.splitlines()[0] for code in exercise.reference] == [
        "import torch",
        "def double(x: torch.Tensor) -> torch.Tensor:",
        "def row_sums(x: torch.Tensor) -> torch.Tensor:",
    ]


DOCUMENTED = '"""Other."""\n\n'


@pytest.mark.parametrize(
    ("place", "code", "message"),
    [
        ("mistakes/double__x.py", "def double(x):\n    return x\n", "has no docstring"),
        (
            "mistakes/treble__x.py",
            f"{DOCUMENTED}def double(x): ...\n",
            '"treble" is not a question; name the',
        ),
        ("mistakes/double__x.py", f"{DOCUMENTED}def treble(x): ...\n", "must define double and no other"),
        (
            "mistakes/double__x.py",
            f"{DOCUMENTED}def double(x)\n",
            "__x.py:3: expected ':'; it must be Python",
        ),
        ("accepted/other.py", f"{DOCUMENTED}def treble(x): ...\n", "defines no question of 01_small"),
    ],
)
def test_a_problem_in_a_variant_is_reported_with_its_fix(
    exercise: Exercise, place: str, code: str, message: str
) -> None:
    (exercise.folder / place).write_text(code, encoding="utf-8")
    with pytest.raises(SourceError, match=re.escape(message)):
        assert [exercise.accepted, exercise.mistakes]


def test_a_variant_brings_its_helpers_and_stands_where_its_first_question_stood(exercise: Exercise) -> None:
    code = '"""Other."""\n\ndef helper(x): return x + x\n\ndef double(x): return helper(x)\n'
    assert exercise.replaced(code) == {"double": code}
    setup, _, row_sums = exercise.reference
    assert exercise.variant(code) == (setup, code, row_sums)
    both = exercise.accepted[0].code
    assert exercise.replaced(both) == {"double": both, "row_sums": ""}


def test_a_mistake_belongs_to_the_longest_question_that_its_file_begins_with(exercise: Exercise) -> None:
    text = exercise.source.read_text(encoding="utf-8")
    exercise.source.write_text(
        text.replace('="row_sums"', '="double_"').replace("def row_sums", "def double_"), encoding="utf-8"
    )
    (exercise.folder / "mistakes" / "row_sums__columns.py").unlink()
    path = exercise.folder / "mistakes" / "double___a_copy__again.py"
    path.write_text('"""Hint."""\n\ndef double_(x): return x.clone()\n', encoding="utf-8")
    path = exercise.folder / "mistakes" / "double__squares__by_product.py"  # in another writing
    path.write_text('"""Hint."""\n\ndef double(x): return x * x\n', encoding="utf-8")
    assert {(mistake.question, mistake.name) for mistake in exercise.mistakes} == {
        ("double", "double__in_place"),
        ("double", "double__squares"),
        ("double_", "double___a_copy"),
    }


@pytest.mark.parametrize("place", ["accepted/latin.py", "mistakes/double__latin.py", "01_small.py"])
def test_text_in_another_encoding_is_reported_with_its_line(exercise: Exercise, place: str) -> None:
    path = exercise.folder / place
    path.write_bytes('"""One.\n\nHälfte."""\n'.encode("latin-1"))
    with pytest.raises(SourceError, match=re.escape(f"{path}:3: not UTF-8 text; save it as UTF-8")):
        assert [exercise.cells, exercise.accepted, exercise.mistakes]


def test_a_missing_source_is_reported_and_has_no_questions(exercise: Exercise) -> None:
    assert exercise.questions == ["double", "row_sums"]
    exercise.source.unlink()
    lost = Exercise(exercise.folder)
    assert lost.questions == []
    with pytest.raises(SourceError, match=r"missing; write the exercise there or take 01_small out of"):
        assert lost.cells


def test_what_an_exercise_gives_and_draws_is_known_by_its_text(exercise: Exercise) -> None:
    assert [text.split("\n")[0] for text in exercise.given] == ["import torch"]
    (demo,) = (cell.text for cell in exercise.cells if cell.role is Role.DEMO)
    assert exercise.only_draws(f"# a picture\n{demo}")
    assert not exercise.only_draws(exercise.reference[0])
    assert exercise.written == {"why": 2.0}
