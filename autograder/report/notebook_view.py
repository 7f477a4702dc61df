"""Shows a notebook as it ran: its cells and what they showed, in parts that fit on one page."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from autograder.report.allowance import Allowance
from autograder.report.pictures import TOO_LARGE
from autograder.report.safe_html import render_code, render_html, render_lines, render_markdown, render_text
from autograder.report.text import is_picture

REST = "The rest of the notebook is left out: the page would become too large."


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the page: what it is, for the template, and its HTML or the picture in base64."""

    kind: str  # text, code, output, error, html, picture, saved picture, or note
    content: Markup | str


def show_notebook(
    cells: Iterable[Any], saved_pictures: Mapping[str, tuple[str, ...]], allowance: Allowance
) -> Iterator[Part]:
    """Yield the parts of a notebook in order, until the page is full.

    `saved_pictures` are those of cells that were not run, by the cell's id, as the student saved them.
    """
    for cell in cells:
        for part in _parts(cell, saved_pictures, allowance):
            fits = allowance.take(len(part.content) + len(part.kind))
            yield part if fits else Part("note", TOO_LARGE)
            if allowance.room == 0:
                yield Part("note", REST)
                return


def _parts(cell: Any, saved: Mapping[str, tuple[str, ...]], allowance: Allowance) -> Iterator[Part]:
    if cell.cell_type == "markdown":
        yield Part("text", render_markdown(cell, allowance))
    else:
        yield Part("code", render_code(cell.source, allowance))
    for output in cell.get("outputs", ()):
        yield _output(output, allowance)
    for picture in saved.get(cell.get("id", ""), ()):
        yield Part("saved picture", "".join(picture.split()))


def _output(output: Any, allowance: Allowance) -> Part:
    """Return an output in the best of its forms that is harmless."""
    forms = output.get("data", {})
    if output.output_type == "stream":
        return Part("output", render_text(output.text))
    if output.output_type == "error":
        return Part("error", render_lines(output.traceback[0]))
    if is_picture(picture := "".join(forms.get("image/png", "").split())):
        return Part("picture", picture)
    if "text/html" in forms:
        return Part("html", render_html(forms["text/html"], allowance))
    return Part("output", render_text(forms.get("text/plain", "")))
