"""Turns what a hidden test met into a verdict and a hint that a student can use."""

import builtins

import torch

from autograder.course.exercise import Exercise
from autograder.grading import leaks as discretion
from autograder.grading.session import CodeCell, ExhaustedError, Session
from autograder.report.report import Outcome, Verdict
from autograder.report.text import one_line
from autograder.sandbox.process import DeadlineError, DiedError
from autograder.sandbox.zygote import ZygoteError
from autograder.submission.matching import seems_to_define
from autograder.testing.expect import Unmet
from autograder.testing.student import Exchange, NotDefinedError, StudentError
from autograder.testing.suite import Suite, TestRun
from autograder.worker.protocol import ProtocolError

STUB = "raise NotImplementedError"
_WITHHELD = "What came back is not what the question asks for."


class Judge:
    """Judges the hidden tests of one submission."""

    def __init__(self, suite: Suite, cells: tuple[CodeCell, ...], session: Session) -> None:
        self._suite = suite
        self._exercise: Exercise = suite.exercise
        self._cells = {cell.number: cell for cell in cells}
        self._session = session
        self.refused: dict[str, BaseException] = {}  # questions that hung or died: ask no more
        self._harmless: dict[tuple[str, ...], bool] = {}  # words that tell nothing of a test's inputs

    def outcome(self, run: TestRun) -> Outcome:
        """Return the verdict on one test, with its hint."""
        if isinstance(run.error, DeadlineError | DiedError | ProtocolError):
            self.refused.setdefault(run.test.question, run.error)
        verdict, hint = self._judge(run)
        return Outcome(run.test.question, run.test.title, verdict, run.test.weight, hint)

    def _judge(self, run: TestRun) -> tuple[Verdict, str]:
        match run.error:
            case None:
                return Verdict.PASSED, ""
            case Unmet() as unmet:
                return Verdict.FAILED, str(unmet) if self._tells_nothing(run) else _WITHHELD
            case StudentError() as error:
                return self._crash(error, run)
            case NotDefinedError(name=name):
                return self._missing(name)
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
        return self._unexpected(run)

    def _crash(self, error: StudentError, run: TestRun) -> tuple[Verdict, str]:
        if error.type == "NotImplementedError" and self._line(error).startswith(STUB):
            return Verdict.NOT_ATTEMPTED, f'Replace "{STUB}()" with your code.'
        if not self._tells_nothing(run):
            verdict = Verdict.BLOCKED if "PermissionError" in error.bases else Verdict.CRASHED
            kind = error.type if hasattr(builtins, error.type) else "an error of its own kind"
            return verdict, f"A call raised {kind}{self._place(error)}. Its words depend on hidden inputs."
        if "PermissionError" in error.bases:
            return Verdict.BLOCKED, f"The sandbox refused this: {error.message}{self._place(error)}"
        message = f": {error.message}" if error.message else ""
        return Verdict.CRASHED, f"{error.type}{message}{self._place(error)}"

    def _tells_nothing(self, run: TestRun) -> bool:
        """Whether the submission's own words in its answers can be shown: they know no hidden input."""
        said = [word for exchange in run.exchanges for word in discretion.words(exchange.reply[0])]
        if not said:
            return True
        key = (run.test.question, *said)
        if key not in self._harmless:
            self._harmless[key] = self._session.says_the_same(run.exchanges)
        return self._harmless[key]

    def _missing(self, name: str) -> tuple[Verdict, str]:
        for number, cell in self._cells.items():
            if cell.name != name and not seems_to_define(cell.code, name):
                continue
            if number in self._session.lost:
                why = self._session.lost[number]
                verdict = Verdict.TIMED_OUT if "longer than" in why else Verdict.CRASHED
                return verdict, f"The cell that defines {name} {why}."
            result = self._session.results.get(number)
            if result and result.error:
                why = f"{result.error}{self._place(result.error)}"
                return Verdict.NOT_DEFINED, f"The cell that defines {name} fails: {why}"
        return Verdict.NOT_DEFINED, f"The notebook does not define {name}. Is it spelt as in the exercise?"

    def _unexpected(self, run: TestRun) -> tuple[Verdict, str]:
        """Judge a test that itself raised: the answer's fault where its kind is not the reference's kind.

        `verify` has seen the test pass on the reference, so an answer of the same kind that breaks it
        is a defect of the test.
        """
        reference = self._suite.reference_runs[run.test.number].exchanges
        for right, seen in zip(reference, run.exchanges, strict=False):
            if (wanted := _kind(right)) != (got := _kind(seen)):
                return Verdict.FAILED, (
                    f"A call must give {wanted}, but it gave {got}."
                    if self._tells_nothing(run)
                    else _WITHHELD
                )
        return (
            Verdict.GRADER_ERROR,
            f'The hidden test "{run.test.title}" failed by itself. Your instructor will look.',
        )

    def _place(self, error: StudentError) -> str:
        """Say where in the notebook an error was raised: in the student's own code, if it passed there."""
        places = [place for place in error.places if place[0] in self._cells]
        if not places:
            return ""
        own = (place for place in places if self._cells[place[0]].code not in self._exercise.given)
        number, line = next(own, places[0])
        cell = self._cells[number]
        owner = next(
            (name for name in self._exercise.points if cell.name == name or seems_to_define(cell.code, name)),
            None,
        )
        ordinal = sorted(self._cells).index(number) + 1
        where = f"the cell of {owner}" if owner else f"code cell {ordinal}"
        return f" ({where}, line {line})" if line else f" ({where})"

    def _line(self, error: StudentError) -> str:
        """Return the very line that raised an error."""
        number, line = error.places[0] if error.places else (None, None)
        lines = self._cells[number].code.splitlines() if number in self._cells else []
        return lines[line - 1].strip() if line and line <= len(lines) else ""


def _kind(exchange: Exchange) -> str:
    """Say what sort of value an answer holds: enough to tell a usable one from an unusable one."""
    header, tensors = exchange.reply
    match header.get("value"):
        case None:
            return "None"
        case {"tensor": int(index)} if index < len(tensors):
            return _tensor_kind(tensors[index])
        case {"tuple": list(items)} | {"list": list(items)}:
            return f"{len(items)} values"
        case {"handle": _, "type": str(kind)}:
            return one_line(kind, 60)
        case {"dict": _}:
            return "a dict"
        case value:
            return f"a {type(value).__name__}"


def _tensor_kind(tensor: torch.Tensor) -> str:
    dtype = str(tensor.dtype).removeprefix("torch.")
    return f"a {dtype} tensor of shape {tuple(tensor.shape)}"
