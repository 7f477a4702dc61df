"""The caller's side of the markup process: a stranger's text goes in, harmless HTML or nothing comes out."""

import json
import os
import socket
import subprocess
import sys
import weakref
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import DEVNULL
from threading import Lock

import autograder

MAX_TEXT = 4 << 20  # characters of one text; no cell and no output that is kept has as many
MAX_SECONDS = 0.6  # of computing, for one text; what fits honest notebooks takes a quarter of that
_MAX_HTML = 16 << 20  # bytes that come back for it
_PATIENCE = 60  # seconds by the clock, on a machine that has other things to do
_CODE = "autograder.report.markup_process"


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
        ours, theirs = socket.socketpair()
        environment = {"PYTHONPATH": str(Path(autograder.__file__).parents[1]), "LC_ALL": "C.UTF-8"}
        self._process = subprocess.Popen(  # noqa: S603 - our own code, by this Python
            [sys.executable, "-s", "-P", "-m", _CODE],
            stdin=theirs.fileno(),
            stdout=DEVNULL,
            stderr=DEVNULL,
            env=environment,
            cwd="/",
        )
        theirs.close()
        ours.settimeout(_PATIENCE)
        self._channel = ours
        self._stream = ours.makefile("rb")
        try:
            self.worn = not self._stream.readline(1)
        except OSError:
            self.worn = True
        if self.worn:
            self.end()
            raise RendererError(
                f"the process that renders text does not start: try `{sys.executable} -m {_CODE}`"
            )

    def ask(self, kind: str, text: str, seconds: float = MAX_SECONDS) -> Rendered:
        """Return what the process makes of a text, or nothing if it died over it; then it is worn."""
        content = text.encode("utf-8", "surrogatepass")
        request = json.dumps({"kind": kind, "size": len(content), "seconds": seconds})
        self.worn = True
        try:
            self._channel.sendall(request.encode() + b"\n" + content)
            reply = json.loads(self._stream.readline(1000))
            size, failed, used = int(reply["size"]), bool(reply["failed"]), float(reply["seconds"])
            html = self._stream.read(min(size, _MAX_HTML)).decode()
            self.worn = bool(reply["worn"]) or size > _MAX_HTML
        except (OSError, ValueError, KeyError, TypeError):
            return Rendered(None, seconds)
        return Rendered(None if failed or size > _MAX_HTML else html, used)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._stream.close()
        self._channel.close()
        self._process.kill()
        self._process.wait()


class Renderer:
    """Renders texts one after the other, in a markup process that it starts when it needs one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: list[MarkupProcess] = []  # at most one
        self._owner = os.getpid()
        weakref.finalize(self, _end, self._running, self._owner)

    def render(self, kind: str, text: str) -> Rendered:
        """Return what one of the functions in `markup.KINDS` makes of `text`."""
        if len(text) > MAX_TEXT:
            return Rendered(None, 0.0)
        with self._lock:
            if not self._running:
                self._running.append(MarkupProcess())
            rendered = self._running[0].ask(kind, text)
            if self._running[0].worn:
                _end(self._running, self._owner)
        return rendered


def render(kind: str, text: str) -> Rendered:
    """Render a text with the one renderer of this process."""
    return _renderer(os.getpid()).render(kind, text)


@cache
def _renderer(process: int) -> Renderer:  # noqa: ARG001 - a forked process must not speak with its parent's
    return Renderer()


def _end(running: list[MarkupProcess], owner: int) -> None:
    """End the markup process, unless it belongs to the process of which this one is a copy."""
    while running:
        process = running.pop()
        if os.getpid() == owner:
            process.end()
