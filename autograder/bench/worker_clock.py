"""Runs in workers that the bench measures: counts the processor time that a submission itself needs.

That is the time of its cells, and of its own code inside hidden tests' calls with the gradients that they ask
for; not the time of reading requests and writing answers. Each answer carries the time since the one before
it. A submission could write any number there, so the bench alone reads it, on a class that it has made up.

Time is that of the one thread in which all this runs: where a process has a limit of processor time, as here,
the kernel brings that of the process up to date at each tick alone, and most calls are shorter.

Nothing of ours can be imported behind the outer wall, so the text of this module becomes a part of the
command that starts a zygote.
"""

import functools
import time
from collections.abc import Callable
from typing import Any

TAKEN = "taken"  # the part of an answer that holds the seconds


class Clock:
    """Counts the processor time of some functions, once where one of them calls another."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._running = False

    def count(self, owner: Any, name: str) -> None:
        """Replace a function by one whose time counts."""
        function = getattr(owner, name)

        @functools.wraps(function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            if self._running:
                return function(*args, **kwargs)
            self._running, since = True, time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                self._running = False
                self._seconds += time.thread_time() - since

        setattr(owner, name, counted)

    def send_along(self, pack: Callable[..., bytes]) -> Callable[..., bytes]:
        """Return a function that packs an answer together with the seconds since the last one."""

        def packed(header: dict[str, Any], tensors: list[Any]) -> bytes:
            taken, self._seconds = self._seconds, 0.0
            return pack({**header, TAKEN: taken}, tensors)

        return packed


def install() -> None:
    """Have the zygote count its children's work, as soon as it is warm."""
    from autograder.worker import zygote

    warm_up = zygote._warm

    def warm_and_count() -> Any:
        warm = warm_up()
        import torch

        from autograder.worker import child, namespace, shell

        clock = Clock()
        clock.count(shell.Shell, "run")
        clock.count(namespace.Namespace, "_call")
        clock.count(torch.Tensor, "backward")
        child._packed = clock.send_along(child._packed)
        return warm

    zygote._warm = warm_and_count
