"""Starts the markup process, sends it untrusted text, and gets harmless HTML or nothing."""

import atexit
import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import DEVNULL
from threading import Lock

import autograder

MAX_TEXT = 4 << 20  # characters of one text; no cell and no output that is kept has as many
MAX_SECONDS = 0.6  # of computing, for one text; what fits honest notebooks takes a quarter of that
_MAX_REPLY = 64 << 20  # bytes of JSON that come back for it
_PATIENCE = 60  # seconds by the clock, on a machine that has other things to do


@dataclass(frozen=True, slots=True)
class Rendered:
    """What became of one text: its HTML, or None, and how many seconds of computing that took."""

    html: str | None
    seconds: float


class Renderer:
    """Renders texts one after the other, in a markup process that it starts when it needs one."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._owner = os.getpid()
        atexit.register(self.end)

    def render(self, kind: str, text: str, seconds: float = MAX_SECONDS) -> Rendered:
        """Return what one of the functions in `markup.KINDS` makes of `text`, or nothing if that fails."""
        if len(text) > MAX_TEXT:
            return Rendered(None, 0.0)
        request = json.dumps({"kind": kind, "text": text, "seconds": seconds})
        with self._lock:
            self.process = self.process or self._start()
            try:
                self._channel.sendall(f"{request}\n".encode())
                reply = json.loads(self._stream.readline(_MAX_REPLY))
                rendered, worn = Rendered(reply["html"], float(reply["seconds"])), bool(reply["worn"])
            except (OSError, ValueError, KeyError, TypeError, RecursionError):
                rendered, worn = Rendered(None, seconds), True  # the process died over it
            if worn:
                self.end()
        return rendered

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-s", "-P", "-m", "autograder.report.markup"]
        environment = {"PYTHONPATH": str(Path(autograder.__file__).parents[1]), "LC_ALL": "C.UTF-8"}
        self._channel, theirs = socket.socketpair()
        self._channel.settimeout(_PATIENCE)
        self._stream = self._channel.makefile("rb")
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - our own code, by this Python
                command, stdin=theirs.fileno(), stdout=DEVNULL, stderr=DEVNULL, env=environment, cwd="/"
            )
        try:
            started = bool(self._stream.readline(1))
        except OSError:
            started = False
        if not started:
            self._end(process)
            raise RuntimeError(f"the process that renders text does not start: try `{' '.join(command)}`")
        return process

    def end(self) -> None:
        """End the markup process, unless it belongs to the process of which this one is a copy."""
        if self.process is not None and os.getpid() == self._owner:
            self._end(self.process)
        self.process = None

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._stream.close()
        self._channel.close()
        process.kill()
        process.wait()


@cache
def renderer_of(process: int) -> Renderer:  # noqa: ARG001 - a forked process must not speak with its parent's
    """Return the one renderer of a process."""
    return Renderer()


def render(kind: str, text: str) -> Rendered:
    """Render a text with the renderer of this process."""
    return renderer_of(os.getpid()).render(kind, text)
