"""The dashboard: a page that holds everything, asks for nothing, and can be read without seeing its bars."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.publishing import dashboard, graded_work
from autograder.publishing.dashboard import write_dashboard
from autograder.publishing.graded_work import GradedWork
from autograder.report.report import Status
from autograder.report.safe_html import POLICY
from autograder.submission.submission import Submission
from autograder.tests.publishing.pages import Page
from autograder.tests.publishing.works import SMALL_CLASS, work


@pytest.fixture
def shown(course: Course, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that puts works where grading leaves them and returns the dashboard's page."""

    def show(works: list[GradedWork], feedback: bool = True) -> str:
        for one in works:
            submission = Submission(course.root, one.student, one.exercise)
            submission.autograded.parent.mkdir(parents=True, exist_ok=True)
            submission.autograded.write_text(json.dumps(notebook(one)), encoding="utf-8")
            if feedback:
                submission.feedback.parent.mkdir(parents=True, exist_ok=True)
                submission.feedback.touch()
        submissions = tuple(one.submission for one in works)
        monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise: submissions)
        path, *_ = write_dashboard(course, course.chosen([]))
        assert path == course.build / "dashboard.html"
        return path.read_text(encoding="utf-8")

    return show


def notebook(one: GradedWork) -> dict[str, Any]:
    """Return the autograded notebook of a work, as far as the dashboard reads it."""
    error = {"output_type": "error", "ename": "AssertionError", "evalue": "", "traceback": []}
    stream = {"output_type": "stream", "name": "stdout", "text": "this check passes"}
    cells = [
        {"metadata": {"nbgrader": {"grade_id": f"check-{name}"}}, "outputs": [stream if passed else error]}
        for name, passed in one.checks.items()
    ]
    metadata = {"autograder": {"report": one.report.as_dict()}} if one.report is not None else {}
    return {"cells": [{"metadata": {}}, *cells], "metadata": metadata}


def test_the_page_is_as_it_was(shown: Callable[..., str], golden: Callable[[str, str], None]) -> None:
    golden("dashboard/dashboard.html", shown(SMALL_CLASS))


def test_how_much_hand_grading_is_left_and_who_did_how_much(
    shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard, "read_graders", lambda *_: {("<b>tom", "01_small"): 3})
    first = SMALL_CLASS[0]
    entries = tuple(
        replace(entry, manual_score=1.0, needs_person=False) if entry.written else entry
        for entry in first.submission.entries
    )
    done = replace(first, submission=replace(first.submission, entries=entries))
    text = shown([done, *SMALL_CLASS[1:]])
    assert "10 answers wait for a grader, 1 are graded." in text
    counts = '<td class="number">1</td><td class="number">7</td>'
    assert f"<code>why</code></th><td>01_small</td>{counts}" in text
    assert '&lt;b&gt;tom</th><td>01_small</td><td class="number">3</td>' in text


def test_who_of_the_class_handed_in_nothing_is_named(course: Course, shown: Callable[..., str]) -> None:
    assert "Nothing handed in" not in shown([work("ada", {"double": 3.0})])
    (course.root / "students.csv").write_text("id,name\nada,Ada\nbob,Bob\neve,Eve\n", encoding="utf-8")
    words = " ".join(Page(shown([work("ada", {"double": 3.0})])).words.split())
    assert "Nothing handed in for 01_small: 2 of the class bob, eve" in words


def test_a_bar_is_as_long_as_its_number_and_none_longer_than_its_place(shown: Callable[..., str]) -> None:
    page = Page(shown([work("ada", {"double": 3.0, "row_sums": 1.5})]))
    assert ["double", "", "150%"] in page.rows
    assert page.lengths == [*[0] * 9, 1, 1, 0.5]  # the submission has 90% of the points
    assert "why" not in [row[0] for row in page.rows if len(row) == 3]  # a written answer has no bar


def test_ids_are_unique_and_links_within_the_page_lead_somewhere(shown: Callable[..., str]) -> None:
    page = Page(shown([*SMALL_CLASS, *(replace(one, exercise="02_next") for one in SMALL_CLASS)]))
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_the_page_can_run_nothing_and_asks_for_nothing(shown: Callable[..., str]) -> None:
    text = shown(SMALL_CLASS)
    page = Page(text)
    assert not page.tags & {"script", "iframe", "object", "embed", "form", "img", "link", "base"}
    assert not page.handlers
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in unescape(text)
    assert all(place.startswith("#") for place in page.loads)
    assert "<script>alert(1)</script>" in page.words
    assert "@import" not in text
    assert "url(http" not in text


def test_every_link_leads_to_a_page_from_where_the_dashboard_lies(
    course: Course, shown: Callable[..., str]
) -> None:
    of_a_plugin = [f"viva/01_small/{name}.html" for name in ("examiner", "for_students/a b")]
    for path in of_a_plugin:
        (course.build / path).parent.mkdir(parents=True, exist_ok=True)
        (course.build / path).touch()
    links = [link for link in Page(shown(SMALL_CLASS)).links if not link.startswith("#")]
    assert links
    assert all((course.build / unquote(link)).resolve().is_file() for link in links)
    assert any("/d.o%2Brothy%40home/" in link for link in links)
    assert [unquote(link) for link in links if link.startswith("viva/")] == of_a_plugin


def test_without_feedback_pages_there_are_ids_and_no_dead_links(shown: Callable[..., str]) -> None:
    page = Page(shown(SMALL_CLASS, feedback=False))
    assert page.links == ["#01_small"]
    assert "felix" in page.words


def test_before_anything_is_graded_the_page_says_so(shown: Callable[..., str]) -> None:
    assert "Nothing has been graded yet" in Page(shown([])).words


def test_a_graded_notebook_that_is_broken_is_not_graded_yet(
    course: Course, shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown(SMALL_CLASS)
    Submission(course.root, "ada", "01_small").autograded.write_text("{", encoding="utf-8")
    Submission(course.root, "blaise", "01_small").autograded.unlink()
    path, *_ = write_dashboard(course, course.chosen([]))
    assert path.read_text(encoding="utf-8").count("not graded yet") == 2


def test_a_class_of_five_hundred_fits_and_is_counted_in_full(
    course: Course, shown: Callable[..., str]
) -> None:
    kinds = [one for one in SMALL_CLASS if one.student != "d.o+rothy@home"]
    works = [replace_student(kinds[n % len(kinds)], f"s{n:03}") for n in range(500)]
    first = shown(works)
    assert first == shown(works)
    sheets = {path.stem: _read(path) for path in (course.build / "exports").glob("dashboard-*.csv")}
    assert {path: len(lines) for path, lines in sheets.items()} == {
        "dashboard-questions": 3, "dashboard-scores": 10, "dashboard-mistakes": 2, "dashboard-students": 213
    }  # fmt: skip
    scored = sum(one.report is not None and one.report.status is Status.GRADED for one in works)
    assert sum(int(row["submissions"]) for row in sheets["dashboard-scores"]) == scored
    assert [int(row["count"]) for row in sheets["dashboard-mistakes"]] == [72, 72]
    assert "<summary>all 72 students</summary>" in first


def replace_student(one: GradedWork, student: str) -> GradedWork:
    entries = tuple(replace(entry, student=student) for entry in one.submission.entries)
    return replace(one, submission=replace(one.submission, student=student, entries=entries))


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_command_says_what_it_wrote(course: Course) -> None:
    done = CliRunner().invoke(main, ["--course", str(course.root), "dashboard"])
    assert done.exit_code == 0
    assert "wrote build/dashboard.html" in done.stdout
    assert "wrote build/exports/dashboard-questions.csv" in done.stdout
