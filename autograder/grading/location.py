"""Says where in a notebook an error was raised, in a student's words."""

from autograder.course.exercise import Exercise
from autograder.submission.matching import seems_to_define
from autograder.submission.notebook import NotebookCell
from autograder.testing.student_error import StudentError


class Locator:
    """Says where in a notebook an error was raised, in a student's words."""

    def __init__(self, exercise: Exercise, cells: dict[int, NotebookCell]) -> None:
        self._exercise = exercise
        self._cells = cells

    def words(self, error: StudentError) -> str:
        """Return " (the cell of softmax, line 3)", or nothing where no cell is known.

        Of all the cells that an error passed through, the student's own come before the given ones.
        """
        places = [place for place in error.places if place[0] in self._cells]
        if not places:
            return ""
        own = (place for place in places if self._cells[place[0]].text not in self._exercise.given)
        number, line = next(own, places[0])
        where = self._name(self._cells[number])
        return f" ({where}, line {line})" if line else f" ({where})"

    def source_line(self, error: StudentError) -> str:
        """Return the line that raised an error."""
        number, line = error.places[0] if error.places else (None, None)
        lines = self._cells[number].text.splitlines() if number in self._cells else []
        return lines[line - 1].strip() if line and line <= len(lines) else ""

    def _name(self, cell: NotebookCell) -> str:
        for question in self._exercise.points:
            if cell.name == question or seems_to_define(cell.text, question):
                return f"the cell of {question}"
        return f"code cell {sorted(self._cells).index(cell.number) + 1}"
