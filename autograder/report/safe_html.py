"""Makes HTML pages of templates that escape what they print, and of strangers' text that can run nothing.

This is the only module that marks text as safe. Everything else that a template prints, it escapes.
Strangers' Markdown, code and HTML is parsed in a process of its own, which `Renderer` starts.
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

# Every page carries this policy, so that the browser refuses whatever the cleaning might have let through.
POLICY = Markup(
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_HERE = Path(__file__).parent
LEFT_OUT = "This part is left out: it takes too long to show safely."
TOO_LARGE = "This part is left out: the page would become too large."
MAX_PAGE = 10 << 20  # letters that a page shows of one notebook
MAX_PART = 4 << 20  # letters of one cell's text, or of one output
_LAST_WORDS = 500  # letters kept for saying that the rest is left out
_NOTE = 100  # letters of a sentence in the place of a part
MAX_PARSED = 50_000  # letters of a text cell; a longer one is shown as it was typed
MAX_COLOURED = 20_000  # letters of a cell of code; a longer one is shown without colours
_MAX_LINES = 5000  # letters of a title, a hint or a message
_SHARED_TEXTS = 512  # the cells that most notebooks of a class have in common are rendered once
_SHARED_LETTERS = 5000
_HEADING = re.compile(r"<h([12])>(.*?)</h\1>", re.DOTALL)
_QUOTED = re.compile(r"`([^`<>\n]{1,200})`")
_CUT = " […]"
_LEFT_OUT = Markup("<p>{}</p>").format(LEFT_OUT)
_EMBEDDED = re.compile(r"data:image/png;base64,([A-Za-z0-9+/]+=*)")
_NAMED = re.compile(r' src="attachment:([^"]*)"')
_PICTURE = re.compile(r'<img((?: [a-z]+="[^"]*")+)>')
_WORDS = re.compile(r' alt="([^"]*)"')
_OWN = "in-the-text-"
MAX_TEXT = 4 << 20  # characters of one text; no cell and no output that is kept has as many
MAX_SECONDS = 0.6  # of computing, for one text; what fits honest notebooks takes a quarter of that
_MAX_REPLY = 64 << 20  # bytes of JSON that come back for it
_PATIENCE = 60  # seconds by the clock, on a machine that has other things to do


@dataclass(slots=True)
class Allowance:
    """What is left for one page, or for one submission; whoever adds a part takes from it."""

    letters: int = MAX_PAGE
    seconds: float = 2.0  # of computing

    @property
    def room(self) -> int:
        """How many letters the next part may have."""
        return max(min(self.letters - _LAST_WORDS, MAX_PART), 0)

    def take(self, letters: int) -> bool:
        """Take the letters of a part if there is room for it, or else those of a sentence in its place."""
        fits = letters <= self.room
        self.letters -= letters if fits else _NOTE
        return fits


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


def render_text(text: str) -> Markup:
    """Return `text` as HTML that shows it letter for letter, with its line ends as they are."""
    return _safe(html.escape(clean_text(text)))


def render_lines(text: str) -> Markup:
    """Return `text`, or the beginning of a long one, letter for letter, with a `<br>` for each line end."""
    shown = text if len(text) <= _MAX_LINES else text[:_MAX_LINES] + _CUT
    return render_text(shown).replace("\n", Markup("<br>"))


def render_said(text: str) -> Markup:
    """Return what is said to a student as `render_lines` does, with what stands in backticks as code."""
    return _safe(_QUOTED.sub(r"<code>\1</code>", str(render_lines(text))))


def render_name(name: str) -> Markup:
    """Return a name that a line may break behind each underscore."""
    return render_text(name).replace("_", Markup("_<wbr>"))


def render_html(source: str, allowance: Allowance) -> Markup:
    """Return the harmless part of `source`."""
    return _part("html", source, allowance)


def render_comment(source: str, allowance: Allowance) -> Markup:
    """Return the Markdown of a person's comment as HTML, in which tags are shown as they were typed."""
    return _part("comment", source, allowance)


def render_markdown(cell: Any, allowance: Allowance, kind: str = "markdown") -> Markup:
    """Return a text cell as HTML that cannot run anything, with its pictures in place.

    With the kind "mathml", formulas are MathML, which browsers typeset.
    """
    text, own = _without_pictures(clean_text(cell.source))
    attached = {name: forms.get("image/png", "") for name, forms in cell.get("attachments", {}).items()}
    rendered = _plain(text) if len(text) > MAX_PARSED else _part(kind, text, allowance)
    worded = _PICTURE.sub(_in_words, rendered)
    return _safe(_with_pictures(worded, attached | own, allowance.room))


def render_code(source: str, allowance: Allowance) -> Markup:
    """Return Python code with the classes that page.css colours."""
    return _plain(source) if len(source) > MAX_COLOURED else _part("code", source, allowance, _plain(source))


def anchored(content: str, prefix: str, first: int) -> tuple[Markup, list[str]]:
    """Give each larger heading of a rendered text an id of its own; return also what the headings say.

    The ids are `prefix` and numbers from `first` on. Headings of cleaned text have no attributes.
    """
    said: list[str] = []

    def mark(match: re.Match[str]) -> str:
        said.append(Markup(match[2]).striptags())  # noqa: S704 - it was rendered here
        return f'<h{match[1]} id="{prefix}{first + len(said) - 1}">{match[2]}</h{match[1]}>'

    return _safe(_HEADING.sub(mark, content)), said


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
    """Return a part of a page that the template at `path`, which escapes, makes of these values."""
    return _safe(load_template(path).render(**values))


def _part(kind: str, text: str, allowance: Allowance, instead: Markup = _LEFT_OUT) -> Markup:
    """Return one part of a page, or `instead` if it cannot be parsed in time.

    When the parts before it have used up the page's time, it is shown as it was typed.
    """
    if allowance.seconds <= 0:
        return _plain(text)
    rendered = _shared(kind, text) if len(text) <= _SHARED_LETTERS else render(kind, text)
    # A new markup process has to be started after most failures, however early they come.
    allowance.seconds -= rendered.seconds if rendered.html is not None else MAX_SECONDS
    return instead if rendered.html is None else _safe(rendered.html)


@lru_cache(_SHARED_TEXTS)
def _shared(kind: str, text: str) -> Rendered:
    return render(kind, text)


def _without_pictures(source: str) -> tuple[str, dict[str, str]]:
    """Return a Markdown text with names for the pictures that are written out in it, and those by name.

    So no parser sees the picture's many letters.
    """
    found: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        found[f"{_OWN}{len(found)}"] = match[1]
        return f"attachment:{_OWN}{len(found) - 1}"

    return _EMBEDDED.sub(name, source), found


def _in_words(picture: re.Match[str]) -> str:
    """Return the words of a picture that has lost its source, such as an SVG, and any other as it is."""
    words = _WORDS.search(picture[1])
    if words is None or " src=" in picture[1]:
        return picture[0]
    return f"<em>{html.escape(html.unescape(words[1]))}</em>"  # in an attribute, fewer signs are escaped


def _with_pictures(rendered: str, pictures: Mapping[str, str], room: int) -> str:
    """Return HTML with the pictures that it names in place, until the next one would exceed `room` letters.

    A picture counts as often as it is named. One that is not there, or is none, stays empty.
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
    """Return the attribute that shows a picture, or nothing if it is none."""
    picture = "".join(encoded.split())
    return f' src="data:image/png;base64,{picture}"' if is_picture(picture) else ""


def _plain(text: str) -> Markup:
    return _safe(f"<pre>{html.escape(clean_text(text))}</pre>")


def _safe(cleaned: str) -> Markup:
    return Markup(cleaned)  # noqa: S704 - callers in this module have cleaned or escaped it
