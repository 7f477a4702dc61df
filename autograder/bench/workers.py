"""Changes this program's workers for a measurement: they raise no walls, or count a submission's own work."""

import inspect

from autograder.bench import worker_clock
from autograder.bench.worker_clock import TAKEN
from autograder.sandbox import bubblewrap, launch
from autograder.sandbox.process import Worker
from autograder.worker.protocol import Header, Tensors

_NO_WALLS = "import autograder.worker.walls as wall; wall.confine = lambda limits: []; "


def lower_the_walls() -> None:
    """Make zygotes start without bubblewrap, and their workers raise no wall."""
    _begin_with(_NO_WALLS)
    bubblewrap.program = lambda: None


class OwnWork:
    """The processor time that submissions themselves needed in this program's workers, in seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def watch(self) -> None:
        """Have workers count from now on, and add up what they say."""
        _begin_with(f"exec({inspect.getsource(worker_clock)!r}); install(); ")
        ask = Worker.ask

        def asked(worker: Worker, header: Header, tensors: Tensors, seconds: float) -> tuple[Header, Tensors]:
            reply, answered = ask(worker, header, tensors, seconds)
            self.seconds += reply.pop(TAKEN, 0.0)
            return reply, answered

        Worker.ask = asked  # type: ignore[method-assign, assignment]


def _begin_with(code: str) -> None:
    """Let each zygote run some code before it starts."""
    command = launch.zygote_command

    def changed(descriptor: int) -> list[str]:
        python, isolated, option, start, *words = command(descriptor)
        imported = start.index("from autograder.worker.zygote")
        return [python, isolated, option, start[:imported] + code + start[imported:], *words]

    launch.zygote_command = changed
