"""An exercise is read from its folder; what is wrong with its answers is reported with their file."""

import re

import pytest

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.source import Role, SourceError
from autograder.diagnosis.known import known_mistakes
from autograder.tests.classroom import write_answer


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
MISTAKE = 'mistake="double" name="x"'


@pytest.mark.parametrize(
    ("marker", "code", "message"),
    [
        (MISTAKE, "def double(x):\n    return x\n", "0: this cell has no docstring; begin it with one: "),
        (MISTAKE, DOCUMENTED, "0: this cell has only a docstring; write the answer below it"),
        (
            MISTAKE.replace("double", "treble"),
            f"{DOCUMENTED}def double(x): ...",
            '0: "treble" is not a question; ',
        ),
        (MISTAKE, f"{DOCUMENTED}def treble(x): ...", "0: must define double and no other question"),
        (MISTAKE, f"{DOCUMENTED}def double(x)\n", "3: expected ':'; correct the Python code"),
        (
            MISTAKE,
            f"{DOCUMENTED}edit = 'X / Y => X'",
            "0: X / Y matches nothing in the solution of double; copy",
        ),
        (MISTAKE, f"{DOCUMENTED}edit = 'mul(X'", "0: 'mul(X' has no =>"),
        (
            MISTAKE.replace("double", "row_sums"),
            f"{DOCUMENTED}edit = 'dim=1 => dim=0'",
            "0: dim=1 matches nothing in the solution of row_sums; dim is a keyword argument in the "
            "solution, so write the whole call on both sides of the rule, such as x.sum(dim=",
        ),
        (
            MISTAKE,
            f"{DOCUMENTED}edit = 'dim=1 => dim=0'",
            "0: dim=1 matches nothing in the solution of double; copy",
        ),
        (
            'mistake="double"',
            f"{DOCUMENTED}def double(x): ...",
            '0: this cell is not marked as an answer; after its "# %%", write only mistake="question"',
        ),
        (
            "mistake=double",
            f"{DOCUMENTED}def double(x): ...",
            "0: this cell has a marker with an unreadable part",
        ),
        (
            'mistake="double" name="squares"',
            f"{DOCUMENTED}def double(x): ...",
            "0: this cell has the same name as the cell on line 9",
        ),
        (
            'accepted="other"',
            f"{DOCUMENTED}def treble(x): ...",
            "0: answers no question of 01_small; give its",
        ),
        (
            'accepted="by_addition"',
            f"{DOCUMENTED}def double(x): ...",
            "0: this cell has the same name as the cell on line 1;",
        ),
    ],
)
def test_a_problem_in_a_cell_is_reported_with_its_line_and_fix(
    exercise: Exercise, marker: str, code: str, message: str
) -> None:
    path, _, line = write_answer(exercise, marker, code).rpartition(":")
    with pytest.raises(SourceError) as refused:
        assert [exercise.accepted, known_mistakes(exercise)]
    down, _, said = message.partition(":")
    assert str(refused.value).startswith(f"{path}:{int(line) + int(down)}:{said}")


def test_a_mistake_may_be_an_edit_of_the_solution_that_changes_all_places_that_it_fits(
    exercise: Exercise,
) -> None:
    edit = 'edit = """\ntorch.mul(X, 2)\n=>\ntorch.mul(X, 3)\n\nreturn X\n=>\nprint(X)\nreturn X\n"""'
    place = write_answer(exercise, 'mistake="double" name="tripled"', f'"""Twice?"""\n{edit}')
    mistake = next(one for one in known_mistakes(exercise) if one.title == "tripled")
    assert mistake.code.endswith("print(torch.mul(x, 3))\n    return torch.mul(x, 3)")
    assert (mistake.name, mistake.hint, mistake.place) == ("double__tripled", "Twice?", place)
    assert mistake.place_of(7) == place


def test_a_variant_brings_its_helpers_and_stands_where_its_first_question_stood(exercise: Exercise) -> None:
    code = '"""Other."""\n\ndef helper(x): return x + x\n\ndef double(x): return helper(x)\n'
    assert exercise.replaced(code) == {"double": code}
    setup, _, row_sums = exercise.reference
    assert exercise.variant(code) == (setup, code, row_sums)
    both = exercise.accepted[0].code
    assert exercise.replaced(both) == {"double": both, "row_sums": ""}


def test_a_part_of_a_name_after_two_underscores_tells_the_writings_of_one_mistake_apart(
    exercise: Exercise,
) -> None:
    write_answer(
        exercise, 'mistake="double" name="squares__by_product"', '"""Hint."""\n\ndef double(x): return x * x'
    )
    assert [(mistake.question, mistake.name) for mistake in known_mistakes(exercise)] == [
        ("double", "double__in_place"),
        ("double", "double__squares"),
        ("row_sums", "row_sums__columns"),
        ("double", "double__squares"),
    ]


@pytest.mark.parametrize("place", ["accepted.py", "mistakes.py", "01_small.py"])
def test_text_in_another_encoding_is_reported_with_its_line(exercise: Exercise, place: str) -> None:
    path = exercise.folder / place
    path.write_bytes('"""One.\n\nHälfte."""\n'.encode("latin-1"))
    with pytest.raises(SourceError, match=re.escape(f"{path}:3: not UTF-8 text; save it as UTF-8")):
        assert [exercise.cells, exercise.accepted, known_mistakes(exercise)]


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
