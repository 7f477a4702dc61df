"""The tables that leave the course."""

import csv
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.publishing import graded_work
from autograder.publishing.export import write_tables
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission
from autograder.tests.classroom import small


def entry(student: str, question: str, auto: float | None, **changes: Any) -> GradebookEntry:
    plain = GradebookEntry(student, question, False, auto, None, None, 2.0, False, "", "")
    return replace(plain, **changes)


def submission(student: str, *entries: GradebookEntry, penalty: float = 0.0) -> GradebookSubmission:
    return GradebookSubmission(student, 0.0, penalty, entries)


@pytest.fixture
def table(course: Course, monkeypatch: pytest.MonkeyPatch) -> "Table":
    return Table(course, monkeypatch)


class Table:
    """Exports what the gradebook is made to hold, and reads it back."""

    def __init__(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        self._course = course
        self._monkeypatch = monkeypatch

    def of(self, *submissions: GradebookSubmission) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
        self.holds(*submissions)
        questions, exercises, *_ = write_tables(self._course, [small(self._course)]).paths
        return _read(questions), _read(exercises)

    def holds(self, *submissions: GradebookSubmission) -> None:
        """Let the gradebook hold these, without an export."""
        self._monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise: submissions)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_question_and_every_exercise_has_its_row(table: Table) -> None:
    questions, exercises = table.of(
        submission("ann", entry("ann", "double", 2.0), entry("ann", "row_sums", 4 / 3))
    )
    assert [(r["student"], r["question"], r["score"], r["max_score"], r["status"]) for r in questions] == [
        ("ann", "double", "2", "2", "graded"),
        ("ann", "row_sums", "1.3333", "2", "graded"),
    ]
    assert [(r["exercise"], r["score"], r["max_score"], r["status"]) for r in exercises] == [
        ("01_small", "3.3333", "4", "graded")
    ]


def test_what_a_person_gave_counts(table: Table) -> None:
    kept = entry("ann", "double", 2.0, manual_score=0.5, extra_credit=0.25)
    questions, exercises = table.of(submission("ann", kept, penalty=0.25))
    assert questions[0]["score"] == "0.75"
    assert (exercises[0]["score"], exercises[0]["penalty"]) == ("0.5", "0.25")


def test_a_grader_error_leaves_its_field_empty_and_says_so(table: Table) -> None:
    failed = entry("ann", "double", None, comment="Grader error.")
    questions, exercises = table.of(submission("ann", failed, entry("ann", "row_sums", 2.0)))
    assert [(r["score"], r["status"]) for r in questions] == [("", "grader error"), ("2", "graded")]
    assert (exercises[0]["score"], exercises[0]["status"]) == ("", "grader error")


def test_an_ungraded_written_answer_says_so_and_leaves_the_rest(table: Table) -> None:
    why = entry("ann", "why", None, written=True, needs_person=True)
    questions, exercises = table.of(submission("ann", entry("ann", "double", 2.0), why))
    assert (questions[1]["score"], questions[1]["status"]) == ("", "to be graded by hand")
    assert (exercises[0]["score"], exercises[0]["status"]) == ("2", "to be graded by hand")


def test_a_question_that_nobody_has_graded_yet_is_no_grader_error(table: Table) -> None:
    _, exercises = table.of(submission("ann", entry("ann", "double", None, needs_person=True)))
    assert exercises[0]["status"] == "not graded yet"


def test_what_waits_for_a_person_says_so(table: Table) -> None:
    _, exercises = table.of(submission("ann", entry("ann", "double", 0.0, needs_person=True)))
    assert exercises[0]["status"] == "to be reviewed"


def test_a_review_is_not_hidden_behind_a_written_answer(table: Table) -> None:
    review = entry("ann", "double", 0.0, needs_person=True)
    why = entry("ann", "why", None, written=True, needs_person=True)
    _, exercises = table.of(submission("ann", review, why))
    assert exercises[0]["status"] == "to be reviewed; to be graded by hand"


def test_who_handed_in_nothing_has_a_row_that_says_so(course: Course, table: Table) -> None:
    (course.root / "students.csv").write_text("id,name\nzoe,Zoe Zed\nann,Ann Other\n", encoding="utf-8")
    _, exercises = table.of(submission("ann", entry("ann", "double", 2.0)))
    seen = [(row["student"], row["score"], row["max_score"], row["status"]) for row in exercises]
    assert seen == [("ann", "2", "2", "graded"), ("zoe", "", "7", "nothing handed in")]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", '=HYPERLINK("x")'])
def test_no_cell_is_a_formula(table: Table, name: str) -> None:
    questions, exercises = table.of(submission(name, entry(name, "double", 2.0)))
    assert {row["student"] for row in (*questions, *exercises)} == {f"'{name}"}


def test_a_negative_number_is_a_number(table: Table) -> None:
    questions, _ = table.of(submission("ann", entry("ann", "double", 2.0, manual_score=-0.5)))
    assert questions[0]["score"] == "-0.5"


def test_exporting_twice_gives_the_same_bytes(course: Course, table: Table) -> None:
    one = submission("ann", entry("ann", "double", 2.0))
    table.of(one)
    before = {path: path.read_bytes() for path in (course.build / "exports").iterdir()}
    table.of(one)
    assert {path: path.read_bytes() for path in (course.build / "exports").iterdir()} == before


def test_a_course_without_a_gradebook_exports_headings_alone(course: Course) -> None:
    questions, exercises, *_ = write_tables(course, [small(course)]).paths
    assert questions.read_text(encoding="utf-8").strip() == "student,exercise,question,score,max_score,status"
    assert exercises.read_text(encoding="utf-8").strip() == "student,exercise,score,max_score,penalty,status"


def changed_rows(course: Course) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    *_, canvas, moodle = write_tables(course, [small(course)], changed=True).paths
    return [row for row in _read(canvas) if row["SIS Login ID"]], _read(moodle)


def test_with_changed_platforms_get_only_grades_that_are_new(course: Course, table: Table) -> None:
    ann, bob = (submission(name, entry(name, "double", 1.0)) for name in ("ann", "bob"))
    table.of(ann, bob)
    assert changed_rows(course) == ([], [])
    (course.build / "exports" / "canvas.csv").unlink()
    table.holds(ann, submission("bob", entry("bob", "double", 2.0)))
    canvas, moodle = changed_rows(course)
    assert [row["SIS Login ID"] for row in canvas] == ["bob"]
    assert [(row["username"], row["01_small"]) for row in moodle] == [("bob", "2")]
    assert changed_rows(course) == ([], [])


def test_whoever_is_no_longer_in_the_list_of_the_class_is_left_out(table: Table, course: Course) -> None:
    (course.root / "students.csv").write_text("id,name\nann,Ann\nben,Ben\n", encoding="utf-8")
    gone = submission("zoe", entry("zoe", "double", 2.0))
    questions, exercises = table.of(submission("ann", entry("ann", "double", 2.0)), gone)
    assert [row["student"] for row in questions] == ["ann"]
    assert [(row["student"], row["status"]) for row in exercises] == [
        ("ann", "graded"),
        ("ben", "nothing handed in"),
    ]


def test_what_canvas_calls_late_without_a_time_says_so_until_a_list_tells_the_time(
    course: Course, table: Table, tmp_path: Path
) -> None:
    def say(*words: object) -> str:
        return CliRunner().invoke(main, ["--course", str(course.root), *map(str, words)]).output

    text = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    with zipfile.ZipFile(tmp_path / "canvas.zip", "w") as archive:
        archive.writestr("beebob_LATE_102_9002_01_small.ipynb", text)
        archive.writestr("lovelaceada_101_9001_01_small.ipynb", text)
    say("collect", tmp_path / "canvas.zip")
    submissions = [submission(one, entry(one, "double", 2.0)) for one in ("101", "102")]
    _, exercises = table.of(*submissions)
    assert [row["status"] for row in exercises] == ["graded", "late, time unknown"]
    said = "01_small: 1 late, time unknown, so nothing is taken off: 102"
    assert said in say("export")
    (tmp_path / "times.csv").write_text("student,time\n102,2026-03-02 18:00\n")
    say("collect", tmp_path / "canvas.zip")
    assert said in say("export")
    say("collect", tmp_path / "canvas.zip", "--times", tmp_path / "times.csv")
    assert [row["status"] for row in table.of(*submissions)[1]] == ["graded", "graded"]
    assert "warning" not in say("export")
