"""Runs a submission's cells in a worker process, and sends the calls of hidden tests to the worker.

If a cell hangs or ends the worker, a new worker runs the other cells.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course.code import MAX_RUN_DOTS, quick_to_run
from autograder.course.names import checked_question
from autograder.course.settings import Limits
from autograder.grading.graded import MAX_SHOWN, CellResult, Output, checked_outputs
from autograder.report.report import Verdict
from autograder.sandbox.errors import ZygoteError
from autograder.sandbox.process import DeadlineError, DiedError, Worker
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import ExhaustedError, LostError, Reply, StudentError
from autograder.worker.protocol import Header, Parts, ProtocolError
from autograder.worker.remote_function import Answer

MAX_RESTARTS = 8
_MAX_CHANGED = 1000  # greatest number of names per question that a worker can report as changed
_LEAST_SECONDS = 0.1  # a request gets at least this many seconds, whatever is left
_LATER_SHARE = 0.25  # fraction of `total_seconds` that each session after the first gets
_WITH_CHECKS = 4  # number of starts with visible checks; later ones leave checks out, because each may hang
MAX_RECEIVED = 64 << 20  # greatest number of bytes in all replies to a session, which the grader stores
_CELL = re.compile(r'(?m)(?<=File ")cell (\d{1,6})(?=", line )|^cell (\d{1,6})(?=:\d+: \w*Warning: )')
_DRAWS = re.compile("plot|hist|pylab")  # matches code that may use matplotlib, also through other packages
_LOST = (DeadlineError, DiedError, ProtocolError, ExhaustedError)  # errors after which the worker is gone


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The reason why a cell is not run, and the verdict on questions that the cell answers."""

    verdict: Verdict
    why: str  # what the cell did, for the student to read


_LONG_NAME = LeftOut(Verdict.CRASHED, f"contains a name with more than {MAX_RUN_DOTS:,} dots and was not run")


@dataclass(slots=True)
class Budget:
    """The seconds of computing and sleeping that are left for all sessions of one submission together."""

    left: float
    whole: "Budget | None" = None  # the budget of which this is a part

    def part(self, seconds: float) -> "Budget":
        """Return a part of the budget with `seconds` seconds. If less is left, the part has 0 seconds."""
        return Budget(seconds if self.left >= seconds else 0.0, self)

    def spend(self, seconds: float) -> None:
        """Take seconds from what is left."""
        self.left -= seconds
        if self.whole is not None:
            self.whole.spend(seconds)


@dataclass(frozen=True, slots=True)
class Given:
    """Right answers to earlier questions, which replace the answers in the notebook."""

    names: tuple[str, ...]
    code: str  # marshalled, in base64


class Session:
    """One submission and the worker in which it runs; use it in a `with` block.

    1. `start` runs the notebook. A cell that hangs, crashes or sends an invalid reply ends the worker. Then
       the cell is added to `lost`, and a new worker runs the other cells. A cell that Python would take too
       long to parse is in `lost` from the beginning.
    2. `ask` sends a request of a hidden test to the worker. It raises an error if the worker ends, and the
       next request starts a new worker.

    `kept_after` has, by question, the number of the cell after which the worker saves the notebook's
    variables. The question's tests use them or, if it is in `judged_at_end`, the variables at the end of the
    notebook. `changed_later` has, by question, the names that later cells changed.

    After the first request, a worker may know hidden inputs. So `results`, `lost` and `changed_later` no
    longer change: later runs of the cells cannot bring hidden inputs into the report.

    A worker numbers its cells from 0, without text cells. The session replaces these numbers in errors and
    tracebacks by those in the file.
    """

    def __init__(
        self,
        zygote: Zygote,
        cells: Sequence[NotebookCell],
        limits: Limits,
        left_out: Collection[int] = (),
        given: Given | None = None,
        budget: Budget | None = None,
        kept_after: Mapping[str, int] = {},
    ) -> None:
        self.cells, self.limits = cells, limits
        self.judged_at_end: set[str] = set()
        self.changed_later: dict[str, frozenset[str]] = {}
        self.results: dict[int, CellResult] = {}  # the results of cells, by cell number
        slow = (cell.number for cell in cells if not quick_to_run(cell.text))
        # By number of a cell that is not run: the reason.
        self.lost = {number: _LONG_NAME for number in slow if number not in left_out}
        self._zygote, self._given, self._kept_after = zygote, given, kept_after
        self._left_out = {*left_out, *self.lost}  # numbers of the cells that are no longer run
        self._worker: Worker | None = None
        self._sent: list[int] = []  # numbers of the cells that were sent to the current worker, in order
        self._asked = False
        self._starts = 0
        self._left_to_show = MAX_SHOWN
        self._left_to_receive = MAX_RECEIVED
        self._budget = budget or Budget(limits.total_seconds)
        self._spent = 0.0  # seconds of the current worker that are already taken from the budget
        self.failure: ZygoteError | None = None  # a failure of the sandbox, after which results may be wrong

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def start(self) -> None:
        """Run the notebook from top to bottom. If a cell ends the worker, start again without this cell."""
        while self._worker is None and self._starts <= MAX_RESTARTS and self._budget.left > 0:
            self._starts += 1
            if any(_DRAWS.search(cell.text) for cell in self.cells):
                self._zygote.load_figures()
            self._worker = self._zygote.fork(self.limits)
            self._spent, self._sent = self._worker.seconds, []
            results, self._left_to_show = dict[int, CellResult](), MAX_SHOWN
            cells = list(self._kept_cells())
            try:
                self._stand_in(self._worker)
                for cell, after in zip(cells, [*cells[1:], None], strict=False):
                    results[cell.number] = self._run(self._worker, cell, after.number if after else None)
            except _LOST as error:
                self._close()
                self._left_out.add(cell.number)
                if not self._asked:
                    self.lost[cell.number] = _left_out(error, self.limits)
            if not self._asked:
                self.results = results

    def ask(self, header: Header, tensors: Parts, answer: Answer | None = None) -> Reply:
        """Send a request of a hidden test to the worker, or to a new one, and return the reply."""
        if header.get("question") in self.judged_at_end:
            header = {**header, "question": ""}
        try:
            worker = self._ready()
            before = worker.received
            reply, sent = self._ask(worker, header, tensors, self.limits.call_seconds, answer)
            self._left_to_receive -= worker.received - before
            if self._left_to_receive < 0:
                raise ProtocolError("a submission's replies are too large")
        except _LOST as error:
            self._close()
            raise _lost(error, self.limits) from error
        except ZygoteError as error:
            self.failure = error
            raise
        return self._numbered(reply), sent

    def define(self, code: str) -> bool:
        """Run definitions that are not in the notebook. Return True if they raised no error."""
        try:
            return "error" not in self.ask({"op": "edit", "source": code}, [])[0]
        except LostError:
            return False

    def another(
        self,
        cells: Sequence[NotebookCell],
        given: Given | None = None,
        limits: Limits | None = None,
        *,
        keeps_states: bool = True,
    ) -> "Session":
        """Return a session for a later run of this submission, without the cells in `lost`.

        The session gets a fixed number of seconds, or 0 seconds if less is left in the budget. With all
        remaining seconds, its worker could learn how long earlier workers needed for hidden inputs.
        """
        limits = limits or self.limits
        budget = self._budget.part(limits.total_seconds * _LATER_SHARE)
        later = Session(
            self._zygote, cells, limits, self.lost, given, budget, self._kept_after if keeps_states else {}
        )
        later.judged_at_end = self.judged_at_end
        return later

    def may_open(self, limits: Limits) -> bool:
        """Whether enough seconds are left for another session."""
        return self._budget.left >= limits.total_seconds * _LATER_SHARE

    def apart(self, cells: Sequence[NotebookCell], limits: Limits) -> "Session":
        """Return a session that runs these cells instead of the submission's cells."""
        return Session(self._zygote, cells, limits)

    def _ready(self) -> Worker:
        """Return a worker in which the notebook has run, or raise ExhaustedError if no seconds are left."""
        self.start()
        self._asked = True
        if self._worker is None or self._budget.left <= 0:
            raise ExhaustedError
        return self._worker

    def _stand_in(self, worker: Worker) -> None:
        if self._given is not None:
            request = {"op": "stand in", "names": list(self._given.names), "code": self._given.code}
            self._ask(worker, request, [], self.limits.call_seconds)

    def _kept_cells(self) -> Iterator[NotebookCell]:
        kept = (cell for cell in self.cells if cell.number not in self._left_out)
        return (cell for cell in kept if checked_question(cell.name) is None or self._may_check(cell))

    def _may_check(self, cell: NotebookCell) -> bool:
        """Whether to run a visible check: only in the first _WITH_CHECKS starts.

        After the first request of a test, checks that have raised an error are left out, too.
        """
        result = self.results.get(cell.number)
        has_known_error = self._asked and result is not None and result.error is not None
        return self._starts <= _WITH_CHECKS and not has_known_error

    def _run(self, worker: Worker, cell: NotebookCell, following: int | None) -> CellResult:
        """Run a cell. If questions are judged after this cell, the worker saves the notebook's variables.

        `following` is the number of the next cell. After the last one, the worker reports changed names.
        """
        request: Header = {"op": "cell", "number": len(self._sent), "code": cell.text}
        judged = [
            question
            for question, after in self._kept_after.items()
            if cell.number <= after and (following is None or after < following)
        ]
        if judged or (following is None and self._kept_after):
            request["keep"] = {"questions": judged, "last": following is None}
        self._sent.append(cell.number)
        reply, _ = self._ask(worker, request, [], self.limits.cell_seconds)
        if following is None and not self._asked:
            self.changed_later = dict(_changed(reply.get("changed")))
        return self._result(self._numbered(reply))

    def _numbered(self, reply: Header) -> Header:
        """Return the reply. If it has an error, the error's cell numbers become those in the file."""
        match reply:
            case {"error": {"places": list(claimed)} as error}:
                numbers = dict(enumerate(self._sent))
                two = (place for place in claimed if isinstance(place, list) and len(place) == 2)
                places = [[numbers[n], line] for n, line in two if type(n) is int and n in numbers]
                return {**reply, "error": {**error, "places": places}}
        return reply

    def _traced(self, output: Output) -> Output:
        """Return an output whose tracebacks number the cells as in the file, counted from 1."""
        titles = {str(n): f"cell {number + 1} of the notebook" for n, number in enumerate(self._sent)}
        text = _CELL.sub(lambda match: titles.get(match[1] or match[2], match[0]), output.text)
        return replace(output, text=text)

    def _ask(
        self, worker: Worker, header: Header, tensors: Parts, seconds: float, answer: Answer | None = None
    ) -> Reply:
        """Send a request to a worker and return the reply. Subtract the seconds used from the budget."""
        try:
            return worker.ask(header, tensors, min(seconds, max(self._budget.left, _LEAST_SECONDS)), answer)
        except DeadlineError as error:
            self._spend(worker)
            if self._budget.left <= 0:
                raise ExhaustedError from error
            raise
        finally:
            self._spend(worker)

    def _spend(self, worker: Worker) -> None:
        self._budget.spend(worker.seconds - self._spent)
        self._spent = worker.seconds

    def _result(self, reply: Header) -> CellResult:
        outputs = tuple(map(self._traced, checked_outputs(reply.get("outputs"), self._left_to_show)))
        self._left_to_show -= sum(output.size for output in outputs)
        error = reply.get("error")
        return CellResult(outputs, StudentError(error) if isinstance(error, dict) else None)

    def _close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None


def _changed(said: object) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each question with the names that later cells changed, from a worker's report `said`."""
    for question, names in said.items() if isinstance(said, dict) else ():
        listed = names[:_MAX_CHANGED] if isinstance(names, list) else ()
        yield question, frozenset(name for name in listed if isinstance(name, str))


def _left_out(error: Exception, limits: Limits) -> LeftOut:
    match error:
        case ExhaustedError():
            why = f"was stopped, because the whole notebook may run for at most {limits.total_seconds:g} s"
            return LeftOut(Verdict.TIMED_OUT, why)
        case DeadlineError(slept=slept):
            did = "waited" if slept else "computed"
            why = f"{did} for longer than {limits.cell_seconds:g} s and was stopped"
            return LeftOut(Verdict.TIMED_OUT, why)
        case DiedError(reason=reason):
            return LeftOut(Verdict.CRASHED, f"ended the program: {reason}")
    return LeftOut(
        Verdict.CRASHED,
        "was stopped, because the program that ran it sent the grader something that is not a valid reply",
    )


def _lost(error: Exception, limits: Limits) -> LostError:
    """Return the error that a hidden test gets if its call ended the worker."""
    match error:
        case ExhaustedError():
            return ExhaustedError()
        case DeadlineError(slept=slept):
            endless = ("computed", "Is there a loop that never ends?")
            did, asks = ("waited", "What does it wait for?") if slept else endless
            return LostError(
                Verdict.TIMED_OUT, f"A call {did} for longer than {limits.call_seconds:g} s. {asks}"
            )
        case DiedError(reason=reason):
            return LostError(Verdict.CRASHED, f"A call ended the program: {reason}.")
    return LostError(
        Verdict.CRASHED,
        "After a call, the program that runs your code sent something that is not a valid reply.",
    )
