"""Records which operators torch runs during a call, with torch's profiler.

The profiler works below Python and does not change results. It sees every operator before the operator's
kernel runs, including the operators inside a composite operator such as conv1d. A timer collects the
profiler's events every 0.1 seconds. Otherwise, the events of an endless loop would fill the memory.

Operators in other threads are not recorded. If another thread computes during the call, the record says that
operators were lost. The submission can tamper with the record, so a missing operator may still have run.
"""

import signal
import time
from collections.abc import Iterator
from typing import Any

from autograder.worker.core import core

LOST = "python::lost"  # an entry with this name says that some operators could not be recorded
_MAX_OPERATORS = 200  # largest number of different names in one reply
_MAX_NAME = 80  # largest length of a name, in characters
_CORE = "aten::"
# To print a tensor, torch runs this operator, which counts elements with `sum`. This `sum` is not recorded.
_OF_PRINTING = "aten::masked_select"
_MARK = "__start_profile"  # the profiler's own first event
_SECONDS = 0.1  # time between two collections of events
# Operators that copy a result into a message. They compute nothing.
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
        self._others = 0  # upper bound of other threads' processor time before the block, in nanoseconds

    @property
    def operators(self) -> list[str]:
        """The names so far, sorted, without torch's prefix `aten::`."""
        names = sorted(name.removeprefix(_CORE)[:_MAX_NAME] for name in self._names)
        return names if len(names) <= _MAX_OPERATORS else [*names[: _MAX_OPERATORS - 1], LOST]

    def ignore_copies(self) -> None:
        """From now on, leave out the operators that only copy a result into a message."""
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
        self._names.update({name for name in names if "::" in name} - left_out)  # only operators have "::"
        if _MARK not in names:
            self._names.add(LOST)

    def _empty(self, *_: object) -> None:
        """Move the profiler's events so far into the record, and start the profiler again."""
        if self._running:
            self._stop()
            self._start()


def _other_threads() -> tuple[int, int]:
    """Return an upper and a lower bound for the processor time of other threads so far, in nanoseconds."""
    before = time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)
    process = time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID)
    return process - before, process - time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)


def checked_operators(said: object) -> frozenset[str]:
    """Return the operators in a worker's reply, with LOST in place of malformed entries."""
    names = said if isinstance(said, list) and len(said) <= _MAX_OPERATORS else [None]
    return frozenset(name if isinstance(name, str) and len(name) <= _MAX_NAME else LOST for name in names)


def _names(events: list[Any]) -> Iterator[str]:
    """Yield the names of the operators, except operators that run inside `_OF_PRINTING`."""
    kind_of, name_of = core().event_kind, core().event_name
    printing = 0  # number of unfinished operators: `_OF_PRINTING` and operators inside it
    for event in events:
        match kind_of(event):
            case "pop":
                printing = max(printing - 1, 0)
            case "push" if printing:
                printing += 1
            case _:
                yield (name := name_of(event))
                printing = int(name == _OF_PRINTING)
