"""Puts an exercise's own figures into the texts that show them, so that a released notebook needs no file.

An author writes `![what it shows](name.svg)` in a text cell and lays the SVG into the exercise's folder. It
becomes an `<img>` with the figure as a data URI, the one form in which JupyterLab, Notebook and VS Code all
show an SVG from within a notebook. Colab shows none, and the words in brackets in its place.
"""

import html
import re
from base64 import b64encode
from collections.abc import Callable

_FIGURE = re.compile(r"!\[([^\]]*)\]\(([\w-]+\.svg)\)")


def with_figures(text: str, read: Callable[[str], bytes]) -> str:
    """Return a text with the figures in it that `read` gives by their names."""
    return _FIGURE.sub(lambda match: _image(match[1], read(match[2])), text)


def _image(words: str, figure: bytes) -> str:
    told = html.escape(" ".join(words.split()))
    return f'<img alt="{told}" src="data:image/svg+xml;base64,{b64encode(figure).decode()}">'
