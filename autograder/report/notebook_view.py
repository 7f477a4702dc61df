"""Shows a notebook as it ran: its cells and what they showed, in parts that fit on one page."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from autograder.report.allowance import Allowance
from autograder.report.pictures import TOO_LARGE
from autograder.report.safe_html import (
    anchored,
    render_code,
    render_html,
    render_lines,
    render_markdown,
    render_text,
)
from autograder.report.text import is_picture

_ANCHOR = "lesson-"
_MAX_HEADING = 200  # letters
_NAMELESS = "a part without a name"
REST = "The rest of the notebook is left out: the page would become too large."


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the page: what it is, for the template, and its HTML or the picture in base64."""

    kind: str  # text, code, output, error, html, picture, saved picture, or note
    content: Markup | str


@dataclass(frozen=True, slots=True)
class Lesson:
    """A part of the lesson on the page: its heading, as it was written, and where it begins."""

    heading: str
    anchor: str


def show_notebook(
    cells: Iterable[Any],
    saved_pictures: Mapping[str, tuple[str, ...]],
    allowance: Allowance,
    lessons: dict[str, Lesson] | None = None,
) -> Iterator[Part]:
    """Yield the parts of a notebook in order, until the page is full.

    `saved_pictures` are those of cells that were not run, by the cell's id, as the student saved them.
    What is put into `lessons` says to which part of the lesson each question belongs: to the one of the last
    larger heading above its answer.
    """
    lessons = {} if lessons is None else lessons
    last: Lesson | None = None
    for cell in cells:
        about = cell.get("metadata", {}).get("nbgrader", {})
        if last is not None and about.get("solution"):
            lessons.setdefault(about["grade_id"], last)
        for part in _parts(cell, saved_pictures, allowance):
            if part.kind == "text":
                part, last = _anchored(part, last)
            fits = allowance.take(len(part.content) + len(part.kind))
            yield part if fits else Part("note", TOO_LARGE)
            if allowance.room == 0:
                yield Part("note", REST)
                return


def _anchored(part: Part, last: Lesson | None) -> tuple[Part, Lesson | None]:
    """Return a text with a link's aim at each larger heading, and the last of them, or else `last`."""
    number = 0 if last is None else int(last.anchor.removeprefix(_ANCHOR))
    content, headings = anchored(part.content, _ANCHOR, number + 1)
    if headings:
        last = Lesson(headings[-1][:_MAX_HEADING] or _NAMELESS, f"{_ANCHOR}{number + len(headings)}")
    return Part(part.kind, content), last


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
