"""The commands that publish: what they write, what they say of those left out, and what they refuse."""

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.cli import main
from autograder.collecting.attribution import NamingRules
from autograder.collecting.collect import collect_archives
from autograder.course.course import Course
from autograder.gradebook import pages
from autograder.publishing import export, graded_work, overview
from autograder.tests.plugins.test_canvas_zip import BOOK
from autograder.tests.publishing.test_export import entry, submission

CLASS = tuple(submission(name, entry(name, "double", 2.0)) for name in ("101", "Ada.Lovelace"))


@pytest.fixture(autouse=True)
def gradebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the gradebook hold a small class."""
    for module in (graded_work, export, overview):
        monkeypatch.setattr(module, "read_gradebook", lambda course, exercise, **_: CLASS)
    monkeypatch.setattr(overview, "write_feedback", lambda course, exercise: iter(()))


def run(course: Course, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--course", str(course.root), *arguments])


def test_feedback_is_packed_for_a_platform_and_whoever_is_left_out_is_named(
    course: Course, tmp_path: Path
) -> None:
    archive = tmp_path / "canvas.zip"
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr("lovelaceada_101_9001_01_small.ipynb", BOOK)
    list(collect_archives(course, [archive], NamingRules(["01_small"])))
    done = run(course, "canvas-zip", "01_small")
    assert done.exit_code == 0, done.output
    assert "wrote build/exports/01_small-feedback-canvas.zip: feedback for 1" in done.stdout
    assert "left out: Ada.Lovelace: was not collected from a Canvas archive" in done.stderr
    done = run(course, "moodle-zip", "01_small")
    assert "wrote build/exports/01_small-feedback-moodle.zip: feedback for 0" in done.stdout


def test_feedback_says_what_names_nothing_in_the_comments(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    (course.root / "comments.yaml").write_text("good: Good.\n02_x:\n  a: A.\n", encoding="utf-8")
    given = submission("ann", entry("ann", "why", 2.0, remark="#bad"))
    monkeypatch.setattr(pages, "read_gradebook", lambda course, exercise, **_: (given,))
    done = run(course, "feedback")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        "comments.yaml:2: 02_x is not an exercise; use one of 01_small",
        '01_small why ann: "#bad" is not replaced: comments.yaml has no such comment for this question',
    ]
