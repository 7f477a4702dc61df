"""Explains a failed test to its student, by a run on inputs that may be shown.

The run takes place in a worker that has never met hidden inputs, so all that it says may be told: where an
error was raised and in which words, which shape came out, which value is wrong.
"""

from collections.abc import Sequence

from autograder.grading.location import Locator
from autograder.grading.session import ExhaustedError, Session
from autograder.grading.verdicts import other_kind
from autograder.report.report import TestReport, Verdict
from autograder.sandbox.process import DeadlineError, DiedError
from autograder.submission.matching import seems_to_define
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import NotDefinedError
from autograder.testing.expectations import NotJudged, Unmet
from autograder.testing.inputs import DISCLOSED
from autograder.testing.student_error import StudentError
from autograder.testing.suite import Suite, TestRun
from autograder.worker.protocol import ProtocolError

STUB = "raise NotImplementedError"


class Explainer:
    """Explains the failed tests of one submission; `session` tells what its cells did before any test."""

    def __init__(self, suite: Suite, cells: Sequence[NotebookCell], session: Session) -> None:
        self._suite = suite
        self._cells = {cell.number: cell for cell in cells}
        self._locator = Locator(suite.exercise, self._cells)
        self._session = session

    def explain(self, run: TestRun) -> TestReport:
        """Return the report on a failed test; its title alone where it passes with disclosed inputs."""
        verdict, hint = self._verdict(run)
        return TestReport(run.test.title, verdict, run.test.weight, hint)

    def _verdict(self, run: TestRun) -> tuple[Verdict, str]:
        match run.error:
            case None | ExhaustedError():
                return Verdict.FAILED, ""
            case NotJudged() as unseen:
                return Verdict.NOT_JUDGED, str(unseen)
            case Unmet() as unmet:
                return Verdict.FAILED, str(unmet)
            case StudentError() as error:
                return self._crash(error)
            case NotDefinedError(name=name):
                return self._not_defined(name)
            case DeadlineError(slept=slept):
                seconds = f"for longer than {self._session.limits.call_seconds:g} s"
                if slept:
                    return Verdict.TIMED_OUT, f"A call waited {seconds}. What does it wait for?"
                return Verdict.TIMED_OUT, f"A call computed {seconds}. Can its loop end?"
            case DiedError(reason=reason):
                return Verdict.CRASHED, f"A call ended the program: {reason}."
            case ProtocolError():
                return Verdict.CRASHED, "A call came back with something that is no answer."
        return Verdict.FAILED, other_kind(self._suite, run, DISCLOSED)

    def _crash(self, error: StudentError) -> tuple[Verdict, str]:
        where = self._locator.words(error)
        if error.type == "NotImplementedError" and self._locator.source_line(error).startswith(STUB):
            return Verdict.NOT_ATTEMPTED, f'Replace "{STUB}()" with your code.'
        if "PermissionError" in error.bases:
            return Verdict.BLOCKED, f"The sandbox refused this: {error.message}{where}"
        return Verdict.CRASHED, f"{error}{where}"

    def _not_defined(self, name: str) -> tuple[Verdict, str]:
        """Say why a name is missing: its cell was left out, its cell failed, or there is no such cell."""
        for number, cell in self._cells.items():
            if cell.name != name and not seems_to_define(cell.text, name):
                continue
            if left_out := self._session.lost.get(number):
                return left_out.verdict, f"The cell that defines {name} {left_out.why}."
            result = self._session.results.get(number)
            if result and result.error:
                why = f"{result.error}{self._locator.words(result.error)}"
                return Verdict.NOT_DEFINED, f"The cell that defines {name} fails: {why}"
        return Verdict.NOT_DEFINED, f"The notebook does not define {name}. Is it spelt as in the exercise?"
