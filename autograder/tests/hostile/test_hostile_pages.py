"""What a page shows may be built to take for ever: it costs its own part, and all pages are written."""

import base64
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from nbformat import NotebookNode, from_dict

from autograder.course.course import Course
from autograder.gradebook.pages import write_feedback
from autograder.grading.graded import CellResult, Graded, Output
from autograder.report.feedback_page import render_feedback
from autograder.report.safe_html import LEFT_OUT, MAX_PAGE, TOO_LARGE
from autograder.submission.submission import Submission
from autograder.tests.classroom import small, solved
from autograder.tests.gradebook.rows import full_marks, record
from autograder.tests.report.test_feedback_page import REPORT, SUBMISSION
from autograder.tests.report.test_safe_html import ENDLESS
from autograder.tests.report.test_text import png

PICTURE = base64.b64encode(base64.b64decode(png(40, 40)) + bytes(150_000)).decode()


def many(template: str, count: int) -> str:
    """Return `template` again and again, with the number in the place of {n}."""
    return "".join(template.replace("{n}", str(number)) for number in range(count))


# Without bounds, each of these took seconds to minutes, up to gigabytes, or made a page of megabytes.
TEXTS: dict[str, Callable[[], str]] = {
    "open tags": lambda: "<b>" * 6000,
    "open tags that differ": lambda: many("<b {n}>", 3000) + many("<i {n}>", 3000) + "x</b>" * 3000,
    "tags made anew in each paragraph": lambda: many("<b class=x{n}>", 3000) + "<p>x" * 3000,
    "tags closed in menus": lambda: ENDLESS[:49_000],
    "nested lists of tags": lambda: "<ul><li>" * 6000,
    "nested tables": lambda: "<table><tr><td>" * 3000,
    "blocks of tags": lambda: "<div>\n\n" * 6000,
    "attributes": lambda: "<a " + many("a{n}=1 ", 5000) + ">",
    "comments without end": lambda: "<!--" * 12_000,
    "nested lists": lambda: "- " * 6000 + "x",
    "lists of all kinds": lambda: "- 1. * " * 3000,
    "nested quotes": lambda: "> " * 20_000 + "x",
    "unfinished formulas": lambda: "$a " * 16_000,
    "unfinished blocks of formulas": lambda: "$$a\n# b\n" * 6000,
    "unfinished environments": lambda: "\\begin{align}\n# b\n" * 2700,
    "environments of other names": lambda: many("\\begin{a{n}}", 3000),
    "brackets of formulas": lambda: "\\\\[" * 16_000,
    "emphasis": lambda: "*a**a*" * 8000,
    "brackets": lambda: "[" * 49_000,
    "unfinished links": lambda: "[a](<b" * 8000,
    "references": lambda: many("[a{n}]: b\n", 3000) + "[a1]" * 3000,
    "a wide table": lambda: "|a" * 8000 + "|\n" + "|-" * 8000 + "|\n",
    "a table of short rows": lambda: "|a" * 1000 + "|\n" + "|-" * 1000 + "|\n" + "|a|\n" * 3000,
    "backticks": lambda: " ".join("`" * number for number in range(300)),
    "entities": lambda: "&amp;&#" * 7000,
    "another language": lambda: "```perl\n" + "<<a;" * 12_000 + "\n```",
    "one picture, named again and again": lambda: "![p](attachment:p)\n" * 1000,
    "more than anybody writes": lambda: "*a* " * 400_000,
}


def shown(text: str) -> str:
    """Return a page with `text` as a cell and as an output, and an honest cell below."""
    cells = [
        NotebookNode(cell_type="markdown", source=text, attachments={"p": {"image/png": PICTURE}}),
        from_dict({"cell_type": "code", "source": "show()", "outputs": list(outputs(text))}),
        NotebookNode(cell_type="markdown", source="*still here*"),
    ]
    return render_feedback(REPORT, SUBMISSION, cells)


def outputs(text: str) -> Iterator[dict[str, object]]:
    yield {"output_type": "display_data", "data": {"text/html": text}}
    yield {"output_type": "display_data", "data": {"image/png": png(4, 4)}}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_page_is_written_whatever_a_text_cell_or_an_output_holds(kind: str) -> None:
    page = shown(TEXTS[kind]())
    assert "<em>still here</em>" in page
    assert png(4, 4) in page
    assert len(page) < MAX_PAGE


def test_a_picture_counts_each_time_it_is_shown() -> None:
    page = shown(TEXTS["one picture, named again and again"]())
    assert 1 < page.count(PICTURE) < 30
    assert TOO_LARGE in page


def test_a_class_with_killers_is_published_and_honest_pages_stay_the_same(ready: Course) -> None:
    exercise = small(ready)
    record(ready, "ann", graded(ready, "<b>fine</b>"), made=solved(exercise))
    honest = Submission(ready.root, "ann", "01_small").feedback
    list(write_feedback(ready, exercise))
    alone = honest.read_bytes()
    assert b"<b>fine</b>" in alone
    mean = solved(exercise, why="<div>" * 6000)
    record(ready, "mallory", graded(ready, "<b>" * 6000), made=mean)
    autograded = Submission(ready.root, "mallory", "01_small").autograded.read_text(encoding="utf-8")
    assert LEFT_OUT in autograded  # the formgrader shows what stands there
    pages = [Submission(ready.root, name, "01_small").feedback for name in ("ann", "mallory")]
    assert list(write_feedback(ready, exercise)) == pages
    assert honest.read_bytes() == alone
    assert pages[1].read_text(encoding="utf-8").count(LEFT_OUT) == 2


def graded(course: Course, html: str) -> Graded:
    """Return full marks for a notebook whose first cell of code shows `html`."""
    shown = CellResult((Output(data=(("text/html", html),)),), None)
    cells = [cell["cell_type"] for cell in solved(small(course))["cells"]]
    return replace(full_marks(small(course)), results={cells.index("code"): shown})
