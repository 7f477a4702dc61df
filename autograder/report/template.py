"""Loads the templates of our HTML pages, all in one environment that escapes whatever they print."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from autograder.report.safe_html import (
    POLICY,
    code_style,
    render_code,
    render_html,
    render_lines,
    render_markdown,
    render_text,
)
from autograder.report.text import is_picture, number

_HERE = Path(__file__).parent


@cache
def load_template(path: Path) -> Template:
    """Return the template at `path`, compiled once; it may extend page.html, the frame of every page."""
    environment = Environment(
        loader=FileSystemLoader([path.parent, _HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.globals.update(policy=POLICY, code_style=code_style)
    environment.tests["picture"] = is_picture
    environment.filters.update(
        number=number,
        text=render_text,
        lines=render_lines,
        html=render_html,
        markdown=render_markdown,
        code=render_code,
    )
    return environment.get_template(path.name)
