"""Writes the feedback page about one submission: test results, then the notebook."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from autograder.report.question_view import QuestionView, show_question
from autograder.report.report import (
    GradebookSubmission,
    Report,
    Status,
    Verdict,
    describe_unreadable,
)
from autograder.report.safe_html import (
    TOO_LARGE,
    Allowance,
    anchored,
    load_template,
    render_code,
    render_html,
    render_lines,
    render_markdown,
    render_text,
)
from autograder.report.text import is_picture

_TEMPLATE = Path(__file__).with_suffix(".html")
_CRASHES = (Verdict.CRASHED, Verdict.NOT_DEFINED)
_ANCHOR = "lesson-"
_MAX_HEADING = 200  # characters
_NAMELESS = "a part without a name"
REST = "The rest of the notebook is left out: the page would become too large."
SavedPictures = Mapping[str, tuple[str, ...]]  # pictures in base64, by the id of their demo cell


class Part(NamedTuple):
    """A cell or an output of the notebook on the page."""

    kind: str  # text, code, output, error, html, picture, saved picture, or note
    content: Markup | str  # HTML, or a picture in base64


class Lesson(NamedTuple):
    """A heading of the notebook. Each question's result links to the heading above its answer."""

    heading: str
    anchor: str  # the id of the heading


def render_feedback(
    report: Report,
    submission: GradebookSubmission,
    cells: Iterable[Any],
    saved: SavedPictures | None = None,
    *,
    attempts: Sequence[str] = (),
    attempt: str = "",
    passed_over: str = "",
    note: str = "",
    title: str = "",
    student: str = "",
) -> str:
    """Return the page. The same report, grades and notebook give the same page.

    - `saved`: pictures of demo cells, from the student's file; grading does not run demo cells
    - `attempts`: a line about each attempt if there are several, otherwise empty
    - `attempt`: the name of the attempt that counts
    - `passed_over`: the reason why the newest attempt does not count, or ""
    - `note`: says which results the page leaves out, or ""
    - `title`, `student`: the exercise's title and the student's name
    """
    allowance, cells = Allowance(), list(cells)
    entries = {entry.question: entry for entry in submission.entries}
    unreadable = describe_unreadable(report.message) if report.status is Status.UNREADABLE else ""
    abouts = ((cell, cell.get("metadata", {}).get("nbgrader", {})) for cell in cells)
    sources = {about["grade_id"]: cell.source for cell, about in abouts if about.get("solution")}
    questions = [
        show_question(
            question,
            entries.get(question.name),
            allowance,
            sources=sources,
            position=position,
        )
        for position, question in enumerate(report.questions, 1)
    ]
    judged = [] if unreadable else questions
    failures = _failures(judged)
    lessons = dict[str, Lesson]()
    parts = list(show_notebook(cells, saved or {}, allowance, lessons))
    return load_template(_TEMPLATE).render(
        report=report,
        submission=submission,
        title=title or report.exercise,
        student=student or submission.student,
        questions=judged,
        remarks=[question for question in questions if unreadable],
        failures=failures,
        others=[question for question in judged if not question.failed],
        parts=parts,
        lessons=lessons,
        late=_duration(submission.seconds_late),
        extended=submission.extended and submission.extended.strftime("%Y-%m-%d %H:%M %Z"),
        attempts=attempts,
        attempt=attempt,
        passed_over=passed_over,
        note=note,
        unreadable=unreadable,
    )


def _failures(questions: Iterable[QuestionView]) -> list[list[QuestionView]]:
    """Return the failed questions in groups with the same error."""
    groups = dict[object, list[QuestionView]]()
    for question in questions:
        if question.failed:
            error = question.badge, re.sub(r" \(in \d+ tests\)$", "", question.lead)
            has_place = question.badge in _CRASHES and "the cell of" in question.lead
            groups.setdefault(error if has_place else question.name, []).append(question)
    return list(groups.values())


def show_notebook(
    cells: Iterable[Any], saved_pictures: SavedPictures, allowance: Allowance, lessons: dict[str, Lesson]
) -> Iterator[Part]:
    """Yield the parts of a notebook in order, until `allowance` has no room left.

    For each question, store in `lessons` the nearest h1 or h2 above the answer.
    """
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
    """Give ids to the h1 and h2 headings of a text. Return the text and the last heading so far."""
    number = 0 if last is None else int(last.anchor.removeprefix(_ANCHOR))
    content, headings = anchored(part.content, _ANCHOR, number + 1)
    if headings:
        last = Lesson(headings[-1][:_MAX_HEADING] or _NAMELESS, f"{_ANCHOR}{number + len(headings)}")
    return Part(part.kind, content), last


def _parts(cell: Any, saved: SavedPictures, allowance: Allowance) -> Iterator[Part]:
    if cell.cell_type == "markdown":
        yield Part("text", render_markdown(cell, allowance))
    else:
        yield Part("code", render_code(cell.source, allowance))
    for output in cell.get("outputs", ()):
        yield _output(output, allowance)
    for picture in saved.get(cell.get("id", ""), ()):
        yield Part("saved picture", "".join(picture.split()))


def _output(output: Any, allowance: Allowance) -> Part:
    """Return an output as a PNG picture. If there is no picture, return HTML or else text."""
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


def _duration(seconds: float) -> str:
    """Return a time in its largest unit, or "" for 0 seconds."""
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if (count := int(seconds // size)) > 0:
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "less than a minute" if seconds > 0 else ""
