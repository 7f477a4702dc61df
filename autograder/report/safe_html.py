"""Makes HTML pages from templates and from untrusted text, so that nothing on the pages can run.

This is the only module that marks text as safe. Templates escape all other text. Untrusted Markdown, code and
HTML is parsed in a separate process, which `Renderer` starts.
"""

import atexit
import html
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from subprocess import DEVNULL
from threading import Lock
from typing import Any
from urllib.parse import unquote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

import autograder
from autograder.report.text import clean_text, is_picture, number

# The security policy of every page. If unsafe HTML gets onto a page, the browser does not run or load it.
POLICY = Markup(
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_HERE = Path(__file__).parent
LEFT_OUT = "This part is left out: it takes too long to show safely."
TOO_LARGE = "This part is left out: the page would become too large."
MAX_PAGE = 10 << 20  # characters of one notebook's page
MAX_PART = 4 << 20  # characters of one cell's text, or of one output
_LAST_WORDS = 500  # characters reserved for the note that the rest is left out
_NOTE = 100  # characters of a note in place of a part
MAX_PARSED = 50_000  # characters of a text cell; longer cells are shown as plain text
MAX_COLOURED = 20_000  # characters of a code cell; longer cells are shown without colours
_MAX_LINES = 5000  # characters of a title, a hint or a message, which can have several lines
_SHARED_TEXTS = 512  # the largest number of cached texts; students' notebooks have many cells in common
_SHARED_LETTERS = 5000  # characters of a cached text
_HEADING = re.compile(r"<h([12])>(.*?)</h\1>", re.DOTALL)
_QUOTED = re.compile(r"`([^`<>\n]{1,200})`")
_CUT = " […]"
_LEFT_OUT = Markup("<p>{}</p>").format(LEFT_OUT)
_EMBEDDED = re.compile(r"data:image/png;base64,([A-Za-z0-9+/]+=*)")
_NAMED = re.compile(r' src="attachment:([^"]*)"')
_PICTURE = re.compile(r'<img((?: [a-z]+="[^"]*")+)>')
_WORDS = re.compile(r' alt="([^"]*)"')
_INLINE = "in-the-text-"  # the first part of the names that embedded pictures get here
MAX_TEXT = 4 << 20  # characters of one text for the markup process
MAX_SECONDS = 0.6  # processor time for one text; cells of ordinary notebooks need at most a quarter of it
_MAX_REPLY = 64 << 20  # bytes of a reply in JSON
_PATIENCE = 60  # seconds of waiting for a reply; a busy machine may need many


@dataclass(slots=True)
class Allowance:
    """The characters and seconds that remain for one page. Each part of the page uses some of them."""

    letters: int = MAX_PAGE
    seconds: float = 2.0  # of processor time

    @property
    def room(self) -> int:
        """The number of characters that the next part may have."""
        return max(min(self.letters - _LAST_WORDS, MAX_PART), 0)

    def take(self, letters: int) -> bool:
        """Reserve space for a part. If it is too large, reserve space for a note and return False."""
        fits = letters <= self.room
        self.letters -= letters if fits else _NOTE
        return fits


@dataclass(frozen=True, slots=True)
class Rendered:
    """The HTML of one text, or None if rendering failed, and the seconds of processor time that it took."""

    html: str | None
    seconds: float


class Renderer:
    """Renders texts one after the other in a markup process, which is started for the first text."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._owner = os.getpid()
        atexit.register(self.end)

    def render(self, kind: str, text: str, seconds: float = MAX_SECONDS) -> Rendered:
        """Render `text` with one of the functions in `markup.KINDS`."""
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
                rendered, worn = Rendered(None, seconds), True  # the process has ended or sent no valid reply
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
        """End the markup process. A forked process does not end the markup process of its parent."""
        if self.process is not None and os.getpid() == self._owner:
            self._end(self.process)
        self.process = None

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._stream.close()
        self._channel.close()
        process.kill()
        process.wait()


@cache
def renderer_of(process: int) -> Renderer:  # noqa: ARG001 - a forked process needs a renderer of its own
    """Return the renderer of a process."""
    return Renderer()


def render(kind: str, text: str) -> Rendered:
    """Render a text with the renderer of this process."""
    return renderer_of(os.getpid()).render(kind, text)


def render_text(text: str) -> Markup:
    """Return `text` as escaped HTML with unchanged line ends."""
    return _safe(html.escape(clean_text(text)))


def render_lines(text: str) -> Markup:
    """Return `text`, cut if it is long, as escaped HTML with a `<br>` for each line end."""
    shown = text if len(text) <= _MAX_LINES else text[:_MAX_LINES] + _CUT
    return render_text(shown).replace("\n", Markup("<br>"))


def render_said(text: str) -> Markup:
    """Like `render_lines`, but text in backticks becomes code."""
    return _safe(_QUOTED.sub(r"<code>\1</code>", str(render_lines(text))))


def render_note(text: str) -> Markup:
    """Return a paragraph in italics, which is shown in place of an answer. Text in backticks becomes code."""
    return _safe(f"<p><em>{render_said(text)}</em></p>")


def render_name(name: str) -> Markup:
    """Return a name as HTML in which lines may break after each underscore."""
    return render_text(name).replace("_", Markup("_<wbr>"))


def render_html(source: str, allowance: Allowance) -> Markup:
    """Return the harmless part of the HTML `source`."""
    return _part("html", source, allowance)


def render_comment(source: str, allowance: Allowance) -> Markup:
    """Return an instructor's comment in Markdown as HTML. HTML tags in it are shown as text."""
    return _part("comment", source, allowance)


def render_markdown(cell: Any, allowance: Allowance, kind: str = "markdown") -> Markup:
    """Return a text cell as HTML that cannot run anything, with its pictures.

    With the kind "mathml", formulas are MathML, which browsers typeset.
    """
    text, inline = _without_pictures(clean_text(cell.source))
    attached = {name: forms.get("image/png", "") for name, forms in cell.get("attachments", {}).items()}
    rendered = _plain(text) if len(text) > MAX_PARSED else _part(kind, text, allowance)
    described = _PICTURE.sub(_in_words, rendered)
    return _safe(_with_pictures(described, attached | inline, allowance.room))


def render_code(source: str, allowance: Allowance) -> Markup:
    """Return Python code with classes that page.css gives colours."""
    return _plain(source) if len(source) > MAX_COLOURED else _part("code", source, allowance, _plain(source))


def anchored(content: str, prefix: str, first: int) -> tuple[Markup, list[str]]:
    """Give each h1 and h2 of a rendered text an id; return the text and the headings.

    An id consists of `prefix` and a number. The first number is `first`.
    """
    headings: list[str] = []

    def mark(match: re.Match[str]) -> str:
        headings.append(Markup(match[2]).striptags())  # noqa: S704 - it was rendered here
        return f'<h{match[1]} id="{prefix}{first + len(headings) - 1}">{match[2]}</h{match[1]}>'

    return _safe(_HEADING.sub(mark, content)), headings


@cache
def load_template(path: Path) -> Template:
    """Return the template at `path`, compiled once; it may extend page.html, the frame of every page."""
    loader = FileSystemLoader([path.parent, _HERE])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, auto_reload=False)
    environment.trim_blocks = environment.lstrip_blocks = environment.keep_trailing_newline = True
    environment.globals.update(policy=POLICY)
    environment.filters.update(
        number=number, lines=render_lines, said=render_said, text=render_text, name=render_name
    )
    return environment.get_template(path.name)


def render_template(path: Path, **values: Any) -> Markup:
    """Return a part of a page from the template at `path`. Values are escaped."""
    return _safe(load_template(path).render(**values))


def _part(kind: str, text: str, allowance: Allowance, instead: Markup = _LEFT_OUT) -> Markup:
    """Return one part of a page, or `instead` if it cannot be parsed in time.

    If the earlier parts have used up the page's time, return the text unparsed.
    """
    if allowance.seconds <= 0:
        return _plain(text)
    rendered = _shared(kind, text) if len(text) <= _SHARED_LETTERS else render(kind, text)
    # A failure counts as MAX_SECONDS, because the next text then needs a new markup process.
    allowance.seconds -= rendered.seconds if rendered.html is not None else MAX_SECONDS
    return instead if rendered.html is None else _safe(rendered.html)


@lru_cache(_SHARED_TEXTS)
def _shared(kind: str, text: str) -> Rendered:
    return render(kind, text)


def _without_pictures(source: str) -> tuple[str, dict[str, str]]:
    """Return a Markdown text with names in place of its embedded pictures, and the pictures by name.

    Then the parser does not have to read the long base64 texts.
    """
    pictures: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        pictures[f"{_INLINE}{len(pictures)}"] = match[1]
        return f"attachment:{_INLINE}{len(pictures) - 1}"

    return _EMBEDDED.sub(name, source), pictures


def _in_words(picture: re.Match[str]) -> str:
    """Return a picture or, if its source was removed, its alternative text. Only PNG sources are kept."""
    words = _WORDS.search(picture[1])
    if words is None or " src=" in picture[1]:
        return picture[0]
    # Text needs more escaping than the attribute `alt`, which contains the words.
    return f"<em>{html.escape(html.unescape(words[1]))}</em>"


def _with_pictures(rendered: str, pictures: Mapping[str, str], room: int) -> str:
    """Return HTML with the named pictures filled in, as long as they fit in `room` characters.

    A picture that occurs several times counts several times. A missing or malformed picture stays empty.
    """
    note = f"<p>{TOO_LARGE}</p>"
    sources = {name: _source(encoded) for name, encoded in pictures.items()}
    left, missing = room - len(rendered) - len(note), False

    def fill(match: re.Match[str]) -> str:
        nonlocal left, missing
        source = sources.get(unquote(html.unescape(match[1])), "")
        if len(source) > left:
            missing = True
            return ""
        left -= len(source)
        return source

    filled = _NAMED.sub(fill, rendered)
    return filled + note if missing else filled


def _source(encoded: str) -> str:
    """Return the src attribute of a picture, or "" if it is not a harmless PNG."""
    picture = "".join(encoded.split())
    return f' src="data:image/png;base64,{picture}"' if is_picture(picture) else ""


def _plain(text: str) -> Markup:
    return _safe(f"<pre>{html.escape(clean_text(text))}</pre>")


def _safe(cleaned: str) -> Markup:
    return Markup(cleaned)  # noqa: S704 - callers in this module have cleaned or escaped it
