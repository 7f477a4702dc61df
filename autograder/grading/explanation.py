"""Explains a failed test to the student, by a run on disclosed inputs.

The run takes place in a worker that has never met hidden inputs, so all that it says may be told: where an
error was raised and in which words, which shape came out, which value is wrong.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from autograder.course.code import bound_names
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.course.settings import Limits
from autograder.grading.outcomes import TestOutcome
from autograder.grading.session import Given, Session
from autograder.report.report import Place, TestReport, Verdict
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import StudentError
from autograder.testing.suite import Run

STUB = "raise NotImplementedError"
_REPAIR_CALL, _REPAIR_TOTAL = 1.0, 60.0  # seconds


@dataclass(frozen=True, slots=True)
class Submitted:
    """A submission whose notebook has run, for all that comes afterwards.

    Its later sessions begin in workers that know no hidden input. If right earlier answers are `given`, they
    stand in for its own there.
    """

    exercise: Exercise
    code: Sequence[NotebookCell]  # all code cells
    session: Session  # the first one, which has ended
    given: Given | None = None

    @property
    def cells(self) -> list[NotebookCell]:
        """The cells that ran, without visible checks: these define nothing."""
        return [cell for cell in self.session.cells if checked_question(cell.name) is None]

    @property
    def ran(self) -> list[str]:
        """The code of the cells that ran to their end or to an error."""
        return [cell.text for cell in self.session.cells if cell.number in self.session.results]

    def open(self) -> Session:
        """Return a session for a later run."""
        return self.session.another(self.cells, self.given)

    def open_for_repairs(self, needed: Container[int]) -> Session:
        """Return a session in which edited code is tried, with only given cells and those that are needed.

        Students share what is found there, so it depends on nothing else in a notebook.
        """
        cells = [cell for cell in self.cells if cell.number in needed or cell.text in self.exercise.given]
        return self.session.another(cells, self.given, self._repair_limits)

    def open_reference(self) -> Session:
        """Return a session in which edits of the reference are tried."""
        texts = enumerate(self.exercise.reference)
        cells = [NotebookCell(number, "code", text) for number, text in texts]
        return self.session.apart(cells, self._repair_limits)

    @property
    def _repair_limits(self) -> Limits:
        limits = self.session.limits
        call, total = min(limits.call_seconds, _REPAIR_CALL), min(limits.total_seconds, _REPAIR_TOTAL)
        return limits.model_copy(update={"call_seconds": call, "total_seconds": total})

    def explain(self, outcome: TestOutcome) -> TestReport:
        """Return the report on a test; without an explanation where it passes with disclosed inputs."""
        report, run = outcome.report, outcome.disclosed
        if not outcome.failed or run is None or run.exhausted:
            return report
        if run.kind in (Verdict.PASSED, Verdict.GRADER_ERROR):
            return report
        if run.kind is Verdict.NOT_DEFINED:
            verdict, hint = self._not_defined(run.detail)
        elif isinstance(run.error, StudentError):
            verdict, hint = self._crash(run, run.error)
        else:
            verdict, hint = run.kind, run.detail
        return replace(report, verdict=verdict, hint=hint)

    def place(self, outcome: TestOutcome) -> Place | None:
        """Return the line of an answer in which a test's disclosed run raised an error."""
        error = outcome.disclosed.error if outcome.disclosed else None
        found = self._raised(error) if isinstance(error, StudentError) else None
        if found is None or found[1] is None or not (question := self._question(found[0])):
            return None
        return Place(question, found[1])

    def _crash(self, run: Run, error: StudentError) -> tuple[Verdict, str]:
        where = self.where(error)
        if error.type == "NotImplementedError" and self._source_line(error).startswith(STUB):
            return Verdict.NOT_ATTEMPTED, f'Replace "{STUB}()" with your code.'
        if run.kind is Verdict.BLOCKED:
            return run.kind, f"The sandbox refused this: {error.message}{where}"
        return run.kind, f"{run.detail}{where}"

    def _not_defined(self, name: str) -> tuple[Verdict, str]:
        """Say why a name is missing: its cell was left out, its cell failed, or there is no such cell."""
        for cell in self.code:
            if cell.name != name and name not in bound_names(cell.text):
                continue
            if left_out := self.session.lost.get(cell.number):
                return left_out.verdict, f"The cell that defines {name} {left_out.why}."
            result = self.session.results.get(cell.number)
            if result and result.error:
                why = f"{result.error}{self.where(result.error)}"
                return Verdict.NOT_DEFINED, f"The cell that defines {name} fails: {why}"
        return Verdict.NOT_DEFINED, f"The notebook does not define {name}. Is it spelt as in the exercise?"

    def where(self, error: StudentError) -> str:
        """Return " (the cell of softmax, line 3)", or nothing where no cell is known."""
        if (found := self._raised(error)) is None:
            return ""
        cell, line = found
        number = sorted(one.number for one in self.code).index(cell.number) + 1
        name = f"the cell of {question}" if (question := self._question(cell)) else f"code cell {number}"
        return f" ({name}, line {line})" if line else f" ({name})"

    def _raised(self, error: StudentError) -> tuple[NotebookCell, int | None] | None:
        """Return the cell and the line of an error.

        Of all the cells that it passed through, the student's own come before the given ones.
        """
        cells = {cell.number: cell for cell in self.code}
        found = [(cells[number], line) for number, line in error.places if number in cells]
        own = [place for place in found if place[0].text not in self.exercise.given]
        return next(iter(own or found), None)

    def _question(self, cell: NotebookCell) -> str:
        """Return the question that a cell answers, if any."""
        names = (n for n in self.exercise.points if n == cell.name or n in bound_names(cell.text))
        return next(names, "")

    def _source_line(self, error: StudentError) -> str:
        """Return the line that raised an error."""
        number, line = error.places[0] if error.places else (None, None)
        lines = next((cell.text.splitlines() for cell in self.code if cell.number == number), [])
        return lines[line - 1].strip() if line and line <= len(lines) else ""
