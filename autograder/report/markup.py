"""The markup process: turns untrusted text into HTML that cannot run code, load files or hide text.

A crafted text can cost a parser much time and memory, so both are limited. The process has none of its
caller's environment variables, and no open file except the socket to its caller. After loading its modules,
it sets limits so that it cannot open files or connections. If a text needs too much memory, rendering fails.
If a text takes too long or crashes a parser, the process ends, and the caller starts a new one.
"""

import json
import re
import resource
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from html import escape, unescape
from itertools import accumulate
from pathlib import Path
from xml.etree.ElementTree import tostring

import nh3
from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.report.text import clean_text, is_picture, writable

MAX_OPEN = 400  # nested elements; browsers nest at most about 500
MAX_MEMORY = 512 << 20  # bytes in addition to the loaded modules
_MAX_GROWTH = 128 << 10  # kilobytes; a process that has grown by more is replaced
_SAMPLE = """# a
*b* `c` $d$ <b>e</b> &amp; [f](http://\u00fc.example) \u2014 ~~g~~

```python
h
```

|i|
|-|
|j|
"""
MAX_FORMULAS = 2000  # delimiters such as `$` in a text; with more, formulas are not parsed
_TAGS = {
    "a", "b", "blockquote", "br", "caption", "code", "dd", "del", "div", "dl", "dt", "em", "h1", "h2", "h3",
    "h4", "h5", "h6", "hr", "i", "img", "kbd", "li", "ol", "p", "pre", "s", "span", "strong", "sub", "sup",
    "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href"}, "img": {"src", "alt", "width"}, "ol": {"start"}, "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"}, "span": {"class"}, "div": {"class"},
}  # fmt: skip
_TAG, _VALUE, _EMPTY = re.compile("<(/?)([a-z0-9]+)"), re.compile('="[^"]*"'), ("br", "hr", "img")
_CLASS = re.compile(r"highlight|math (inline|block|amsmath)|[a-z]{1,2}[a-z0-9]?")
_FORMULA = re.compile(r'<(div|span) class="math ([a-z]+)">([^<]*)</\1>')
_MATHML = {
    "math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mroot",
    "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder",
    "munderover",
}  # fmt: skip
_MATHML_ATTRIBUTES = {
    "columnalign", "columnspacing", "display", "displaystyle", "fence", "form", "linethickness",
    "mathvariant", "maxsize", "minsize", "notation", "rowspacing", "stretchy", "width",
}  # fmt: skip
# Line ends at the beginning and the end of a formula. They are removed, because a page would show them.
_LINE_END = re.compile(r'(<div class="math [a-z]+">)\n|\n(</div>)')
_FORMATTER = HtmlFormatter()
_PYTHON = ("python", "python3", "py", "ipython", "ipython3")


class TooDeepError(ValueError):
    """A text has too deeply nested elements."""


class _Parser(MarkdownIt):
    """A parser that accepts all links, because `clean_html` removes unsafe addresses later."""

    def validateLink(self, url: str) -> bool:  # noqa: N802, ARG002 - the library's name
        return True


def clean_html(source: str) -> str:
    """Return the HTML without anything that could run code, load files or hide text.

    Raise TooDeepError if elements are nested too deeply.
    """
    cleaned = nh3.clean(
        writable(source),
        tags=_TAGS,
        clean_content_tags={"script", "style"},
        attributes=_ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto", "data", "attachment"},
        link_rel="noopener noreferrer nofollow",
    )
    if _most_open(cleaned) > MAX_OPEN:
        raise TooDeepError
    return cleaned


def _most_open(cleaned: str) -> int:
    """Return the greatest depth of nested elements in cleaned HTML."""
    steps = (-1 if end else 1 for end, name in _TAG.findall(_VALUE.sub("", cleaned)) if name not in _EMPTY)
    return max(accumulate(steps), default=0)


def markdown(source: str) -> str:
    """Return a text cell as HTML, with its formulas as LaTeX source in elements of the class "math"."""
    return _convert(source, html=True)


def mathml(source: str) -> str:
    """Return a text cell as HTML, with its formulas as MathML."""
    return _FORMULA.sub(_typeset, markdown(source))


def comment(source: str) -> str:
    """Return an instructor's comment in Markdown as HTML. HTML tags in it are shown as text."""
    return _convert(source, html=False)


def code(source: str) -> str:
    """Return Python code as HTML with the classes of pygments' style sheet."""
    return str(highlight(clean_text(source), PythonLexer(), _FORMATTER))


KINDS: Mapping[str, Callable[[str], str]] = {
    "html": clean_html,
    "markdown": markdown,
    "mathml": mathml,
    "comment": comment,
    "code": code,
}


def _convert(source: str, *, html: bool) -> str:
    text = clean_text(source)
    formulas = text.count("$") + text.count("\\begin{") <= MAX_FORMULAS
    rendered = _parser(html, formulas).render(text)
    return clean_html(_LINE_END.sub(r"\1\2", rendered))


def _typeset(formula: re.Match[str]) -> str:
    """Return a formula in cleaned HTML as MathML, or unchanged if latex2mathml cannot parse it.

    latex2mathml copies parts of the formula into elements and attributes. So a formula with an element that
    is not in _MATHML stays unchanged, and attributes that are not in _MATHML_ATTRIBUTES are deleted.
    ElementTree writes the MathML, because latex2mathml's writer does not escape text.
    """
    try:
        display = "inline" if formula[2] == "inline" else "block"
        element = convert_to_element(unescape(formula[3]), display=display)
    except Exception:
        return formula[0]
    for part in element.iter():
        if part.tag not in _MATHML:
            return formula[0]
        part.text = part.text and unescape(part.text)  # latex2mathml writes symbols as entities
        for name in set(part.attrib) - _MATHML_ATTRIBUTES:
            del part.attrib[name]
    return tostring(element, encoding="unicode")


@cache
def _parser(html: bool, formulas: bool) -> MarkdownIt:
    """Return a parser of Jupyter's Markdown. Without `html`, tags become text and line ends become <br>."""
    parser = _Parser("commonmark", {"html": html, "breaks": not html, "highlight": _highlight})
    parser.enable(["table", "strikethrough"])
    if formulas:
        dollarmath_plugin(
            parser,
            allow_labels=False,
            allow_space=False,
            allow_digits=False,
            allow_blank_lines=False,
            double_inline=True,
        )
        amsmath_plugin(parser, renderer=lambda formula: escape(formula.strip()))
    return parser


def _highlight(source: str, language: str, _: str) -> str:
    """Return Python code with colours, or "" for other languages, which stay plain."""
    if language not in _PYTHON:
        return ""
    inner = str(highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)))
    return f'<pre><span class="highlight">{inner}</span></pre>'


def _attribute(tag: str, name: str, value: str) -> str | None:
    """Return the value of an allowed attribute, or None. Pictures must be embedded, and links absolute."""
    if tag == "img" and name == "src":
        start = "data:image/png;base64,"
        embedded = value.startswith(start) and is_picture(value.removeprefix(start))
        return value if embedded or value.startswith("attachment:") else None
    if name == "href":
        return value if value.startswith(("http://", "https://", "mailto:", "#")) else None
    if name == "class":
        return value if _CLASS.fullmatch(value) else None
    return value


def main() -> None:
    """Reply to requests on standard input, a socket. Requests and replies are lines of JSON."""
    for render in KINDS.values():
        render(_SAMPLE)  # loads all modules, which is impossible after `_limit`
    _limit()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with socket.socket(fileno=0) as channel, channel.makefile("rwb") as stream:
        stream.write(b"\n")
        stream.flush()
        while line := stream.readline():
            request, start = json.loads(line), _seconds()
            html, whole = _render(**request)
            growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            worn = not whole or growth > _MAX_GROWTH
            reply = {"html": html and writable(html), "seconds": _seconds() - start, "worn": worn}
            stream.write(json.dumps(reply).encode() + b"\n")
            stream.flush()


def _render(kind: str, text: str, seconds: float) -> tuple[str | None, bool]:
    """Return the HTML (None if rendering failed), and whether this process can be used again.

    If rendering takes more than `seconds` of processor time, a signal ends this process.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return KINDS[kind](text), True
    except TooDeepError:
        return None, True
    except Exception:
        return None, False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _limit() -> None:
    # The three open files are standard input, output and error.
    bounds = {"CORE": 0, "FSIZE": 0, "NPROC": 0, "NOFILE": 3}
    with suppress(OSError):  # macOS has no /proc, and cannot limit memory
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        bounds["AS"] = pages * resource.getpagesize() + MAX_MEMORY
    for name, bound in bounds.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (bound, bound))


if __name__ == "__main__":
    main()
