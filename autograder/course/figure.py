"""Puts an exercise's own figures into the texts that show them, so that a released notebook needs no file.

An author writes `![what it shows](name.png)` in a text cell and lays the PNG into the exercise's folder. It
becomes an `<img>` with the figure as a data URI, the one form that JupyterLab, Notebook, VS Code and Colab
all show from within a notebook: Colab shows no attachments (googlecolab/colabtools, issue 3836). An SVG may
stand there, too, but Colab shows its words alone (issue 2092).
"""

import html
import re
import struct
from base64 import b64encode
from collections.abc import Callable

_FIGURE = re.compile(r"!\[([^\]]*)\]\(([\w-]+\.(svg|png))\)")
_KINDS = {"svg": "svg+xml", "png": "png"}
SUFFIXES = tuple(f".{kind}" for kind in _KINDS)
_PNG = b"\x89PNG\r\n\x1a\n"
_IN_A_METRE = 96 / 0.0254  # pixels, by which browsers measure


def with_figures(text: str, read: Callable[[str], bytes]) -> str:
    """Return a text with the figures in it that `read` gives by their names."""
    return _FIGURE.sub(lambda match: _image(match[1], read(match[2]), _KINDS[match[3]]), text)


def _image(words: str, figure: bytes, kind: str) -> str:
    told = html.escape(" ".join(words.split()))
    content = b64encode(figure).decode()
    return f'<img alt="{told}"{_width(figure)} src="data:image/{kind};base64,{content}">'


def _width(figure: bytes) -> str:
    """Return the attribute by which a PNG that says how fine it is comes out as large as it was drawn."""
    place = figure.find(b"pHYs", 0, figure.find(b"IDAT")) if figure.startswith(_PNG) else -1
    if place < 0:
        return ""
    (pixels,), (in_a_metre,) = (struct.unpack_from("!I", figure, at) for at in (16, place + 4))
    return f' width="{pixels * _IN_A_METRE / in_a_metre:.0f}"'
