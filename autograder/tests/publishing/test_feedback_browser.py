"""In a browser, pages that leave the course fire nothing and ask for nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from autograder.course.course import Course
from autograder.publishing import dashboard
from autograder.publishing.graded_work import GradedWork
from autograder.report.feedback_page import render_feedback
from autograder.report.safe_html import POLICY
from autograder.tests.browser import IN_BROWSER, SETTLED, Listener, Visit, show, visit
from autograder.tests.publishing.hostile_class import OWNED, PAYLOADS, STUDENTS, page
from autograder.tests.publishing.works import SMALL_CLASS

pytestmark = IN_BROWSER
FORM = next(payload for payload in PAYLOADS if "<form" in payload)
STAYING = [payload for payload in PAYLOADS if "http-equiv" not in payload and payload != FORM]


def visit_markup(browser: BrowserContext, folder: Path, *markup: str, seconds: float = SETTLED) -> Visit:
    """Visit a page of this markup, in a folder of its own."""
    path = folder / "page.html"
    path.write_text("\n".join(("<!DOCTYPE html><title>as it was</title>", *markup)), encoding="utf-8")
    return visit(browser, path, seconds=seconds)


@pytest.mark.parametrize("name", [*STUDENTS, "dashboard"])
def test_a_page_fires_nothing_and_asks_for_nothing(
    name: str, published: Course, browser: BrowserContext, listener: Listener
) -> None:
    """Nor is it wider than a narrow screen."""
    listener.drain()
    is_dashboard = name == "dashboard"
    seen = visit(browser, page(published, name), width=320 if is_dashboard else 400, seconds=0.5)
    assert seen.events == ()
    dashboard = f"{published.settings.title}: dashboard"
    assert seen.title == (dashboard if is_dashboard else f"01_small: feedback for {name}")
    assert listener.drain() == []
    assert seen.overflow <= 0


def test_the_browser_reports_what_payloads_do_on_an_open_page(
    browser: BrowserContext, listener: Listener, tmp_path: Path
) -> None:
    expected = {PAYLOADS[payload] for payload in STAYING} | {"title owned"}
    expected |= {
        f"GET {path} HTTP/1.1" for _, call, path in (e.partition(".example") for e in expected) if call
    }
    seen = visit_markup(browser, tmp_path, *STAYING, OWNED)
    assert expected - {*seen.events, *listener.drain(), f"title {seen.title}"} == set()


@pytest.mark.parametrize("payloads", [STAYING, [FORM]], ids=["staying", "form"])  # none stops a refresh
def test_the_policy_alone_stops_what_a_page_might_let_through(
    payloads: list[str], browser: BrowserContext, listener: Listener, tmp_path: Path
) -> None:
    listener.drain()
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    seen = visit_markup(browser, tmp_path, policy, *payloads, OWNED, seconds=0.5)
    assert not seen.kinds & {"dialog", "console", "exception", "window"}
    assert seen.title == "as it was"
    # To where a form or a frame leads, Chromium connects before it asks the policy, but it sends nothing.
    assert set(listener.drain()) <= {"a connection", ""}


BROKEN_WORDS = """[...document.querySelectorAll(
    '.overview th code, h2 code, summary code, th.name, td.name'
)].flatMap((element) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), broken = [];
    while (texts.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(texts.currentNode);
        const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (lines.size > 1) broken.push(texts.currentNode.textContent);
    }
    return broken;
})"""
LONG = "scaled_dot_product_attention_of_a_DecoderLayer"


def renamed(work: GradedWork) -> GradedWork:
    """Return the work with a long name for its first question."""
    assert work.report is not None
    first, *others = work.report.questions
    own, *rest = work.submission.entries
    return replace(
        work,
        report=replace(work.report, questions=(replace(first, name=LONG), *others)),
        submission=replace(work.submission, entries=(replace(own, question=LONG), *rest)),
    )


@pytest.mark.parametrize("width", [320, 400, 1000])
def test_long_names_of_questions_are_broken_at_underscores_alone(
    course: Course, browser: BrowserContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    works = [renamed(work) for work in SMALL_CLASS]
    monkeypatch.setattr(dashboard, "read_graded_work", lambda *_: works)
    path, report = tmp_path / "page.html", works[1].report
    assert report is not None
    path.write_text(render_feedback(report, works[1].submission, ()), encoding="utf-8")
    for written, names in (
        (path, ".overview th code"),
        (dashboard.write_dashboard(course, course.chosen([])), "th.name"),
    ):
        seen = show(browser, written.as_uri(), width=width)
        seen.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert LONG in seen.evaluate(f"[...document.querySelectorAll('{names}')].map((one) => one.innerText)")
        assert seen.evaluate(BROKEN_WORDS) == []
        assert seen.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
