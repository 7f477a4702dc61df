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


class RendererError(Exception):
    """The process that renders text does not start, which is our failure and not the text's."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """What became of one text: its HTML, or None, and how many seconds of computing that took."""

    html: str | None
    seconds: float


class MarkupProcess:
    """A running markup process; it answers one request at a time, until it is worn or dead."""

    def __init__(self) -> None:
        command = [sys.executable, "-s", "-P", "-m", "autograder.report.markup"]
        self._channel, theirs = socket.socketpair()
        environment = {"PYTHONPATH": str(Path(autograder.__file__).parents[1]), "LC_ALL": "C.UTF-8"}
        self._process = subprocess.Popen(  # noqa: S603 - our own code, by this Python
            command, stdin=theirs.fileno(), stdout=DEVNULL, stderr=DEVNULL, env=environment, cwd="/"
        )
        theirs.close()
        self._channel.settimeout(_PATIENCE)
        self._stream = self._channel.makefile("rb")
        try:
            self.worn = not self._stream.readline(1)
        except OSError:
            self.worn = True
        if self.worn:
            self.end()
            raise RendererError(f"the process that renders text does not start: try `{' '.join(command)}`")

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def ask(self, kind: str, text: str, seconds: float = MAX_SECONDS) -> Rendered:
        """Return what the process makes of a text, or nothing if it died over it; then it is worn."""
        request = json.dumps({"kind": kind, "text": text, "seconds": seconds})
        self.worn = True
        try:
            self._channel.sendall(f"{request}\n".encode())
            reply = json.loads(self._stream.readline(_MAX_REPLY))
            rendered = Rendered(reply["html"], float(reply["seconds"]))
            self.worn = bool(reply["worn"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return Rendered(None, seconds)
        return rendered

    def end(self) -> int:
        """End the process, whatever it is doing, and return its exit code."""
        self._stream.close()
        self._channel.close()
        self._process.kill()
        return self._process.wait()


class Renderer:
    """Renders texts one after the other, in a markup process that it starts when it needs one."""

    def __init__(self) -> None:
        self.process: MarkupProcess | None = None
        self._lock = Lock()
        self._owner = os.getpid()
        atexit.register(self.end)

    def render(self, kind: str, text: str) -> Rendered:
        """Return what one of the functions in `markup.KINDS` makes of `text`."""
        if len(text) > MAX_TEXT:
            return Rendered(None, 0.0)
        with self._lock:
            self.process = self.process or MarkupProcess()
            rendered = self.process.ask(kind, text)
            if self.process.worn:
                self.end()
        return rendered

    def end(self) -> None:
        """End the markup process, unless it belongs to the process of which this one is a copy."""
        if self.process is not None and os.getpid() == self._owner:
            self.process.end()
        self.process = None


@cache
def renderer_of(process: int) -> Renderer:  # noqa: ARG001 - a forked process must not speak with its parent's
    """Return the one renderer of a process."""
    return Renderer()


def render(kind: str, text: str) -> Rendered:
    """Render a text with the renderer of this process."""
    return renderer_of(os.getpid()).render(kind, text)
