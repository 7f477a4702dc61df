"""Graded cells are found in a submission even where an editor or a student has lost the metadata."""

from collections.abc import Sequence

import pytest

from autograder.course.source import Cell, Role
from autograder.submission.matching import in_exercise_form, restore
from autograder.submission.notebook import NotebookCell
from autograder.tests.classroom import ANSWER

PROMPT = "## Why?"
CELLS = (
    Cell(Role.TEXT, "# Title"),
    Cell(Role.CODE, "import torch"),
    Cell(
        Role.SOLUTION,
        "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
        "double",
    ),
    Cell(Role.CHECK, "# Check of double\nassert double(1) == 2", "double", 2.0),
    Cell(Role.TEXT, PROMPT),
    Cell(Role.MANUAL, "### BEGIN SOLUTION\nso\n### END SOLUTION", "why", 1.0),
)
Handed = tuple[str, str] | tuple[str, str, str]  # a cell's kind, text and, perhaps, grade id
MINE, CHECK = ("code", "def double(x):\n    return x + x"), ("code", CELLS[3].text)
# What was handed in, and which of its cells stand for the graded ones.
SUBMITTED: dict[str, tuple[Sequence[Handed], dict[str, int]]] = {
    "grade ids": (
        [("markdown", ANSWER, "why"), ("code", "pass", "check-double"), ("code", "x = 1", "double")],
        {"why": 0, "check-double": 1, "double": 2},
    ),
    "content": (
        [("markdown", "# Title"), MINE, ("code", "# Check of double\nassert True"), ("markdown", PROMPT),
         ("markdown", ANSWER)],
        {"double": 1, "check-double": 2, "why": 4},
    ),
    "the last of two definitions, which wins when run": (
        [(*MINE, "double"), (*MINE, "double"), ("code", "scratch", "double")], {"double": 1},
    ),
    "of two checks the one left as it was": (
        [("code", "assert True", "check-double"), (*CHECK, "check-double")], {"check-double": 1},
    ),
    "code that is not Python": ([("code", "="), ("code", "def double(x):\n    return x +")], {"double": 1}),
    "an answer below its prompt": (
        [("markdown", "notes"), ("markdown", PROMPT), ("markdown", "Because.")], {"why": 2},
    ),
    "an answer in its prompt": ([MINE, ("markdown", f"{PROMPT}\n\nBecause.")], {"double": 0, "why": 1}),
    "an answer at its place": (
        [("markdown", "# Title"), MINE, CHECK, ("markdown", "Because.")],
        {"double": 1, "check-double": 2, "why": 3},
    ),
    "no answer in the exercise's own text": (
        [MINE, ("markdown", "# Title"), ("markdown", PROMPT), ("markdown", "given")], {"double": 0},
    ),
    "no text for code": ([("markdown", "gone", "double"), MINE], {"double": 1}),
    "nothing": ([], {}),
}  # fmt: skip


def handed_in(cells: Sequence[Handed]) -> tuple[NotebookCell, ...]:
    return tuple(NotebookCell(number, *cell) for number, cell in enumerate(cells))


def owners(cells: Sequence[Handed], ids: dict[str, int]) -> dict[str, int | None]:
    """Return the number of the submitted cell that stands for each graded one."""
    places = restore(CELLS, handed_in(cells), ids, ["given"])
    return {p.graded.grade_id: p.submitted.number if p.submitted else None for p in places if p.graded}


@pytest.mark.parametrize("case", SUBMITTED)
def test_graded_cells_are_found_by(case: str) -> None:
    cells, found = SUBMITTED[case]
    assert owners(cells, {}) == {"double": None, "check-double": None, "why": None, **found}


def test_cell_ids_tell_where_grade_ids_are_gone() -> None:
    ids = {"double": 1, "check-double": 0, "why": 2}
    assert owners([("code", "x = 1"), ("code", "y = 1"), ("markdown", "an answer")], ids) == ids


def test_missing_cells_stand_where_the_exercise_has_them() -> None:
    places = restore(CELLS, handed_in([("code", "import torch"), MINE, ("code", "more")]), {})
    names = [place.graded.grade_id if place.graded else "" for place in places]
    assert names == ["", "double", "check-double", "why", ""]


RAW, TEXT = ("raw", MINE[1], "double"), ("markdown", MINE[1], "double")
OTHER_TYPES: dict[str, tuple[Sequence[Handed], list[str]]] = {
    "a written answer as code": ([MINE, ("code", ANSWER, "why")], ["code", "markdown"]),
    "a written answer as raw": ([("raw", ANSWER, "why")], ["markdown"]),
    "an answer as text": ([TEXT, CHECK], ["code", "code"]),
    "an answer as raw": ([RAW], ["code"]),
    "a check as text": ([("markdown", CHECK[1], "check-double")], ["code"]),
    "nobody's": ([("raw", "x = 1", "scratch"), ("markdown", "note")], ["raw", "markdown"]),
    "an old answer, kept as raw above the new one": ([RAW, MINE], ["raw", "code"]),
    "an old answer, kept as text below the new one": ([MINE, TEXT], ["code", "markdown"]),
    "a copy, kept as raw": ([(*MINE, "double"), RAW], ["code", "raw"]),
    "the answer twice as text": ([TEXT, TEXT], ["code", "markdown"]),
    "a written answer of the right type beside another": (
        [("code", "x", "why"), ("markdown", ANSWER, "why")], ["code", "markdown"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHER_TYPES)
def test_a_graded_cell_gets_the_type_that_it_has_in_the_exercise(case: str) -> None:
    cells, types = OTHER_TYPES[case]
    assert [cell.kind for cell in in_exercise_form(CELLS, handed_in(cells))] == types


def test_a_cell_id_tells_the_type_where_the_grade_id_is_gone() -> None:
    cells = [NotebookCell(0, "markdown", MINE[1], id="double"), NotebookCell(1, "code", ANSWER, id="why")]
    assert [cell.kind for cell in in_exercise_form(CELLS, cells)] == ["code", "markdown"]


def test_a_text_with_two_prompts_is_an_answer_to_each() -> None:
    second = (
        Cell(Role.TEXT, "## And then?"),
        Cell(Role.MANUAL, "### BEGIN SOLUTION\nso\n### END SOLUTION", "then", 1.0),
    )
    whole = handed_in([("markdown", f"Before.\n\n{PROMPT}\n\nBecause.\n\n## And then?\n\nLater."), CHECK])
    cells = in_exercise_form((*CELLS, *second), whole)
    assert [(cell.number, cell.text) for cell in cells] == [
        (0, f"Before.\n\n{PROMPT}\n\nBecause."), (1, "## And then?\n\nLater."), (2, CHECK[1]),
    ]  # fmt: skip
