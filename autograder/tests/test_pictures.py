"""README shows what a newcomer sees after `make demo`: its pictures are compared with the demo of today.

After an intended change, take them again with --update-golden, and look at each. The picture of a notebook
comes from authoring/test_jupyter.py.
"""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from autograder.course.course import Course
from autograder.demo import grade_class, make_class, named_mistake
from autograder.tests.authoring.jupyter import answering, environment
from autograder.tests.browser import IN_BROWSER, picture, show, until
from autograder.tests.classroom import real_course
from autograder.tests.gradebook.test_formgrader_browser import LOADED, ROOT, command
from autograder.tests.screens import Golden

pytestmark = IN_BROWSER

EXERCISES = ("01", "02", "03")


@dataclass
class Demo:
    """A graded demo of a few exercises, and the address of the page that names a mistake."""

    course: Course
    page: str


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    course = real_course()
    course = Course(course.root, course.settings)
    course.build = tmp_path_factory.mktemp("pictures")
    made, _ = make_class(course, course.chosen(EXERCISES))
    grade_class(made)
    return Demo(made, named_mistake(made)[2])


def test_a_feedback_page_with_a_named_mistake(
    demo: Demo, browser: BrowserContext, golden_screen: Golden
) -> None:
    page = show(browser, demo.page.partition("#")[0])
    golden_screen("demo_feedback.png", lambda: picture(page))


def test_the_dashboard(demo: Demo, browser: BrowserContext, golden_screen: Golden) -> None:
    page = show(browser, (demo.course.build / "dashboard.html").as_uri())
    golden_screen("demo_dashboard.png", lambda: picture(page))


@pytest.fixture
def formgrader(demo: Demo, tmp_path: Path) -> Iterator[str]:
    """Return the address of a server with the formgrader in the demo's folder."""
    own = environment(tmp_path) | {"PYTHONPATH": str(ROOT)}
    with (tmp_path / "server.log").open("wb") as log:
        server = subprocess.Popen(command(demo.course.root), cwd=demo.course.root, env=own, stderr=log)
    try:
        yield answering(tmp_path / "runtime", server)
    finally:
        server.terminate()
        server.wait()


def test_the_formgrader_beside_a_written_answer(
    formgrader: str, browser: BrowserContext, golden_screen: Golden
) -> None:
    page = show(browser, f"{formgrader}formgrader/gradebook/01_dot_products/01_dot_products")
    until(page, "window.models && models.loaded")
    find = "[...document.querySelectorAll('a')].find(a => /^carl(, *)?$/.test(a.textContent)).href"
    page = show(browser, page.evaluate(find), width=1200)
    until(page, LOADED)
    page.evaluate("document.querySelector('.asked').scrollIntoView()")
    golden_screen("demo_formgrader.png", lambda: picture(page))
