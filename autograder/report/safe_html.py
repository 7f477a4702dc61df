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

# The security policy of every page: even if unsafe HTML gets onto a page, browsers do not run it.
POLICY = Markup(
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_HERE = Path(__file__).parent
LEFT_OUT = "This part is left out: it takes too long to show safely."
TOO_LARGE = "This part is left out: the page would become too large."
MAX_PAGE = 10 << 20  # characters of one notebook's page
MAX_PART = 4 << 20  # characters of one cell's text, or of one output
_REST_NOTE = 500  # characters that are reserved for a note at the end of a page
_PART_NOTE = 100  # characters that are reserved for a note in place of a part
MAX_PARSED = 50_000  # characters of a text cell; longer cells are shown as plain text
MAX_COLOURED = 20_000  # characters of a code cell; longer cells are shown without colours
_MAX_MESSAGE = 5000  # characters of a title, a hint or a message
_SHARED_TEXTS = 512  # cached texts; students' notebooks have many cells in common
_SHARED_LETTERS = 5000  # characters; longer texts are not cached
_HEADING = re.compile(r"<h([12])>(.*?)</h\1>", re.DOTALL)
_QUOTED = re.compile(r"`([^`<>\n]{1,200})`")
_CUT = " […]"
_LEFT_OUT = Markup("<p>{}</p>").format(LEFT_OUT)
_EMBEDDED = re.compile(r"data:image/png;base64,([A-Za-z0-9+/]+=*)")
_NAMED = re.compile(r' src="attachment:([^"]*)"')
_PICTURE = re.compile(r'<img((?: [a-z]+="[^"]*")+)>')
_ALT = re.compile(r' alt="([^"]*)"')
_INLINE = "in-the-text-"  # the beginning of the names that replace embedded pictures
MAX_TEXT = 4 << 20  # characters of one text for the markup process
MAX_SECONDS = 0.6  # processor time for one text; cells of ordinary notebooks need at most a quarter of it
_MAX_REPLY = 64 << 20  # bytes of a reply in JSON
_MAX_WAIT = 60  # seconds of waiting for a reply from the markup process


@dataclass(slots=True)
class Allowance:
    """The characters and the processor time that remain for the rest of a page."""

    letters: int = MAX_PAGE
    seconds: float = 2.0  # processor time for parsing

    @property
    def room(self) -> int:
        """The number of characters that the next part may have."""
        return max(min(self.letters - _REST_NOTE, MAX_PART), 0)

    def take(self, letters: int) -> bool:
        """Reserve space for a part. If the part is too large, reserve space for a note and return False."""
        fits = letters <= self.room
        self.letters -= letters if fits else _PART_NOTE
        return fits


@dataclass(frozen=True, slots=True)
class Rendered:
    """The result of rendering one text."""

    html: str | None  # None if rendering failed
    seconds: float  # processor time


class Renderer:
    """Renders texts in a markup process, which is started for the first text."""

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
        self._channel.settimeout(_MAX_WAIT)
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
        """End the markup process. After a fork, only the process that started the markup process ends it."""
        if self.process is not None and os.getpid() == self._owner:
            self._end(self.process)
        self.process = None

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._stream.close()
        self._channel.close()
        process.kill()
        process.wait()


@cache
def renderer_of(process: int) -> Renderer:  # noqa: ARG001 - the key of the cache
    """Return the renderer of the process with this id. A forked process has a new id and a new renderer."""
    return Renderer()


def render(kind: str, text: str) -> Rendered:
    """Render a text with the renderer of this process."""
    return renderer_of(os.getpid()).render(kind, text)


def render_text(text: str) -> Markup:
    """Return `text` as escaped HTML with unchanged line ends."""
    return _safe(html.escape(clean_text(text)))


def render_lines(text: str) -> Markup:
    """Return `text`, cut if it is long, as escaped HTML with a `<br>` for each line end."""
    shown = text if len(text) <= _MAX_MESSAGE else text[:_MAX_MESSAGE] + _CUT
    return render_text(shown).replace("\n", Markup("<br>"))


def render_with_code(text: str) -> Markup:
    """Like `render_lines`, but text in backticks becomes code."""
    return _safe(_QUOTED.sub(r"<code>\1</code>", str(render_lines(text))))


def render_note(text: str) -> Markup:
    """Return a note as a paragraph in italics. Text in backticks becomes code."""
    return _safe(f"<p><em>{render_with_code(text)}</em></p>")


def render_name(name: str) -> Markup:
    """Return a name as HTML, with possible line breaks after underscores."""
    return render_text(name).replace("_", Markup("_<wbr>"))


def render_html(source: str, allowance: Allowance) -> Markup:
    """Return the harmless part of the HTML `source`."""
    return _part("html", source, allowance)


def render_comment(source: str, allowance: Allowance) -> Markup:
    """Return an instructor's comment in Markdown as HTML. HTML tags in it are shown as text."""
    return _part("comment", source, allowance)


def render_markdown(cell: Any, allowance: Allowance, kind: str = "markdown") -> Markup:
    """Return a text cell as harmless HTML, with its pictures.

    With the kind "mathml", formulas are MathML, which browsers typeset.
    """
    text, inline = _without_pictures(clean_text(cell.source))
    attached = {name: forms.get("image/png", "") for name, forms in cell.get("attachments", {}).items()}
    rendered = _plain(text) if len(text) > MAX_PARSED else _part(kind, text, allowance)
    described = _PICTURE.sub(_picture_or_alternative, rendered)
    return _safe(_with_pictures(described, attached | inline, allowance.room))


def render_code(source: str, allowance: Allowance) -> Markup:
    """Return Python code as HTML. Its CSS classes get their colours from page.css."""
    return _plain(source) if len(source) > MAX_COLOURED else _part("code", source, allowance, _plain(source))


def anchored(content: str, prefix: str, first: int) -> tuple[Markup, list[str]]:
    """Give each h1 and h2 of a rendered text an id: `prefix` and a number, counted from `first`.

    Return the text and the headings.
    """
    headings: list[str] = []

    def mark(match: re.Match[str]) -> str:
        headings.append(Markup(match[2]).striptags())  # noqa: S704 - it was rendered here
        return f'<h{match[1]} id="{prefix}{first + len(headings) - 1}">{match[2]}</h{match[1]}>'

    return _safe(_HEADING.sub(mark, content)), headings


@cache
def load_template(path: Path) -> Template:
    """Return the template at `path`, compiled once. It may extend page.html."""
    loader = FileSystemLoader([path.parent, _HERE])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, auto_reload=False)
    environment.trim_blocks = environment.lstrip_blocks = environment.keep_trailing_newline = True
    environment.globals.update(policy=POLICY)
    environment.filters.update(
        number=number, lines=render_lines, with_code=render_with_code, text=render_text, name=render_name
    )
    return environment.get_template(path.name)


def render_template(path: Path, **values: Any) -> Markup:
    """Return a part of a page from a template. Values are escaped."""
    return _safe(load_template(path).render(**values))


def _part(kind: str, text: str, allowance: Allowance, instead: Markup = _LEFT_OUT) -> Markup:
    """Return a part of a page, or `instead` if rendering fails or takes too long.

    If earlier parts have used up the page's processor time, return the text unparsed, in a `<pre>`.
    """
    if allowance.seconds <= 0:
        return _plain(text)
    rendered = _shared(kind, text) if len(text) <= _SHARED_LETTERS else render(kind, text)
    # A failure counts as MAX_SECONDS: it usually ends the markup process, and starting a new one takes time.
    allowance.seconds -= rendered.seconds if rendered.html is not None else MAX_SECONDS
    return instead if rendered.html is None else _safe(rendered.html)


@lru_cache(_SHARED_TEXTS)
def _shared(kind: str, text: str) -> Rendered:
    return render(kind, text)


def _without_pictures(source: str) -> tuple[str, dict[str, str]]:
    """Replace the embedded pictures in a Markdown text by names; return the text and the pictures by name.

    This saves the parser from reading the pictures' long base64 texts.
    """
    pictures: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        pictures[f"{_INLINE}{len(pictures)}"] = match[1]
        return f"attachment:{_INLINE}{len(pictures) - 1}"

    return _EMBEDDED.sub(name, source), pictures


def _picture_or_alternative(picture: re.Match[str]) -> str:
    """Return a picture or, if cleaning has removed its source, its alternative text."""
    alternative = _ALT.search(picture[1])
    if alternative is None or " src=" in picture[1]:
        return picture[0]
    # "<" may stay unescaped in an attribute such as `alt`, but not in text.
    return f"<em>{html.escape(html.unescape(alternative[1]))}</em>"


def _with_pictures(rendered: str, pictures: Mapping[str, str], room: int) -> str:
    """Return HTML with the named pictures filled in, as long as they fit in `room` characters.

    A picture needs room each time it occurs. A missing or malformed picture stays empty.
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
