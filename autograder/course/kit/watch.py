"""Keeps a running cell in hand: its time, Ctrl-C, what it prints, and what would end or stop pytest."""

from __future__ import annotations

import _thread
import builtins
import io
import os
import signal
import threading
import time
from typing import NoReturn

from autograder.worker.omission import NO_INPUT

MAX_SECONDS = 60  # for a cell; grading allows less
MAX_PRINTED = 20_000  # characters of what the cells of one question print


class Watch:
    """Ends a cell that runs for too long, and makes Ctrl-C end that cell alone.

    Meanwhile os._exit ends the cell and not pytest, and nobody answers input().
    """

    last_stop = 0.0

    def __enter__(self) -> Watch:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has it ignored
        self._done, self._late = threading.Event(), False
        threading.Thread(target=self._wait, daemon=True).start()
        self._process, self._replaced = os.getpid(), (os._exit, builtins.input)
        os._exit, builtins.input = self._exit, self._input
        return self

    def __exit__(self, *_: object) -> None:
        os._exit, builtins.input = self._replaced
        self._done.set()

    def _exit(self, status: int) -> NoReturn:
        if os.getpid() != self._process:  # a process that the cell has started
            self._replaced[0](status)
        raise SystemExit(status)

    @staticmethod
    def _input(*_: object) -> str:
        raise EOFError(NO_INPUT)

    def _wait(self) -> None:
        while not self._done.wait(MAX_SECONDS):  # more than once, since a bare `except` may catch it
            self._late = True
            _thread.interrupt_main()

    def stopped(self, error: KeyboardInterrupt) -> TimeoutError:
        """Return the error of a cell that was stopped; a second Ctrl-C in a row ends everything."""
        if not self._late and time.monotonic() - Watch.last_stop < 2:
            raise error
        Watch.last_stop = time.monotonic()
        why = f"ran longer than {MAX_SECONDS} s" if self._late else "still ran when you pressed Ctrl-C"
        return TimeoutError(f"{why}. Can its loop end?").with_traceback(error.__traceback__)


class Printed(io.StringIO):
    """What cells print, as far as anybody would read it; a loop may print for ever."""

    def write(self, text: str) -> int:
        """Keep the beginning."""
        room = max(0, MAX_PRINTED - self.tell())
        super().write(text[:room])
        return len(text)
