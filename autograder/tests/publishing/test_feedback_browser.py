"""In a browser, pages that leave the course fire nothing and ask for nothing."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from autograder.course.course import Course
from autograder.report.safe_html import POLICY
from autograder.tests.browser import IN_BROWSER, SETTLED, Listener, Visit, visit
from autograder.tests.publishing.hostile_class import OWNED, PAYLOADS, STUDENTS, page

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
