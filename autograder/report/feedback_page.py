"""Writes the feedback page on one submission: what tests found, then the notebook; nothing in it can run."""

import html
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from nbconvert.filters import markdown2html
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission
from autograder.report.report import QuestionReport, Report, Status, TestReport, Verdict
from autograder.report.text import clean_html, clean_text, is_picture, number

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = Path(__file__).with_name("page.css")
_ANCHORS = re.compile(r'<a class="anchor-link"[^>]*>[^<]*</a>')
_SHARED = 512  # cells of which most notebooks of a class have the same
OUTCOMES = {
    Verdict.PASSED: "Everything that was tested holds.",
    Verdict.FAILED: "Something that was tested does not hold yet.",
    Verdict.NOT_ATTEMPTED: "The stub is still there.",
    Verdict.NOT_DEFINED: "The notebook, run from top to bottom, does not define it.",
    Verdict.CRASHED: "Your code stopped with an error.",
    Verdict.TIMED_OUT: "Your code took too long.",
    Verdict.BLOCKED: "Your code asked for something that is not allowed here.",
    Verdict.REVIEW: "A person will look at this one.",
    Verdict.GRADER_ERROR: "The autograder failed here, not you. Your instructor has been told.",
    Verdict.UNGRADED: "A written answer, read by a person.",
}


def page(report: Report, handin: GradebookSubmission, cells: Iterable[Any]) -> str:
    """Return the page, the same for the same report, grades and notebook."""
    title = html.escape(report.exercise)
    body = "\n".join([*_summary(report, handin), *_questions(report, handin), *_notebook(cells)])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{_styles()}\n</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def render_markdown(cell: Any) -> str:
    """Return a markdown cell as HTML that cannot run anything, its embedded pictures in place."""
    source = clean_text(cell.source)
    for name, forms in cell.get("attachments", {}).items():
        picture = f"data:image/png;base64,{''.join(forms.get('image/png', '').split())}"
        source = source.replace(f"attachment:{name}", picture)
    return _rendered(source)


def _summary(report: Report, handin: GradebookSubmission) -> Iterator[str]:
    if handin.score is None:
        yield "<p class=score>This submission has no score yet.</p>"
    else:
        yield f"<p class=score>Score: {number(handin.score)} of {number(handin.max_score)}</p>"
    waiting = [entry.question for entry in handin.entries if entry.needs_person]
    if waiting:
        names = ", ".join(html.escape(name) for name in waiting)
        yield f"<p>Not final yet: a person will still look at {names}.</p>"
    if handin.seconds_late > 0:
        penalty = f", which costs {number(handin.penalty)} points" if handin.penalty else ""
        yield f"<p>Handed in {_duration(handin.seconds_late)} late{penalty}.</p>"
    if report.status is Status.UNREADABLE:
        yield f"<p class=message>The file could not be read: {_text(report.message)}.</p>"
    elif report.message:
        yield f"<p class=message>{_text(report.message)}</p>"


def _questions(report: Report, handin: GradebookSubmission) -> Iterator[str]:
    entries = {entry.question: entry for entry in handin.entries}
    for question in report.questions:
        yield "<section>"
        yield from _question(question, entries.get(question.name), report.status is Status.UNREADABLE)
        yield "</section>"


def _question(question: QuestionReport, entry: GradebookEntry | None, unreadable: bool) -> Iterator[str]:
    score = entry.score if entry is not None else question.score
    worth = number(score) if score is not None else "no score yet,"
    verdict = "unreadable" if unreadable else str(question.verdict)
    kind = verdict.replace(" ", "-")
    yield f"<h2><code>{html.escape(question.name)}</code> <span class={kind}>{verdict}</span></h2>"
    meaning = "" if unreadable else OUTCOMES[question.verdict]
    yield f"<p>{worth} of {number(question.max_score)} points. {meaning}</p>"
    if question.hint:
        yield f"<p class=hint>{_text(question.hint)}</p>"
    if question.tests:
        yield "<ul>"
        lines = [_test(test, question) for test in question.tests]
        for line, same in groupby(lines):
            cases = len(list(same))
            yield f"<li>{line}{f' ({cases} cases)' if cases > 1 else ''}</li>"
        yield "</ul>"
    if entry is not None and entry.remark:
        yield f"<p class=remark>Your instructor writes: {_text(entry.remark)}</p>"


def _test(test: TestReport, question: QuestionReport) -> str:
    hint = f"<br>{_text(test.hint)}" if test.hint and test.hint != question.hint else ""
    kind = str(test.verdict).replace(" ", "-")
    return f"<span class={kind}>{test.verdict}</span>: {_text(test.title)}{hint}"


def _notebook(cells: Iterable[Any]) -> Iterator[str]:
    yield "<h2>Your notebook, as it ran</h2>"
    for cell in cells:
        if cell.cell_type == "markdown":
            yield f"<div class=text>{render_markdown(cell)}</div>"
        else:
            yield f"<div class=code>{_highlighted(cell.source)}</div>"
        yield from (_output(output) for output in cell.get("outputs", ()))


@lru_cache(_SHARED)
def _rendered(source: str) -> str:
    return clean_html(_ANCHORS.sub("", markdown2html(source)))


@lru_cache(_SHARED)
def _highlighted(code: str) -> str:
    return str(highlight(clean_text(code), PythonLexer(), HtmlFormatter()))


@cache
def _styles() -> str:
    return STYLE.read_text(encoding="utf-8") + str(HtmlFormatter().get_style_defs(".highlight"))


def _output(output: Any) -> str:
    if output.output_type == "stream":
        return f"<pre class=output>{_verbatim(output.text)}</pre>"
    if output.output_type == "error":
        return f"<pre class=error>{_verbatim(output.traceback[0])}</pre>"
    data = output.get("data", {})
    if is_picture(data.get("image/png", "")):
        picture = re.sub(r"\s", "", data["image/png"])
        return (
            f'<p class=output><img alt="output of the cell above" src="data:image/png;base64,{picture}"></p>'
        )
    if "text/html" in data:
        return f"<div class=output>{clean_html(data['text/html'])}</div>"
    return f"<pre class=output>{_verbatim(data.get('text/plain', ''))}</pre>"


def _verbatim(text: str) -> str:
    return html.escape(clean_text(text))


def _text(text: str) -> str:
    return _verbatim(text).replace("\n", "<br>")


def _duration(seconds: float) -> str:
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "less than a minute"
