"""Explains a failed test by a run on disclosed inputs, which students may see.

The worker of such a run has never received hidden inputs. So the student may read everything that it sends:
the line and message of an error, the shape of a result, the wrong value.
"""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from autograder.course.code import CodePart, bound_names, code_parts, dependencies, parsed
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.course.settings import Limits
from autograder.grading.outcomes import TestOutcome
from autograder.grading.session import Given, Session
from autograder.grading.states import STUB, as_judged, changing_cell
from autograder.report.report import AnswerLine, QuestionReport, TestReport, Verdict
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import StudentError
from autograder.testing.suite import Run
from autograder.worker.omission import LEFT_OUT

_REPLACE = f'Replace "{STUB}()" with your code.'
_MISSING_NAME = re.compile(r"name '(\w{1,100})' is not defined")
_REPAIR_CALL, _REPAIR_TOTAL = 1.0, 60.0  # seconds at most for a call of edited code, and for a session


@dataclass(frozen=True)
class RunSubmission:
    """A submission whose notebook has run in a session.

    Further sessions start in new workers, which have received no hidden inputs. There, the right answers in
    `given` replace the submission's answers to earlier questions.
    """

    exercise: Exercise
    code: Sequence[NotebookCell]  # all code cells
    session: Session  # the first session, which is closed before further sessions are opened
    given: Given | None = None
    # By question: the number of the code cell whose variables the question's tests use.
    judged_after: Mapping[str, int] = field(default_factory=dict)

    @property
    def cells(self) -> list[NotebookCell]:
        """The cells of the first session, without visible checks, which define nothing."""
        return [cell for cell in self.session.cells if checked_question(cell.name) is None]

    @cached_property
    def ran(self) -> list[NotebookCell]:
        """The cells that ran to their end or to an error."""
        return [cell for cell in self.session.cells if cell.number in self.session.results]

    @cached_property
    def statements(self) -> list[CodePart]:
        """The statements of the cells that ran."""
        return code_parts(cell.text for cell in self.ran)

    @property
    def unfinished(self) -> set[int]:
        """The indices, in `ran`, of the cells that an error may have stopped before their last statement.

        A cell that begins with a cell magic (%%) is included, because the magic may hide an error.
        """
        failed = {number for number, result in self.session.results.items() if result.error}
        return {
            at
            for at, cell in enumerate(self.ran)
            if cell.number in failed or cell.text.lstrip().startswith("%%")
        }

    def judged_statements(self, question: str) -> list[CodePart]:
        """Return the statements that define the variables of the question's tests (see `as_judged`)."""
        last = self.judged_after.get(question)
        if last is None or question in self.session.judged_at_end:
            return self.statements
        return as_judged(self.statements, last, self.ran)

    def line_of(self, question: str, at: int, line: int) -> str:
        """Return "line 3", or "line 3 of code cell 5" for a line outside the answer to `question`."""
        owner = self._question(self.ran[at])
        cell = f"the cell of {owner}" if owner else f"code cell {self._cell_position(self.ran[at])}"
        if not line:
            return cell
        return f"line {line}" if owner == question else f"line {line} of {cell}"

    def with_change_note(self, question: QuestionReport) -> QuestionReport:
        """Return the report with a note on a later cell that changes a name of the answer.

        No note is added if all tests pass with the variables at the question's check.
        """
        at_end = question.name in self.session.judged_at_end
        if question.verdict is Verdict.PASSED and not at_end:
            return question
        if not (change := self.later_change(question.name)):
            return question
        tested = "The tests ran without this change."
        if at_end:
            better = "The result with this change counts, because it is better."
            tested = f"The tests ran with and without this change. {better}"
        return replace(question, hint=f"{change} {tested} {question.hint}".rstrip())

    def later_change(self, question: str) -> str:
        """Return a sentence on a later cell that changes a name of the answer, or an empty text.

        The worker reports the changed names. The cells' code shows which cell changes a name.
        """
        changed = self.session.changed_later.get(question)
        if not changed or question not in self.judged_after:
            return ""
        last = self.judged_after[question]
        statements = as_judged(self.statements, last, self.ran)
        names = changed & {question, *dependencies(question, statements)[1]}
        if not names:
            return ""
        name = min(names, key=lambda name: (name != question, name))
        cell = changing_cell(name, last, self.statements, self.ran)
        where = f"Code cell {self._cell_position(cell)}" if cell else "A later cell"
        return f"{where} changes `{name}` after the check of this question."

    def open(self) -> Session:
        """Return a session in a new worker, without visible checks."""
        return self.session.another(self.cells, self.given)

    def open_for_repairs(self, needed: Container[int]) -> Session:
        """Return a session that runs the cells with numbers in `needed`, to try edited code.

        The session also runs the cells whose code the exercise gives, such as imports. Other cells must not
        affect an explanation, because submissions with the same answer share the explanation.
        """
        cells = [cell for cell in self.cells if cell.number in needed or cell.text in self.exercise.given]
        return self.session.another(cells, self.given, self._repair_limits, keeps_states=False)

    @property
    def may_try_repairs(self) -> bool:
        """Whether the budget has enough seconds left for a session to try edited code."""
        return self.session.may_open(self._repair_limits)

    def open_reference(self) -> Session:
        """Return a session that runs the cells of the reference, to try edits of an author's answer."""
        texts = enumerate(self.exercise.reference)
        cells = [NotebookCell(number, "code", text) for number, text in texts]
        return self.session.apart(cells, self._repair_limits)

    @property
    def _repair_limits(self) -> Limits:
        limits = self.session.limits
        call, total = min(limits.call_seconds, _REPAIR_CALL), min(limits.total_seconds, _REPAIR_TOTAL)
        return limits.model_copy(update={"call_seconds": call, "total_seconds": total})

    def explain(self, outcome: TestOutcome) -> TestReport:
        """Return the report on a test, with an explanation if its disclosed run failed."""
        report, run = outcome.report, outcome.disclosed
        if not outcome.failed or run is None or run.exhausted:
            return report
        if run.kind in (Verdict.PASSED, Verdict.GRADER_ERROR):
            return report
        if self._is_stub(outcome.test.question):
            verdict, hint = Verdict.NOT_ATTEMPTED, _REPLACE
        elif run.kind is Verdict.NOT_DEFINED:
            verdict, hint = self._not_defined(run.detail)
        elif isinstance(run.error, StudentError):
            verdict, hint = self._crash(run, run.error)
        else:
            verdict, hint = run.kind, run.detail
        return replace(report, verdict=verdict, hint=hint)

    def place(self, outcome: TestOutcome) -> AnswerLine | None:
        """Return the line of an answer at which a test's disclosed run raised an error, or None."""
        error = outcome.disclosed.error if outcome.disclosed else None
        raised_at = self._raised(error) if isinstance(error, StudentError) else None
        if raised_at is None or raised_at[1] is None or not (question := self._question(raised_at[0])):
            return None
        return AnswerLine(question, raised_at[1])

    def _crash(self, run: Run, error: StudentError) -> tuple[Verdict, str]:
        where = self.where(error)
        if error.type == "NotImplementedError" and self._source_line(error).startswith(STUB):
            return Verdict.NOT_ATTEMPTED, _REPLACE
        if run.kind is Verdict.BLOCKED:
            return run.kind, f"The sandbox refused this: {error.message}{where}"
        return run.kind, f"{run.detail}{where}{self.origin(error)}"

    def _is_stub(self, question: str) -> bool:
        """Whether each cell with an answer raised an error and has a line that begins with STUB."""
        cells = [cell for cell in self.code if question == cell.name or question in bound_names(cell.text)]
        results = {cell.number: self.session.results.get(cell.number) for cell in cells}
        return bool(cells) and all(
            (result := results[cell.number]) is not None
            and result.error is not None
            and any(line.startswith(STUB) for line in cell.text.splitlines())
            for cell in cells
        )

    def origin(self, error: StudentError) -> str:
        """Return a sentence on why a name is missing: its cell failed or was left out. Else return ""."""
        missing = missing_name(error)
        failed = {number: result.error for number, result in self.session.results.items() if result.error}
        for cell in reversed(self.code):
            if not missing or missing not in _bound(cell.text):
                continue
            if left_out := self.session.lost.get(cell.number):
                return f". Code cell {self._cell_position(cell)}, which defines `{missing}`, {left_out.why}"
            if why := failed.get(cell.number):
                return f". Code cell {self._cell_position(cell)}, which defines `{missing}`, fails: {why}"
        return ""

    def lacks_something(self, run: Run) -> bool:
        """Whether a run lacks a module, or a name whose cell failed or was left out."""
        error = run.error
        if not isinstance(error, StudentError):
            return False
        left_out = LEFT_OUT in error.message or bool(self.origin(error))
        return error.type == "ModuleNotFoundError" or (error.type == "NameError" and left_out)

    def _not_defined(self, name: str) -> tuple[Verdict, str]:
        """Return the verdict on an undefined name and the reason why the name is undefined."""
        for cell in self.code:
            if cell.name != name and name not in bound_names(cell.text):
                continue
            if cell.name == name and parsed(cell.text) == []:
                return Verdict.NOT_ATTEMPTED, "This answer is empty."
            if left_out := self.session.lost.get(cell.number):
                return left_out.verdict, f"The cell that defines {name} {left_out.why}."
            result = self.session.results.get(cell.number)
            if result and result.error:
                why = f"{result.error}{self.where(result.error)}"
                return Verdict.NOT_DEFINED, f"The cell that defines {name} fails: {why}"
        return (
            Verdict.NOT_DEFINED,
            f"The notebook does not define {name}. Is the name spelled as in the exercise?",
        )

    def where(self, error: StudentError) -> str:
        """Return " (the cell of softmax, line 3)", or an empty text if no cell is known."""
        if (raised_at := self._raised(error)) is None:
            return ""
        cell, line = raised_at
        question = self._question(cell)
        name = f"the cell of {question}" if question else f"code cell {self._cell_position(cell)}"
        return f" ({name}, line {line})" if line else f" ({name})"

    def _cell_position(self, cell: NotebookCell) -> int:
        """Return the position of a cell among the code cells, counted from 1."""
        return sorted(each.number for each in self.code).index(cell.number) + 1

    def _raised(self, error: StudentError) -> tuple[NotebookCell, int | None] | None:
        """Return the cell and the line at which an error was raised, or None.

        Cells whose code the exercise gives count only if there are no others.
        """
        cells = {cell.number: cell for cell in self.code}
        locations = [(cells[number], line) for number, line in error.places if number in cells]
        written = [(cell, line) for cell, line in locations if cell.text not in self.exercise.given]
        return next(iter(written or locations), None)

    def _question(self, cell: NotebookCell) -> str:
        """Return the question that a cell answers, or an empty text."""
        names = (n for n in self.exercise.points if n == cell.name or n in bound_names(cell.text))
        return next(names, "")

    def _source_line(self, error: StudentError) -> str:
        """Return the text of the line that raised an error, or an empty text."""
        number, line = error.places[0] if error.places else (None, None)
        lines = next((cell.text.splitlines() for cell in self.code if cell.number == number), [])
        return lines[line - 1].strip() if line and line <= len(lines) else ""


def missing_name(error: BaseException | None) -> str:
    """Return the undefined name in a NameError of the student's code, or ""."""
    if not isinstance(error, StudentError) or error.type != "NameError":
        return ""
    match = _MISSING_NAME.match(error.message)
    return match[1] if match else ""


def _bound(code: str) -> frozenset[str]:
    """Return the names that a cell binds, including imported names."""
    return bound_names(code).union(*(part.bound for part in code_parts([code])))
