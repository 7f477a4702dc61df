"""A headless Chromium that reports everything a page does, and a listener that no page should call.

We speak the DevTools protocol with it over two pipes. Host names that end in `.example` lead to the listener,
and all others lead nowhere, so nothing leaves this machine, whatever a page or the browser tries.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.tests.fonts import write_fonts

IN_BROWSER = pytest.mark.skipif(
    os.environ.get("WITHOUT_BROWSER") == "1", reason="WITHOUT_BROWSER=1 leaves out what needs Chromium"
)
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
START = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
    "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-breakpad",
    "--remote-debugging-pipe",
)  # fmt: skip
TOUCH = """
for (const element of document.querySelectorAll('*')) {
    for (const kind of ['click', 'mouseover', 'focus', 'toggle', 'animationstart', 'error'])
        element.dispatchEvent(new Event(kind));
    if (element.protocol === 'javascript:') element.click();
    if (element instanceof HTMLFormElement) element.submit();
}
"""
PLACE = """((element) => {{
    const offset = element.getBoundingClientRect().top % 1;  // lines of text are drawn at whole pixels
    if (offset) element.style.translate = `0 ${{-offset}}px`;
    const {{left, top, right, bottom}} = element.getBoundingClientRect();
    const x = Math.round(Math.max(0, left)), y = Math.round(Math.max(0, top));
    const width = Math.round(Math.min(innerWidth, right)) - x;
    const height = Math.round(Math.min(innerHeight, bottom)) - y;
    return {{x: x + scrollX, y: y + scrollY, width, height}};
}})({element})"""
SETTLED = 0.2  # seconds in which a page must be quiet
PATIENCE = 20


@dataclass(frozen=True)
class Visit:
    """What a page did from its first byte until it had been touched everywhere."""

    events: tuple[str, ...]  # each begins with its kind: request, dialog, console, refusal, frame, ...
    title: str
    overflow: int  # pixels by which it is wider than its window

    @property
    def kinds(self) -> set[str]:
        """The kinds of what happened."""
        return _kinds(self.events)


class Listener(socketserver.ThreadingTCPServer):
    """A server that no page should call; it remembers every call."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.calls: list[str] = []
        self.address = f"127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def drain(self) -> list[str]:
        """Return the calls since the last time, and forget them."""
        calls, self.calls = self.calls, []
        return calls

    def called(self, within: float = PATIENCE) -> bool:
        """Wait until there is a call, and return whether one came in time."""
        end = time.monotonic() + within
        while not self.calls and time.monotonic() < end:
            time.sleep(0.02)
        return bool(self.drain())


class _Answer(socketserver.StreamRequestHandler):
    timeout = 2

    def handle(self) -> None:
        assert isinstance(self.server, Listener)
        self.server.calls.append("a connection")
        try:
            self.server.calls.append(self.rfile.readline(1000).decode("latin-1").strip())
            self.wfile.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        except OSError:
            pass  # the caller only connected


class Browser:
    """A Chromium with a new profile; `opened` starts one, and ends it again."""

    def __init__(self, program: str, profile: Path, listener: str) -> None:
        command = [
            program, *QUIET, f"--user-data-dir={profile}",
            f"--host-resolver-rules=MAP *.example {listener}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "about:blank",
        ]  # fmt: skip
        (theirs_in, self._to), (self._from, theirs_out) = _pipe(), _pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, str(theirs_in), str(theirs_out), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs_in, theirs_out),
            env={**os.environ, "FONTCONFIG_FILE": str(write_fonts(profile))},
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer = b""
        self._number = 0
        self._events: list[dict[str, Any]] = []
        self._ask("Target.setDiscoverTargets", discover=True)
        self._listen(SETTLED)

    def visit(self, page: Path, *, width: int = 1000, awaited: str = "", seconds: float = SETTLED) -> Visit:
        """Open `page`, touch everything on it, and return what happened.

        The visit ends when nothing has happened for `seconds`, and not before an event of kind `awaited`.
        """
        address = page.as_uri()
        target, session = self._window(width)
        self._ask("Page.navigate", session, url=address)
        self._listen(seconds, lambda: any(e["method"] == "Page.loadEventFired" for e in self._events))
        before = self._evaluate(session, "document.title")
        overflow = self._evaluate(session, "document.documentElement.scrollWidth - innerWidth")
        self._evaluate(session, TOUCH)
        self._listen(
            seconds, lambda: not awaited or awaited in _kinds(_descriptions(self._events, address, target))
        )
        after = self._evaluate(session, "document.title")
        described = tuple(_descriptions(self._events, address, target))
        self._ask("Target.closeTarget", targetId=target)
        return Visit(described, before if before == after else after, int(overflow or 0))

    def page(self, address: str, *, width: int = 1000) -> "Page":
        """Open an address, and keep it open; scrollbars take no room."""
        _, session = self._window(width)
        self._ask("Emulation.setScrollbarsHidden", session, hidden=True)
        self._ask("Page.navigate", session, url=address)
        return Page(self, session)

    def close(self) -> None:
        """End the browser."""
        os.close(self._to)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._from)

    def _window(self, width: int) -> tuple[str, str]:
        """Open an empty window that reports everything; return the ids of its target and session."""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self._ask(f"{domain}.enable", session)
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", session, **size)
        self._listen(SETTLED / 2)
        self._events.clear()
        return target, session

    def _evaluate(self, session: str, code: str) -> Any:
        asked = {"expression": code, "userGesture": True, "returnByValue": True}
        return self._ask("Runtime.evaluate", session, **asked).get("result", {}).get("value")

    def _ask(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result; events that arrive meanwhile are kept."""
        number = self._send(method, session, parameters)
        deadline = time.monotonic() + PATIENCE
        while (message := self._receive(deadline)) is not None:
            if message.get("id") == number:
                result: dict[str, Any] = message.get("result", {})
                return result
        raise TimeoutError(f"Chromium does not answer to {method}")

    def _listen(self, seconds: float, enough: Callable[[], bool] = lambda: True) -> None:
        """Keep events until they are `enough`, and then until none has come for some `seconds`."""
        deadline = time.monotonic() + PATIENCE
        while not enough():
            if self._receive(deadline) is None:
                return
        while self._receive(time.monotonic() + seconds) is not None:
            if time.monotonic() > deadline:
                raise TimeoutError("a page does not come to rest")

    def _send(self, method: str, session: str, parameters: dict[str, Any]) -> int:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        text = json.dumps({**message, "sessionId": session} if session else message)
        os.write(self._to, text.encode() + b"\0")
        return self._number

    def _receive(self, deadline: float) -> dict[str, Any] | None:
        """Return the next message, or None if none comes in time; close a dialog at once."""
        while b"\0" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                return None
            if not (data := os.read(self._from, 1 << 16)):
                raise EOFError("Chromium has ended")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        if "method" in message:
            self._events.append(message)
        if message.get("method") == "Page.javascriptDialogOpening":
            self._send("Page.handleJavaScriptDialog", message["sessionId"], {"accept": True})
        return message


class Page:
    """An open page that a test looks into."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def value(self, code: str) -> Any:
        """Return what some JavaScript gives, once a promise is kept; AssertionError where it fails."""
        asked = {"expression": code, "awaitPromise": True, "returnByValue": True, "userGesture": True}
        done = self._browser._ask("Runtime.evaluate", self._session, **asked)
        if details := done.get("exceptionDetails"):
            raise AssertionError(details.get("exception", {}).get("description") or details["text"])
        return done.get("result", {}).get("value")

    def wait(self, code: str, seconds: float = 3 * PATIENCE) -> Any:
        """Wait until some JavaScript gives something true, and return it."""
        deadline = time.monotonic() + seconds
        while not (value := self.value(code)):
            assert time.monotonic() < deadline, f"this does not come true: {code}"
            time.sleep(0.1)
        return value

    def write(self, text: str) -> None:
        """Type a text where the page has its focus."""
        self._browser._ask("Input.insertText", self._session, text=text)

    def press(self, code: int, *, control: bool = False) -> None:
        """Press the key of this code, in the window that is before all others, which alone gets keys."""
        self._browser._ask("Page.bringToFront", self._session)
        key = {"windowsVirtualKeyCode": code, "modifiers": 2 if control else 0}
        for kind in ("rawKeyDown", "keyUp"):
            self._browser._ask("Input.dispatchKeyEvent", self._session, type=kind, **key)

    def resize(self, width: int, height: int = 800) -> None:
        """Make the window so large."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._browser._ask("Emulation.setDeviceMetricsOverride", self._session, **size)

    def picture(self, part: str = "document.body") -> bytes:
        """Return a screenshot of what shows of an element, as PNG, once two in a row are the same."""
        self._browser._ask("Page.bringToFront", self._session)
        self.wait("document.readyState === 'complete'")
        clip = {"scale": 1, **self.value(PLACE.format(element=part))}
        deadline, last, shot = time.monotonic() + PATIENCE, "", self._shot(clip)
        while shot != last:
            assert time.monotonic() < deadline, f"this does not come to rest: {part}"
            time.sleep(SETTLED)
            last, shot = shot, self._shot(clip)
        return base64.b64decode(shot)

    def _shot(self, clip: dict[str, Any]) -> str:
        shot = self._browser._ask("Page.captureScreenshot", self._session, clip=clip)
        return str(shot["data"])


@contextmanager
def opened(profile: Path, listener: Listener) -> Iterator[Browser]:
    """Open a browser, or fail and say what to install."""
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    assert program, (
        "these tests need Chromium or Chrome: `apt-get install chromium`, as `make test` does; "
        "to leave them out on a machine that cannot have it, set WITHOUT_BROWSER=1"
    )
    browser = Browser(program, profile, listener.address)
    try:
        yield browser
    finally:
        browser.close()


def _pipe() -> tuple[int, int]:
    """Return a pipe whose descriptors are none of those that the browser uses by their numbers, 3 and 4."""
    low = os.pipe()
    high = tuple(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10) for descriptor in low)
    for descriptor in low:
        os.close(descriptor)
    return high[0], high[1]


def _kinds(described: Iterable[str]) -> set[str]:
    return {event.partition(" ")[0] for event in described}


def _descriptions(events: Iterable[dict[str, Any]], address: str, target: str) -> Iterator[str]:
    return (text for event in events if (text := _described(event, address, target)))


def _described(event: dict[str, Any], address: str, target: str) -> str:
    """Return an event in words, or nothing if it is a part of opening the page at `address`."""
    about = event.get("params", {})
    match event["method"]:
        case "Network.requestWillBeSent":
            url = str(about["request"]["url"])
            return "" if url == address or url.startswith("data:") else f"request {url}"
        case "Page.javascriptDialogOpening":
            return f"dialog {about['message']}"
        case "Runtime.consoleAPICalled":
            return f"console {about['type']} {[argument.get('value') for argument in about['args']]}"
        case "Runtime.exceptionThrown":
            return f"exception {about['exceptionDetails'].get('text')}"
        case "Log.entryAdded":
            entry = about["entry"]
            return f"{'refusal' if entry['source'] == 'security' else 'complaint'} {entry['text']}"
        case "Page.frameAttached":
            return "frame"
        case "Page.frameNavigated" if about["frame"]["url"] not in (address, "about:blank"):
            return f"navigation {about['frame']['url']}"
        case "Page.frameRequestedNavigation" | "Page.frameScheduledNavigation":
            return f"navigation {about['url']}"
        case "Target.targetCreated" if about["targetInfo"]["targetId"] != target:
            return f"window {about['targetInfo']['url']}"
    return ""
