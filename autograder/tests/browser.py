"""A headless Chromium, everything that a page does in it, and a listener that no page should call.

Host names that end in `.example` lead to the listener, and all others lead nowhere, so nothing leaves this
machine, whatever a page or the browser tries.
"""

import os
import shutil
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, sync_playwright

from autograder.tests.fonts import write_fonts

IN_BROWSER = pytest.mark.skipif(
    os.environ.get("WITHOUT_BROWSER") == "1", reason="WITHOUT_BROWSER=1 leaves out what needs Chromium"
)
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
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
    return {{x, y, width, height}};
}})({element})"""
SETTLED = 0.2  # seconds in which a page must be quiet
PATIENCE = 60


@dataclass(frozen=True)
class Visit:
    """What a page did from its first byte until it had been touched everywhere."""

    events: tuple[str, ...]  # each begins with its kind: request, dialog, console, frame, ...
    title: str
    overflow: int  # pixels by which it is wider than its window

    @property
    def kinds(self) -> set[str]:
        """The kinds of what happened."""
        return {event.partition(" ")[0] for event in self.events}


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


@contextmanager
def opened(profile: Path, listener: Listener) -> Iterator[BrowserContext]:
    """Open a browser with a profile and fonts of its own, or fail and say what to install."""
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    assert program, (
        "these tests need Chromium or Chrome: `apt-get install chromium`, as `make test-slow` does; "
        "to leave them out on a machine that cannot have it, set WITHOUT_BROWSER=1"
    )
    hosts = f"--host-resolver-rules=MAP *.example {listener.address}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    fonts = {"FONTCONFIG_FILE": str(write_fonts(profile))}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            profile, executable_path=program, args=[hosts, "--disable-quic"], env={**os.environ, **fonts}
        )
        yield browser
        browser.close()


def show(browser: BrowserContext, address: str, width: int = 1000) -> Page:
    """Open an address, and keep it open."""
    page = browser.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(address)
    return page


def until(page: Page, code: str) -> Any:
    """Wait until some JavaScript gives something true, and return it."""
    return page.wait_for_function(code).json_value()


def picture(page: Page, part: str = "document.body") -> bytes:
    """Return a screenshot of what shows of an element, as PNG, once two in a row are the same."""
    clip = page.evaluate(PLACE.format(element=part))
    deadline, last, shot = time.monotonic() + PATIENCE, b"", page.screenshot(clip=clip)
    while shot != last:
        assert time.monotonic() < deadline, f"this does not come to rest: {part}"
        page.wait_for_timeout(1000 * SETTLED)
        last, shot = shot, page.screenshot(clip=clip)
    return last


def visit(browser: BrowserContext, path: Path, *, width: int = 1000, seconds: float = SETTLED) -> Visit:
    """Open a page, touch everything on it, and return what happened until nothing has for some `seconds`."""
    page = browser.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    events: list[str] = []
    _report(page, path.as_uri(), events)
    page.goto(path.as_uri())
    _settle(page, events, seconds)
    before = page.evaluate("document.title")
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    page.evaluate(TOUCH)
    _settle(page, events, seconds)
    after = page.evaluate("document.title")
    page.close()
    return Visit(tuple(events), before if before == after else after, overflow)


def _report(page: Page, address: str, events: list[str]) -> None:
    """Let everything that `page` does become one of the events."""

    def on(kind: str, text: Callable[[Any], str]) -> Callable[[Any], None]:
        return lambda event: events.append(f"{kind} {said}") if (said := text(event)) else None

    def other(url: str) -> str:
        return "" if url in (address, "about:blank") or url.startswith("data:") else url

    page.on("request", on("request", lambda request: other(request.url)))
    page.on("dialog", on("dialog", lambda dialog: dialog.accept() or f"says {dialog.message}"))
    page.on("pageerror", on("exception", str))
    page.on("frameattached", on("frame", repr))
    page.on("framenavigated", on("navigation", lambda frame: other(frame.url)))
    # What a script writes to the console has values; what the browser itself complains of has none.
    page.on("console", lambda m: on("console" if m.args else "complaint", lambda _: m.text)(m))
    devtools = page.context.new_cdp_session(page)
    devtools.send("Page.enable")
    devtools.on("Page.windowOpen", on("window", lambda event: event["url"]))
    devtools.on("Page.frameRequestedNavigation", on("navigation", lambda event: event["url"]))


def _settle(page: Page, events: list[str], seconds: float) -> None:
    """Wait until no event has come for some `seconds`."""
    deadline, seen = time.monotonic() + PATIENCE / 3, -1
    while seen < len(events) and time.monotonic() < deadline:
        seen = len(events)
        page.wait_for_timeout(1000 * seconds)
