"""An error is placed in the notebook in words that a student can follow."""

import pytest

from autograder.course.course import Course
from autograder.grading.location import Locator
from autograder.submission.notebook import NotebookCell
from autograder.testing.student_error import StudentError

GIVEN = "import torch\n\ntable = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])"


@pytest.fixture
def locator(course: Course) -> Locator:
    exercise = course.exercises["01_small"]
    assert GIVEN in exercise.given
    cells = (
        NotebookCell(1, "code", GIVEN),
        NotebookCell(3, "code", "def double(x):\n    return x.doubled()"),
        NotebookCell(4, "code", "row_sums = lambda x: x", "row_sums"),
        NotebookCell(8, "code", "def helper(x):\n    raise ValueError"),
    )
    return Locator(exercise, {cell.number: cell for cell in cells})


@pytest.mark.parametrize(
    ("places", "words", "line"),
    [
        ([[3, 2]], " (the cell of double, line 2)", "return x.doubled()"),
        ([[4, 1]], " (the cell of row_sums, line 1)", "row_sums = lambda x: x"),
        ([[8, 2], [3, 2]], " (code cell 4, line 2)", "raise ValueError"),
        (
            [[1, 3], [3, 2]],
            " (the cell of double, line 2)",
            "table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])",
        ),
        ([[1, 3]], " (code cell 1, line 3)", "table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])"),
        ([[3, None]], " (the cell of double)", ""),
        ([[3, 99]], " (the cell of double, line 99)", ""),
        ([[77, 1], [3, 2]], " (the cell of double, line 2)", ""),
        ([[77, 1]], "", ""),
        ([], "", ""),
    ],
)
def test_an_error_is_placed_in_the_students_own_cell_where_it_passed_one(
    locator: Locator, places: list[object], words: str, line: str
) -> None:
    error = StudentError({"type": "ValueError", "places": places})
    assert (locator.words(error), locator.source_line(error)) == (words, line)
