"""A submission at work: its notebook run in a worker, run again without what hangs or dies, then asked."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograder.course.limits import Limits
from autograder.course.names import checked_question
from autograder.grading import leaks as discretion
from autograder.report.outputs import Output, checked_outputs
from autograder.sandbox.process import DeadlineError, DiedError, Worker
from autograder.sandbox.zygote import Zygote
from autograder.testing.student import Exchange, StudentError
from autograder.worker.protocol import Header, ProtocolError, Tensors

MAX_RESTARTS = 8
MAX_SHOWN = 16 << 20  # characters that a whole notebook may show
MAX_RECEIVED = 512 << 20  # bytes of a submission's answers: the grader remembers them while it judges


class ExhaustedError(DeadlineError):
    """The submission as a whole has used up its time, or its fresh starts."""


@dataclass(frozen=True, slots=True)
class CodeCell:
    """A code cell to run; `number` is its place among all the notebook's cells."""

    number: int
    code: str
    name: str = ""  # its grade_id, if the notebook still has one


@dataclass(frozen=True, slots=True)
class Result:
    """What running one cell came to."""

    outputs: tuple[Output, ...]
    error: StudentError | None


@dataclass
class Session:
    """A running submission; `ask` makes it a backend for hidden tests."""

    zygote: Zygote
    cells: tuple[CodeCell, ...]
    limits: Limits
    results: dict[int, Result] = field(default_factory=dict)  # by cell number
    lost: dict[int, str] = field(default_factory=dict)  # by cell number: why it was left out

    def __post_init__(self) -> None:
        self._worker: Worker | None = None
        self._witness: Worker | None = None
        self._restarts = 0
        self._room = MAX_SHOWN
        self._left_to_receive = MAX_RECEIVED
        self._end = time.monotonic() + self.limits.total_seconds

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *exception: object) -> None:
        self._close()
        if self._witness is not None:
            self._witness.close()

    def start(self) -> None:
        """Run the notebook top to bottom; a cell that hangs or kills the process is left out next time."""
        while self._worker is None and self._attempt():
            pass

    def ask(self, header: Header, tensors: Tensors) -> tuple[Header, Tensors]:
        """Answer one request of a hidden test; a worker that was lost is replaced first."""
        self.start()
        if self._worker is None or self._left() <= 0:
            raise ExhaustedError
        before = self._worker.received
        try:
            answer = self._worker.ask(header, tensors, min(self.limits.call_seconds, self._left()))
            self._left_to_receive -= self._worker.received - before
            if self._left_to_receive < 0:
                raise ProtocolError("a submission's answers are too large")
        except (DeadlineError, DiedError, ProtocolError):
            self._close()
            raise
        return answer

    def says_the_same(self, exchanges: Sequence[Exchange]) -> bool:
        """Whether a second worker that is asked with other numbers answers in the same words."""
        try:
            self._witness = self._witness or self._second()
            replies = [
                self._witness.ask(header, tensors, min(self.limits.call_seconds, self._left()))[0]
                for header, tensors in discretion.scrambled(exchanges)
            ]
        except (DeadlineError, DiedError, ProtocolError):
            self._witness = None
            return False
        return discretion.same_words(exchanges, replies)

    def _second(self) -> Worker:
        """Run the notebook once more, without its checks, which define nothing."""
        worker = self.zygote.fork(self.limits)
        try:
            for cell in self._kept_cells():
                if checked_question(cell.name) is None:
                    self._run(worker, cell)
        except BaseException:
            worker.close()
            raise
        return worker

    def _attempt(self) -> bool:
        """Run all cells in a fresh worker; return whether another attempt is worth it."""
        if self._restarts > MAX_RESTARTS or self._left() <= 0:
            return False
        self._restarts += 1
        worker = self.zygote.fork(self.limits)
        self.results = {}
        self._room = MAX_SHOWN
        for cell in self._kept_cells():
            try:
                self.results[cell.number] = self._shown(self._run(worker, cell))
            except (DeadlineError, DiedError, ProtocolError) as error:
                worker.close()
                self.lost[cell.number] = _why(error, self.limits)
                return True
        self._worker = worker
        return False

    def _kept_cells(self) -> Iterator[CodeCell]:
        return (cell for cell in self.cells if cell.number not in self.lost)

    def _run(self, worker: Worker, cell: CodeCell) -> Header:
        request = {"op": "cell", "number": cell.number, "code": cell.code}
        reply, _ = worker.ask(request, [], min(self.limits.cell_seconds, max(self._left(), 0.1)))
        return reply

    def _shown(self, reply: Header) -> Result:
        outputs = checked_outputs(reply.get("outputs"), self._room)
        self._room -= sum(output.size for output in outputs)
        error = reply.get("error")
        return Result(outputs, StudentError(error) if isinstance(error, dict) else None)

    def _left(self) -> float:
        return self._end - time.monotonic()

    def _close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None


def _why(error: Exception, limits: Limits) -> str:
    match error:
        case DeadlineError():
            return f"ran longer than {limits.cell_seconds:g} s and was stopped"
        case DiedError(reason=reason):
            return f"ended the program: {reason}"
    return "sent the grader something that is no answer"
