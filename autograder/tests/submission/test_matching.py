"""Graded cells are found in a submission even where an editor or a student has lost the metadata."""

from autograder.course.source import Cell, Role
from autograder.submission.matching import RestoredCell, restore
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
MINE = "def double(x):\n    return x + x"


def handed_in(*cells: tuple[str, str] | tuple[str, str, str]) -> tuple[NotebookCell, ...]:
    return tuple(NotebookCell(number, *cell) for number, cell in enumerate(cells))


def owners(places: tuple[RestoredCell, ...]) -> dict[str, int | None]:
    """Return the number of the submitted cell that stands for each graded one."""
    return {p.graded.grade_id: p.submitted.number if p.submitted else None for p in places if p.graded}


def test_grade_ids_tell_which_cell_is_which() -> None:
    cells = handed_in(
        ("markdown", ANSWER, "why"), ("code", "pass", "check-double"), ("code", "x = 1", "double")
    )
    assert owners(restore(CELLS, cells, {})) == {"why": 0, "check-double": 1, "double": 2}


def test_cell_ids_tell_where_grade_ids_are_gone() -> None:
    cells = handed_in(("code", "x = 1"), ("code", "y = 1"), ("markdown", "an answer"))
    ids = {"double": 1, "check-double": 0, "why": 2}
    assert owners(restore(CELLS, cells, ids)) == {"check-double": 0, "double": 1, "why": 2}


def test_content_tells_where_all_marks_are_gone() -> None:
    cells = handed_in(
        ("markdown", "# Title"), ("code", MINE), ("code", "# Check of double\nassert True"),
        ("markdown", PROMPT), ("markdown", ANSWER),
    )  # fmt: skip
    assert owners(restore(CELLS, cells, {})) == {"double": 1, "check-double": 2, "why": 4}


def test_the_last_of_two_definitions_counts_since_it_wins_when_run() -> None:
    cells = handed_in(("code", MINE, "double"), ("code", MINE, "double"), ("code", "scratch", "double"))
    assert owners(restore(CELLS, cells, {}))["double"] == 1


def test_of_two_checks_the_one_left_as_it_was_counts() -> None:
    edited, kept = ("code", "assert True", "check-double"), ("code", CELLS[3].text, "check-double")
    assert owners(restore(CELLS, handed_in(edited, kept), {}))["check-double"] == 1


def test_code_that_is_no_python_still_shows_what_it_defines() -> None:
    cells = handed_in(("code", "x = ="), ("code", "def double(x):\n    return x +"))
    assert owners(restore(CELLS, cells, {}))["double"] == 1


def test_an_answer_written_below_its_prompt_is_found() -> None:
    cells = handed_in(("markdown", "notes"), ("markdown", PROMPT), ("markdown", "Because."))
    assert owners(restore(CELLS, cells, {}))["why"] == 2


def test_an_answer_written_into_its_prompt_is_found() -> None:
    cells = handed_in(("code", MINE), ("markdown", f"{PROMPT}\n\nBecause."))
    assert owners(restore(CELLS, cells, {}))["why"] == 1


def test_an_answer_is_found_by_its_place_when_the_prompt_is_gone_too() -> None:
    cells = handed_in(
        ("markdown", "# Title"), ("code", MINE), ("code", CELLS[3].text), ("markdown", "Because.")
    )
    assert owners(restore(CELLS, cells, {}))["why"] == 3


def test_text_of_the_exercise_is_never_taken_for_an_answer() -> None:
    cells = handed_in(("code", MINE), ("markdown", "# Title"), ("markdown", PROMPT), ("markdown", "given"))
    assert owners(restore(CELLS, cells, {}, ["given"]))["why"] is None


def test_a_text_cell_never_stands_for_code() -> None:
    cells = handed_in(("markdown", "gone", "double"), ("code", MINE))
    assert owners(restore(CELLS, cells, {}))["double"] == 1


def test_missing_cells_stand_where_the_exercise_has_them() -> None:
    places = restore(CELLS, handed_in(("code", "import torch"), ("code", MINE), ("code", "more")), {})
    names = [place.graded.grade_id if place.graded else "" for place in places]
    assert names == ["", "double", "check-double", "why", ""]


def test_an_empty_notebook_gets_every_graded_cell() -> None:
    places = restore(CELLS, (), {})
    assert [place.graded.grade_id for place in places if place.graded] == ["double", "check-double", "why"]
