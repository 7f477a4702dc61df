"""Of a notebook's cells, those count that ran, as far as they came."""

from autograder.grading.cell_result import CellResult
from autograder.grading.ran_cell import RanCell, ran_cells
from autograder.submission.notebook import NotebookCell
from autograder.testing.student_error import StudentError


def test_cells_without_a_result_did_not_run_and_a_failed_one_ran_to_a_line() -> None:
    cells = [NotebookCell(number, "code", f"x = {number}") for number in range(4)]
    failed = StudentError({"type": "ValueError", "places": [[3, 9], [1, 2], [3, 7]]})
    results = {
        0: CellResult((), None),
        1: CellResult((), StudentError({"type": "ValueError", "places": []})),
        3: CellResult((), failed),
    }
    assert list(ran_cells(cells, results)) == [
        RanCell(0, "x = 0"),
        RanCell(1, "x = 1", failed_at=0),
        RanCell(3, "x = 3", failed_at=7),
    ]
