"""Workers that do as a test says, where a real one would be slow or could not be made to."""

from collections.abc import Callable

from autograder.course.settings import Limits
from autograder.sandbox.process import DeadlineError, Worker
from autograder.sandbox.zygote import Zygote
from autograder.worker.protocol import Header, Parts

Answers = Callable[[Header], Header | tuple[Header, Parts]]


class ScriptedWorker(Worker):
    """A worker that answers from a function, which may raise what a real one would raise."""

    seconds = 0.0

    def __init__(self, answers: Answers, size: int = 0, takes: float = 0.0) -> None:
        self.received = 0
        self.closed = False
        self.asked: list[Header] = []
        self._answers = answers
        self._size = size  # bytes of each answer
        self._takes = takes  # seconds for each answer

    def ask(self, header: Header, tensors: Parts, seconds: float) -> tuple[Header, Parts]:
        self.asked.append({**header, "seconds": seconds})
        self.received += self._size
        self.seconds += min(self._takes, seconds)
        if self._takes > seconds:
            raise DeadlineError
        answer = self._answers(header)
        return answer if isinstance(answer, tuple) else (answer, [])

    def close(self) -> None:
        self.closed = True


class ScriptedZygote(Zygote):
    """A zygote of scripted workers; `forked` are all that it has made."""

    def __init__(self, answers: Answers = lambda _: {}, size: int = 0, takes: float = 0.0) -> None:
        self.forked: list[ScriptedWorker] = []
        self._answers = answers
        self._size, self._takes = size, takes

    def fork(self, limits: Limits) -> Worker:
        self.forked.append(ScriptedWorker(self._answers, self._size, self._takes))
        return self.forked[-1]
