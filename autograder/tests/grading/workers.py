"""Workers that do as a test says, where a real one would be slow or could not be made to."""

from collections.abc import Callable, Mapping

from autograder.course.settings import Limits
from autograder.sandbox.process import DeadlineError, Worker
from autograder.sandbox.zygote import Zygote
from autograder.worker.protocol import Header, Parts

Answer = Header | tuple[Header, Parts] | Exception
Answers = Callable[[Header], Answer]


class ScriptedWorker(Worker):
    """A worker that answers from a function, or raises an error that the function gives."""

    seconds = 0.0

    def __init__(self, answers: Answers, size: int = 0, takes: float = 0.0) -> None:
        self.received = 0
        self.closed = False
        self.asked: list[Header] = []
        self._answers = answers
        self._size = size  # bytes of each answer
        self._takes = takes  # seconds for each answer

    def ask(self, header: Header, tensors: Parts, seconds: float, *_: object) -> tuple[Header, Parts]:
        self.asked.append({**header, "seconds": seconds})
        self.received += self._size
        self.seconds += min(self._takes, seconds)
        if self._takes > seconds:
            raise DeadlineError
        answer = self._answers(header)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, tuple) else (answer, [])

    def close(self) -> None:
        self.closed = True


class ScriptedZygote(Zygote):
    """A zygote of scripted workers; `forked` are all that it has made.

    They answer from a function, or from a table: a cell by its code, and any other request by its "op".
    """

    def __init__(
        self, answers: Answers | Mapping[str, Answer] = lambda _: {}, size: int = 0, takes: float = 0.0
    ) -> None:
        self.forked: list[ScriptedWorker] = []
        table = {} if callable(answers) else answers
        self._answers = (
            answers if callable(answers) else lambda one: table.get(one.get("code", one["op"]), {})
        )
        self._size, self._takes = size, takes

    def fork(self, limits: Limits) -> Worker:
        self.forked.append(ScriptedWorker(self._answers, self._size, self._takes))
        return self.forked[-1]

    def cells_run(self) -> list[str]:
        """Return the code of the cells that each worker has run, of which each is a letter."""
        return ["".join(one["code"] for one in worker.asked if one["op"] == "cell") for worker in self.forked]
