"""Records which operators torch runs during a call, in torch's own core and not in Python.

The recorder is torch's profiler of operators, which every operator passes on its way to a kernel: those that
a composite such as conv1d is made of, too. It changes no number. Its events would fill the memory during an
endless loop, so an alarm empties them now and then.

All this happens on the submission's side, where it can be tampered with. What is missing proves nothing.
"""

import signal
import sys
from collections.abc import Iterator
from typing import Any

LOST = "python::lost"  # stands among the operators where some could not be recorded
_MAX_OPERATORS = 200  # distinct names in one answer
_MAX_NAME = 80  # characters
_CORE = "aten::"
_OF_PRINTING = "aten::masked_select"  # printing a tensor runs it; the sum inside it counts what it selects
_MARK = "__start_profile"  # the event that the profiler itself puts first
_SECONDS = 0.1  # after which the alarm empties the events
_OFF = (False,) * 5  # neither shapes nor memory, stacks, floating-point operations or modules


class Recorder:
    """Gathers the names of the operators that run inside its `with` block, in this thread."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._running = False
        self._handler: Any = None

    @property
    def operators(self) -> list[str]:
        """The names so far, in order, without torch's own prefix."""
        names = sorted(name.removeprefix(_CORE)[:_MAX_NAME] for name in self._names)
        return names if len(names) <= _MAX_OPERATORS else [*names[: _MAX_OPERATORS - 1], LOST]

    def __enter__(self) -> "Recorder":
        self._handler = signal.signal(signal.SIGALRM, self._empty)
        self._running = True
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._running = False
        self._stop()
        signal.signal(signal.SIGALRM, self._handler)

    def _start(self) -> None:
        core = sys.modules["torch._C"]  # which a course need not have
        profiler: Any = core._profiler
        config = profiler.ProfilerConfig(profiler.ProfilerState.CPU, *_OFF, profiler._ExperimentalConfig())
        try:
            core._autograd._enable_profiler_legacy(config)
        except RuntimeError:  # the submission runs a profiler of its own
            self._names.add(LOST)
        signal.setitimer(signal.ITIMER_REAL, _SECONDS)

    def _stop(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            events = sys.modules["torch._C"]._autograd._disable_profiler_legacy()
        except RuntimeError:
            events = []
        names = [name for of_thread in events for name in _names(of_thread)]
        self._names.update(name for name in names if "::" in name)  # others are scopes, not operators
        if _MARK not in names:
            self._names.add(LOST)

    def _empty(self, *_: object) -> None:
        """Take over the events so far, and begin again."""
        if self._running:
            self._stop()
            self._start()


def checked_operators(said: object) -> frozenset[str]:
    """Return the operators that a worker's answer names, and LOST for whatever is no list of names."""
    names = said if isinstance(said, list) and len(said) <= _MAX_OPERATORS else [None]
    return frozenset(name if isinstance(name, str) and len(name) <= _MAX_NAME else LOST for name in names)


def _names(events: list[Any]) -> Iterator[str]:
    """Yield the name of each event that begins something; of printing, without what that is made of."""
    printing = 0  # how many events that have not ended are within it, itself included
    for event in events:
        match event.kind():
            case "pop":
                printing = max(printing - 1, 0)
            case "push" if printing:
                printing += 1
            case _:
                yield (name := event.name())
                printing = int(name == _OF_PRINTING)
