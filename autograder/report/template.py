"""Loads the templates of our HTML pages, all in one environment that escapes whatever they print."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from autograder.report import safe_html
from autograder.report.text import is_picture, number

_HERE = Path(__file__).parent


@cache
def load_template(path: Path) -> Template:
    """Return the template at `path`, compiled once; it may extend page.html, the frame of every page."""
    loader = FileSystemLoader([path.parent, _HERE])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, auto_reload=False)
    environment.trim_blocks = environment.lstrip_blocks = environment.keep_trailing_newline = True
    environment.globals.update(policy=safe_html.POLICY, code_style=safe_html.CODE_STYLE)
    environment.tests["picture"] = is_picture
    environment.filters.update(number=number, text=safe_html.render_text, lines=safe_html.render_lines)
    environment.filters.update(html=safe_html.render_html, markdown=safe_html.render_markdown)
    environment.filters["code"] = safe_html.render_code
    return environment.get_template(path.name)
