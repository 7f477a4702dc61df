"""Records which operators torch runs during a call, in torch's own core and not in Python.

The recorder is torch's profiler of operators, which every operator passes on its way to a kernel: those that
a composite such as conv1d is made of, too. It changes no number. Its events would fill the memory during an
endless loop, so an alarm empties them now and then.

Operators of another thread are not recorded. But if another thread computes meanwhile, the recorder says that
operators were lost. All this happens on the submission's side, where it can be tampered with. What is missing
proves nothing.
"""

import signal
import time
from collections.abc import Iterator
from typing import Any

from autograder.worker.core import core

LOST = "python::lost"  # stands among the operators where some could not be recorded
_MAX_OPERATORS = 200  # distinct names in one answer
_MAX_NAME = 80  # characters
_CORE = "aten::"
_OF_PRINTING = "aten::masked_select"  # printing a tensor runs it; the sum inside it counts what it selects
_MARK = "__start_profile"  # the event that the profiler itself puts first
_SECONDS = 0.1  # after which the alarm empties the events
# What copying an answer runs: it computes nothing.
_COPYING = frozenset(
    f"{_CORE}{name}"
    for name in (
        "alias",
        "as_strided",
        "clone",
        "copy_",
        "detach",
        "empty_like",
        "empty_strided",
        "empty",
        "permute",
    )
)


class Recorder:
    """Gathers the names of the operators that run inside its `with` block, in this thread."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._running = False
        self._copies = False
        self._handler: Any = None
        self._others = 0

    @property
    def operators(self) -> list[str]:
        """The names so far, in order, without torch's own prefix."""
        names = sorted(name.removeprefix(_CORE)[:_MAX_NAME] for name in self._names)
        return names if len(names) <= _MAX_OPERATORS else [*names[: _MAX_OPERATORS - 1], LOST]

    def copies(self) -> None:
        """Leave out from now on what copies an answer that is sent."""
        self._empty()
        self._copies = True

    def __enter__(self) -> "Recorder":
        self._others, _ = _other_threads()
        self._handler = signal.signal(signal.SIGALRM, self._empty)
        self._running = True
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._running = False
        self._stop()
        signal.signal(signal.SIGALRM, self._handler)
        if _other_threads()[1] > self._others:
            self._names.add(LOST)

    def _start(self) -> None:
        try:
            core().enable_profiler(core().profiler_config)
        except RuntimeError:  # the submission runs a profiler of its own
            self._names.add(LOST)
        signal.setitimer(signal.ITIMER_REAL, _SECONDS)

    def _stop(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            events = core().disable_profiler()
        except RuntimeError:
            events = []
        names = [name for of_thread in events for name in _names(of_thread)]
        left_out = _COPYING if self._copies else frozenset()
        self._names.update({name for name in names if "::" in name} - left_out)  # others are scopes
        if _MARK not in names:
            self._names.add(LOST)

    def _empty(self, *_: object) -> None:
        """Take over the events so far, and begin again."""
        if self._running:
            self._stop()
            self._start()


def _other_threads() -> tuple[int, int]:
    """Return the nanoseconds that other threads of this process have computed: at most, and at least."""
    before = time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)
    process = time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID)
    return process - before, process - time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)


def checked_operators(said: object) -> frozenset[str]:
    """Return the operators that a worker's answer names, and LOST for whatever is no list of names."""
    names = said if isinstance(said, list) and len(said) <= _MAX_OPERATORS else [None]
    return frozenset(name if isinstance(name, str) and len(name) <= _MAX_NAME else LOST for name in names)


def _names(events: list[Any]) -> Iterator[str]:
    """Yield the name of each event that begins something; of printing, without what that is made of."""
    kind_of, name_of = core().event_kind, core().event_name
    printing = 0  # how many events that have not ended are within it, itself included
    for event in events:
        match kind_of(event):
            case "pop":
                printing = max(printing - 1, 0)
            case "push" if printing:
                printing += 1
            case _:
                yield (name := name_of(event))
                printing = int(name == _OF_PRINTING)
