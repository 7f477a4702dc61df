"""Makes HTML pages of templates that escape what they print, and of strangers' text that can run nothing.

This is the only module that marks text as safe. Everything else that a template prints, it escapes.
"""

import html
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup
from nbconvert.filters import markdown2html
from nbconvert.filters.markdown_mistune import InvalidNotebook
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.report.text import clean_html, clean_text, is_picture, number

# Every page carries this policy, so that the browser refuses whatever the cleaning might have let through.
POLICY = Markup(
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_HERE = Path(__file__).parent
_FORMATTER = HtmlFormatter()
CODE_STYLE = str(_FORMATTER.get_style_defs(".highlight"))  # the style sheet of highlighted code
_ANCHORS = re.compile(r'<a class="anchor-link"[^>]*>[^<]*</a>')
_SHARED_CELLS = 512  # the cells that most notebooks of a class have in common are rendered once


def render_text(text: str) -> Markup:
    """Return `text` as HTML that shows it letter for letter, with its line ends as they are."""
    return _safe(html.escape(clean_text(text)))


def render_lines(text: str) -> Markup:
    """Return `text` as HTML that shows it letter for letter, with a `<br>` for each line end."""
    return render_text(text).replace("\n", Markup("<br>"))


def render_html(source: str) -> Markup:
    """Return the harmless part of `source`."""
    return _safe(clean_html(source))


def render_markdown(cell: Any) -> Markup:
    """Return a markdown cell as HTML that cannot run anything, with its embedded pictures in place."""
    source = clean_text(cell.source)
    for name, forms in cell.get("attachments", {}).items():
        picture = f"data:image/png;base64,{''.join(forms.get('image/png', '').split())}"
        source = source.replace(f"attachment:{name}", picture)
    return _markdown(source)


@lru_cache(_SHARED_CELLS)
def render_code(source: str) -> Markup:
    """Return Python code with the classes that `CODE_STYLE` colours."""
    return _safe(str(highlight(clean_text(source), PythonLexer(), _FORMATTER)))


@cache
def load_template(path: Path) -> Template:
    """Return the template at `path`, compiled once; it may extend page.html, the frame of every page."""
    loader = FileSystemLoader([path.parent, _HERE])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, auto_reload=False)
    environment.trim_blocks = environment.lstrip_blocks = environment.keep_trailing_newline = True
    environment.globals.update(policy=POLICY, code_style=CODE_STYLE)
    environment.tests["picture"] = is_picture
    environment.filters.update(number=number, text=render_text, lines=render_lines, html=render_html)
    environment.filters.update(markdown=render_markdown, code=render_code)
    return environment.get_template(path.name)


@lru_cache(_SHARED_CELLS)
def _markdown(source: str) -> Markup:
    try:
        converted = markdown2html(source)
    except InvalidNotebook:  # it names an attachment that is not there, or is no PNG: the picture stays empty
        converted = markdown2html(source.replace("attachment:", "missing:"))
    return render_html(_ANCHORS.sub("", converted))


def _safe(cleaned: str) -> Markup:
    return Markup(cleaned)  # noqa: S704 - callers in this module have cleaned or escaped it
