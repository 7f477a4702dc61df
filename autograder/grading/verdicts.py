"""Turns what became of a hidden test into a verdict and a hint that a student can use."""

import builtins
from collections.abc import Sequence

from autograder.course.exercise import Exercise
from autograder.grading import leaks
from autograder.grading.session import ExhaustedError, Session
from autograder.report.report import TestReport, Verdict
from autograder.report.text import one_line
from autograder.sandbox.process import DeadlineError, DiedError
from autograder.sandbox.zygote import ZygoteError
from autograder.submission.matching import seems_to_define
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import Exchange, NotDefinedError, StudentError
from autograder.testing.expectations import Unmet
from autograder.testing.suite import Suite, TestRun
from autograder.worker.protocol import ProtocolError

STUB = "raise NotImplementedError"
_WITHHELD = "What came back is not what the question asks for."


class Verdicts:
    """The verdicts on one submission's tests, given one after another as the tests run.

    A hint holds a submission's own words only where these reveal no hidden input.
    """

    def __init__(self, suite: Suite, cells: Sequence[NotebookCell], session: Session) -> None:
        self._suite = suite
        self._cells = {cell.number: cell for cell in cells}
        self._locator = Locator(suite.exercise, self._cells)
        self._session = session
        self._lost: dict[str, BaseException] = {}  # by question: what lost the worker
        self._harmless: dict[tuple[str, ...], bool] = {}  # by words: whether they reveal no hidden input

    def report(self, run: TestRun) -> TestReport:
        """Return the report on one test: its verdict, and its hint."""
        if isinstance(run.error, DeadlineError | DiedError | ProtocolError):
            self._lost.setdefault(run.test.question, run.error)
        verdict, hint = self._verdict(run)
        return TestReport(run.test.title, verdict, run.test.weight, hint)

    def refused(self, question: str) -> BaseException | None:
        """Return why no more tests of a question are run: one of them hung, died or answered nonsense."""
        return self._lost.get(question)

    def _verdict(self, run: TestRun) -> tuple[Verdict, str]:
        match run.error:
            case None:
                return Verdict.PASSED, ""
            case Unmet() as unmet:
                return Verdict.FAILED, str(unmet) if self._reveals_no_input(run) else _WITHHELD
            case StudentError() as error:
                return self._crash(error, run)
            case NotDefinedError(name=name):
                return self._not_defined(name)
            case ExhaustedError():
                return Verdict.TIMED_OUT, "The notebook had used up its time before this could be tested."
            case DeadlineError():
                seconds = self._session.limits.call_seconds
                return Verdict.TIMED_OUT, f"A call did not come back within {seconds:g} s. Can its loop end?"
            case DiedError(reason=reason):
                return Verdict.CRASHED, f"A call ended the program: {reason}."
            case ProtocolError():
                return Verdict.CRASHED, "A call came back with something that is no answer."
            case ZygoteError() as failure:
                return Verdict.GRADER_ERROR, str(failure)
        return self._broken_test(run)

    def _crash(self, error: StudentError, run: TestRun) -> tuple[Verdict, str]:
        where = self._locator.words(error)
        if error.type == "NotImplementedError" and self._locator.source_line(error).startswith(STUB):
            return Verdict.NOT_ATTEMPTED, f'Replace "{STUB}()" with your code.'
        blocked = "PermissionError" in error.bases
        if not self._reveals_no_input(run):
            kind = error.type if hasattr(builtins, error.type) else "an error of its own kind"
            hint = f"A call raised {kind}{where}. Its words depend on hidden inputs."
            return Verdict.BLOCKED if blocked else Verdict.CRASHED, hint
        if blocked:
            return Verdict.BLOCKED, f"The sandbox refused this: {error.message}{where}"
        return Verdict.CRASHED, f"{error}{where}"

    def _reveals_no_input(self, run: TestRun) -> bool:
        """Whether the submission's own words in a run's answers can be shown to the student."""
        said = [word for exchange in run.exchanges for word in leaks.words(exchange.reply[0])]
        if not said:
            return True
        key = (run.test.question, *said)
        if key not in self._harmless:
            self._harmless[key] = self._session.reveals_no_input(run.exchanges)
        return self._harmless[key]

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

    def _broken_test(self, run: TestRun) -> tuple[Verdict, str]:
        """Give the verdict on a test that raised an error of its own.

        The submission is to blame where an answer is of another kind than the reference's. Otherwise the test
        is: `verify` has seen it pass on the reference, and here it breaks on an answer of the same kind.
        """
        reference = self._suite.reference_runs[run.test.number].exchanges
        for right, seen in zip(reference, run.exchanges, strict=False):
            if (expected := _kind(right)) != (actual := _kind(seen)):
                hint = f"A call must give {expected}, but it gave {actual}."
                return Verdict.FAILED, hint if self._reveals_no_input(run) else _WITHHELD
        hint = f'The hidden test "{run.test.title}" failed by itself. Your instructor will look.'
        return Verdict.GRADER_ERROR, hint


def _kind(exchange: Exchange) -> str:
    """Return words for the kind of an answer's value: its type, and the size of a tensor or a tuple."""
    header, tensors = exchange.reply
    match header.get("value"):
        case None:
            return "None"
        case {"tensor": int(index)} if index < len(tensors):
            dtype = str(tensors[index].dtype).removeprefix("torch.")
            return f"a {dtype} tensor of shape {tuple(tensors[index].shape)}"
        case {"tuple": list(items)} | {"list": list(items)}:
            return f"{len(items)} values"
        case {"handle": _, "type": str(kind)}:
            return one_line(kind, 60)
        case {"dict": _}:
            return "a dict"
        case value:
            return f"a {type(value).__name__}"


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
