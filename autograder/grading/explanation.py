"""Explains a failed test to the student, by a run on disclosed inputs.

The run takes place in a worker that has never met hidden inputs, so all that it says may be told: where an
error was raised and in which words, which shape came out, which value is wrong.
"""

from collections.abc import Sequence
from dataclasses import replace

from autograder.course.code import bound_names
from autograder.course.exercise import Exercise
from autograder.grading.outcomes import TestOutcome
from autograder.grading.session import Session
from autograder.report.report import TestReport, Verdict
from autograder.submission.notebook import NotebookCell
from autograder.testing.student_error import StudentError
from autograder.testing.suite import Run

STUB = "raise NotImplementedError"


class Explainer:
    """Explains the failed tests of one submission; `session` tells what its cells did before any test."""

    def __init__(self, exercise: Exercise, cells: Sequence[NotebookCell], session: Session) -> None:
        self._cells = {cell.number: cell for cell in cells}
        self._locator = Locator(exercise, self._cells)
        self._session = session

    def report(self, outcome: TestOutcome) -> TestReport:
        """Return the report on a test; without an explanation where it passes with disclosed inputs."""
        if not outcome.failed or outcome.disclosed is None:
            return outcome.report
        verdict, hint = self._explained(outcome.disclosed)
        return replace(outcome.report, verdict=verdict, hint=hint)

    def _explained(self, run: Run) -> tuple[Verdict, str]:
        if run.kind in (Verdict.PASSED, Verdict.GRADER_ERROR) or run.exhausted:
            return Verdict.FAILED, ""
        if run.kind is Verdict.NOT_DEFINED:
            return self._not_defined(run.detail)
        if isinstance(run.error, StudentError):
            return self._crash(run, run.error)
        return run.kind, run.detail

    def _crash(self, run: Run, error: StudentError) -> tuple[Verdict, str]:
        where = self._locator.words(error)
        if error.type == "NotImplementedError" and self._locator.source_line(error).startswith(STUB):
            return Verdict.NOT_ATTEMPTED, f'Replace "{STUB}()" with your code.'
        if run.kind is Verdict.BLOCKED:
            return run.kind, f"The sandbox refused this: {error.message}{where}"
        return run.kind, f"{run.detail}{where}"

    def _not_defined(self, name: str) -> tuple[Verdict, str]:
        """Say why a name is missing: its cell was left out, its cell failed, or there is no such cell."""
        for number, cell in self._cells.items():
            if cell.name != name and name not in bound_names(cell.text):
                continue
            if left_out := self._session.lost.get(number):
                return left_out.verdict, f"The cell that defines {name} {left_out.why}."
            result = self._session.results.get(number)
            if result and result.error:
                why = f"{result.error}{self._locator.words(result.error)}"
                return Verdict.NOT_DEFINED, f"The cell that defines {name} fails: {why}"
        return Verdict.NOT_DEFINED, f"The notebook does not define {name}. Is it spelt as in the exercise?"


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
            if cell.name == question or question in bound_names(cell.text):
                return f"the cell of {question}"
        return f"code cell {sorted(self._cells).index(cell.number) + 1}"
