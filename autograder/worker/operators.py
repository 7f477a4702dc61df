"""Records in torch's core, below Python, which operators torch runs during a call.

The recorder is torch's profiler. It sees every operator before its kernel runs, including those inside a
composite operator such as conv1d. It does not change results. A timer collects the profiler's events every
0.1 seconds, because those of an endless loop would fill the memory.

Operators in other threads are not recorded. If another thread computes during the call, the record says that
operators were lost. A submission can tamper with the record, because the recorder runs in its process: an
operator that is missing from the record may have run.
"""

import signal
import time
from collections.abc import Iterator
from typing import Any

from autograder.worker.core import core

LOST = "python::lost"  # this entry says that some operators could not be recorded
_MAX_OPERATORS = 200  # distinct names in one answer
_MAX_NAME = 80  # characters
_CORE = "aten::"
_OF_PRINTING = "aten::masked_select"  # printing a tensor runs it; it runs `sum` only to count elements
_MARK = "__start_profile"  # the profiler's own first event
_SECONDS = 0.1  # between two collections of events by the alarm
# Operators that run when an answer is copied into a message; they compute nothing.
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
    """Collects the names of the operators that run in this thread inside its `with` block."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._running = False
        self._copies = False
        self._handler: Any = None
        self._others = 0  # an upper bound for the nanoseconds that other threads computed before the block

    @property
    def operators(self) -> list[str]:
        """The names so far, sorted, without torch's prefix `aten::`."""
        names = sorted(name.removeprefix(_CORE)[:_MAX_NAME] for name in self._names)
        return names if len(names) <= _MAX_OPERATORS else [*names[: _MAX_OPERATORS - 1], LOST]

    def ignore_copies(self) -> None:
        """From now on, leave out the operators that only copy an answer into a message."""
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
        self._names.update({name for name in names if "::" in name} - left_out)  # "::" is in each name
        if _MARK not in names:
            self._names.add(LOST)

    def _empty(self, *_: object) -> None:
        """Add the names of the events so far, and start a new recording."""
        if self._running:
            self._stop()
            self._start()


def _other_threads() -> tuple[int, int]:
    """Return an upper and a lower bound for the nanoseconds that other threads have computed so far."""
    before = time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)
    process = time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID)
    return process - before, process - time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)


def checked_operators(said: object) -> frozenset[str]:
    """Return the operators in a worker's answer, with LOST in place of malformed entries."""
    names = said if isinstance(said, list) and len(said) <= _MAX_OPERATORS else [None]
    return frozenset(name if isinstance(name, str) and len(name) <= _MAX_NAME else LOST for name in names)


def _names(events: list[Any]) -> Iterator[str]:
    """Yield the name of each operator that begins, except those that begin inside `_OF_PRINTING`."""
    kind_of, name_of = core().event_kind, core().event_name
    printing = 0  # operators that have not ended: `_OF_PRINTING` and those inside it
    for event in events:
        match kind_of(event):
            case "pop":
                printing = max(printing - 1, 0)
            case "push" if printing:
                printing += 1
            case _:
                yield (name := name_of(event))
                printing = int(name == _OF_PRINTING)
