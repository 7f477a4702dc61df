"""Records which operators torch runs during a call, in torch's own core and not in Python.

The recorder is torch's profiler of operators, which every operator passes on its way to a kernel: those that
a composite such as conv1d is made of, those of TorchScript, and those that run while Python's own ways to
watch torch are switched off. It changes no number. Its events would fill the memory during an endless loop,
so an alarm empties them now and then.

All this happens on the submission's side, where it can be tampered with. What is missing proves nothing.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

from torch._C import _autograd, _profiler

MAX_OPERATORS = 200  # distinct names in one answer
MAX_NAME = 80  # characters
# These stand among the operators for what torch does not see.
THREAD = "python::thread"  # another thread was at work
LOST = "python::lost"  # the recorder was switched off before the call ended
MANY = "python::many"  # more operators than an answer may hold
_CORE = "aten::"
_OF_PRINTING = "aten::masked_select"  # printing a tensor runs it; the sum inside it counts what it selects
_MARK = "__start_profile"  # the event that the profiler itself puts first
_SECONDS = 0.1  # after which the alarm empties the events
_OFF = (False,) * 5  # neither shapes nor memory, stacks, floating-point operations or modules


class Recorder:
    """Gathers the names of the operators that run inside its `with` block, in this thread.

    Operators of other threads are not seen; that there was such a thread is.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._running = False
        self._handler: Any = None

    @property
    def operators(self) -> list[str]:
        """The names so far, in order, without torch's own prefix; at most MAX_OPERATORS of them."""
        names = sorted(name.removeprefix(_CORE)[:MAX_NAME] for name in self._names)
        return names if len(names) <= MAX_OPERATORS else [*names[: MAX_OPERATORS - 1], MANY]

    def __enter__(self) -> "Recorder":
        self._watch_threads()
        if threading.current_thread() is threading.main_thread():  # alarms reach no other
            self._handler = signal.signal(signal.SIGALRM, self._empty)
        self._running = True
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._running = False
        self._stop()
        if self._handler is not None:
            signal.signal(signal.SIGALRM, self._handler)
        threading.setprofile(None)

    def _start(self) -> None:
        config = _profiler.ProfilerConfig(_profiler.ProfilerState.CPU, *_OFF, _profiler._ExperimentalConfig())
        try:
            _autograd._enable_profiler_legacy(config)
        except RuntimeError:  # the submission runs a profiler of its own
            self._names.add(LOST)
        if self._handler is not None:
            signal.setitimer(signal.ITIMER_REAL, _SECONDS)

    def _stop(self) -> None:
        if self._handler is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            events = _autograd._disable_profiler_legacy()
        except RuntimeError:
            events = []
        names = [name for of_thread in events for name in _names(of_thread)]
        self._names.update(name for name in names if "::" in name)  # others are scopes, not operators
        if _MARK not in names:
            self._names.add(LOST)

    def _empty(self, *_: object) -> None:
        """Take over the events so far, and begin anew."""
        if self._running:
            self._stop()
            self._start()

    def _watch_threads(self) -> None:
        """Note threads that are there already, and those that begin during the call."""
        if len(sys._current_frames()) > 1:
            self._names.add(THREAD)

        def begun(frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG001
            self._names.add(THREAD)
            sys.setprofile(None)

        threading.setprofile(begun)


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
