"""Everybody can read the pages: WCAG 2.1 AA, light and dark, and no page is long or scrolls sideways."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Page

from autograder.tests.accessibility import violations
from autograder.tests.browser import IN_BROWSER, show
from autograder.tests.test_screens import DASHBOARD, feedback_text

pytestmark = IN_BROWSER

GOLDEN = Path(__file__).parent / "golden"
SIMILAR = GOLDEN / "similar.html"
VIVA = GOLDEN / "viva.html"
SCREEN = 800  # pixels
WIDE = "document.documentElement.scrollWidth - innerWidth"
UNFOLD = "document.querySelectorAll('details').forEach(details => { details.open = true; })"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a page of each kind, that of a student with three failures among them."""
    path = tmp_path_factory.mktemp("pages") / "feedback.html"
    path.write_text(feedback_text(failures=3), encoding="utf-8")
    return {"feedback": path, "dashboard": DASHBOARD, "similar": SIMILAR, "viva": VIVA}


def at(browser: BrowserContext, path: Path, width: int) -> Page:
    return show(browser, path.as_uri(), width=width)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["feedback", "dashboard", "similar", "viva"])
def test_a_page_is_accessible(
    name: str, scheme: Literal["light", "dark"], browser: BrowserContext, pages: dict[str, Path]
) -> None:
    page = at(browser, pages[name], 1280)
    page.emulate_media(color_scheme=scheme)
    assert violations(page) == []


def test_what_is_not_accessible_is_noticed(browser: BrowserContext, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    pale = "<p style='color: #bbb'>Some words.</p><img src=a.png width=9>"
    path.write_text(f"<!DOCTYPE html><title>a</title>{pale}", encoding="utf-8")
    found = {one.partition(":")[0] for one in violations(at(browser, path, 1280))}
    assert found == {"color-contrast", "html-has-lang", "image-alt"}


@pytest.mark.parametrize(("width", "screens"), [(1280, 2), (400, 4)])
def test_three_failures_take_few_screens(
    width: int, screens: int, browser: BrowserContext, pages: dict[str, Path]
) -> None:
    height = at(browser, pages["feedback"], width).evaluate("document.documentElement.scrollHeight")
    assert height <= screens * SCREEN


@pytest.mark.parametrize("name", ["feedback", "dashboard", "similar", "viva"])
def test_nothing_scrolls_sideways_on_a_narrow_screen(
    name: str, browser: BrowserContext, pages: dict[str, Path]
) -> None:
    page = at(browser, pages[name], 360)
    assert page.evaluate(WIDE) <= 0
    page.evaluate(UNFOLD)
    assert page.evaluate(WIDE) <= 0
