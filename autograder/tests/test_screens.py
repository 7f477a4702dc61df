"""Pages look as their golden screenshots, which notice what gets lost, and everybody can read them.

That is WCAG 2.1 AA, light and dark; and no page is long or scrolls sideways.
"""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from nbformat import NotebookNode, from_dict
from playwright.sync_api import BrowserContext, Page

from autograder.report.feedback_page import render_feedback
from autograder.report.report import AnswerLine, QuestionReport, Verdict
from autograder.tests.accessibility import violations
from autograder.tests.browser import IN_BROWSER, picture, show
from autograder.tests.report.test_example import SHOWN
from autograder.tests.report.test_feedback_page import ENTRY, HOLDS, QUESTION, REPORT, SUBMISSION
from autograder.tests.screens import Golden

pytestmark = IN_BROWSER

GOLDEN = Path(__file__).parent / "golden"
DASHBOARD = GOLDEN / "dashboard" / "dashboard.html"
PAGES = ("feedback", "dashboard", "similar", "viva")
WIDE = "document.documentElement.scrollWidth - innerWidth"
UNFOLD = "document.querySelectorAll('details').forEach(details => { details.open = true; })"
HINT = (
    "Your rows do not sum to 1, but your columns do. Over which dimension did you normalise? "
    "One change in line 3, at `dim=0`, makes all tests pass. All else is right."
)
LESSON = "## Move 2: weigh\n\nWe want **shares** of a whole, $e^{s_i} / \\sum_j e^{s_j}$."
LESSON_CELLS = [from_dict({"cell_type": "markdown", "source": LESSON})]


@pytest.fixture(scope="module")
def feedback(browser: BrowserContext, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """Return an open feedback page with something of everything."""
    path = tmp_path_factory.mktemp("feedback") / "page.html"
    path.write_text(feedback_text(), encoding="utf-8")
    return shown(browser, path)


def feedback_text(failures: int = 1) -> str:
    """Return a feedback page with so many questions that failed, and one that passed."""
    names = ["softmax", *(f"softmax_{number}" for number in range(2, failures + 1))]
    failed = [
        replace(QUESTION, name=name, hint=HINT, place=AnswerLine(name, 3), shown=SHOWN) for name in names
    ]
    passed = QuestionReport("attention_scores", Verdict.PASSED, 2.0, 2.0, tests=(HOLDS,))
    report = replace(REPORT, exercise="04_scaled_dot_product", questions=(*failed, passed))
    entries = [replace(ENTRY, question=name, remark="Nearly: *which row* is wrong?") for name in names]
    last = replace(ENTRY, question="attention_scores", auto_score=2.0)
    submission = replace(SUBMISSION, entries=(*entries, last), seconds_late=7200)
    title = "4. Scaled dot-product attention"
    cells = [*LESSON_CELLS, *map(answer, names)]
    return render_feedback(report, submission, cells, title=title, student="Ada Lovelace")


def shown(browser: BrowserContext, path: Path) -> Page:
    """Open a page in a window as high as it is, up to a height."""
    page = show(browser, path.as_uri(), width=1000)
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": 1000, "height": min(1300, height)})
    return page


def answer(name: str) -> NotebookNode:
    """Return the student's answer to a question."""
    printed = {"output_type": "stream", "name": "stdout", "text": "tensor([0.8000, 0.2000])"}
    code = {
        "cell_type": "code",
        "metadata": {"nbgrader": {"grade_id": name, "solution": True}},
        "source": f"def {name}(scores):\n    powers = scores.exp()\n    return powers / powers.sum(dim=0)",
        "outputs": [printed],
    }
    return from_dict(code)


def test_a_student_s_page(feedback: Page, golden_screen: Golden) -> None:
    golden_screen("feedback.png", lambda: picture(feedback))


def test_an_instructor_s_dashboard(browser: BrowserContext, golden_screen: Golden) -> None:
    page = shown(browser, DASHBOARD)
    golden_screen("dashboard.png", lambda: picture(page))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a page of each kind, that of a student with three failures among them."""
    path = tmp_path_factory.mktemp("pages") / "feedback.html"
    path.write_text(feedback_text(failures=3), encoding="utf-8")
    return {
        "feedback": path,
        "dashboard": DASHBOARD,
        **{name: GOLDEN / f"{name}.html" for name in ("similar", "viva")},
    }


def at(browser: BrowserContext, path: Path, width: int) -> Page:
    return show(browser, path.as_uri(), width=width)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible(
    name: str, scheme: Literal["light", "dark"], browser: BrowserContext, pages: dict[str, Path]
) -> None:
    page = at(browser, pages[name], 1280)
    page.emulate_media(color_scheme=scheme)
    assert violations(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_scrolls_sideways_on_a_narrow_screen(
    name: str, browser: BrowserContext, pages: dict[str, Path]
) -> None:
    page = at(browser, pages[name], 360)
    assert page.evaluate(WIDE) <= 0
    page.evaluate(UNFOLD)
    assert page.evaluate(WIDE) <= 0
