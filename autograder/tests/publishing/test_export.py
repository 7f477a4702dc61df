"""The tables that leave the course: by question, by exercise, for Canvas and for Moodle."""

import csv
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.publishing import graded_work
from autograder.publishing.export import (
    Choice,
    canvas_rows,
    moodle_rows,
    scores_to_export,
    write_table,
    write_tables,
)
from autograder.publishing.graded_work import GradedWork
from autograder.report.report import Entry, GradebookSubmission, Verdict
from autograder.tests.classroom import small
from autograder.tests.publishing.works import RIGHT, unreadable, work

Rows = list[dict[str, str]]


def entry(student: str, question: str, auto: float | None, **changes: Any) -> Entry:
    plain = Entry(student, question, False, auto, None, None, 2.0, False, "", "")
    return replace(plain, **changes)


def submission(student: str, *entries: Entry, penalty: float = 0.0) -> GradebookSubmission:
    return GradebookSubmission(student, 0.0, penalty, entries)


CLASS = (
    submission("emmy@uni.example", entry("emmy", "double", 2.0), entry("emmy", "row_sums", 4 / 3)),
    submission("1004217", entry("1004217", "double", 0.0)),
    submission("ann", entry("ann", "double", None, comment="Grader error.")),
    submission("bob", entry("bob", "double", 2.0, extra_credit=0.5), penalty=1.0),
)
REVIEW = entry("ann", "double", 0.0, needs_person=True)
WRITTEN = entry("ann", "why", None, written=True, needs_person=True)
FAILED = entry("ann", "double", None, comment="Grader error.")


class Exported:
    """Exports what the gradebook is made to hold, and reads it back."""

    def __init__(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        self._course = course
        self._monkeypatch = monkeypatch

    def of(self, *submissions: GradebookSubmission, changed: bool = False) -> dict[str, Rows]:
        self._monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise, **_: submissions)
        paths = write_tables(self._course, [small(self._course)], changed=changed).paths
        assert {path.parent for path in paths} == {self._course.build / "exports"}
        return {path.stem: read(path) for path in paths}


@pytest.fixture
def exported(course: Course, monkeypatch: pytest.MonkeyPatch) -> Exported:
    return Exported(course, monkeypatch)


def read(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", '=HYPERLINK("x")'])
def test_no_cell_is_a_formula(tmp_path: Path, text: str) -> None:
    with write_table(tmp_path / "a.csv", ("a",), [(text,)]).open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["a"], [f"'{text}"]]


# Each is graded in another way, or waits for something else.
STATES = (
    submission("graded", entry("graded", "double", 2.0), entry("graded", "row_sums", 4 / 3)),
    submission("by a person", entry("p", "double", 2.0, manual_score=0.5, extra_credit=0.25), penalty=0.25),
    submission("below zero", entry("z", "double", 2.0, manual_score=-0.5)),
    submission("grader error", FAILED, entry("e", "row_sums", 2.0)),
    submission("written", entry("w", "double", 2.0), WRITTEN),
    submission("not yet", entry("n", "double", None, needs_person=True)),
    submission("review", REVIEW, WRITTEN),
)


@pytest.mark.parametrize("name", ["questions", "exercises"])
def test_each_question_and_exercise_has_its_row_which_says_what_it_waits_for(
    name: str, course: Course, exported: Exported, golden: Callable[[str, str], None]
) -> None:
    exported.of(*STATES)
    text = (course.build / "exports" / f"{name}.csv").read_bytes().decode()
    golden(f"exports/{name}.csv", text.replace("\r\n", "\n"))


def test_the_class_is_those_whom_the_list_names(course: Course, exported: Exported) -> None:
    (course.root / "students.csv").write_text("id,name\nzoe,Zoe Zed\nann,Ann Other\n", encoding="utf-8")
    gone = submission("bob", entry("bob", "double", 2.0))
    tables = exported.of(submission("ann", entry("ann", "double", 2.0)), gone)
    assert [row["student"] for row in tables["questions"]] == ["ann"]
    assert [
        (row["student"], row["score"], row["max_score"], row["status"]) for row in tables["exercises"]
    ] == [("ann", "2", "2", "graded"), ("zoe", "", "7", "nothing handed in")]


def test_a_course_without_a_gradebook_exports_headings_alone(course: Course) -> None:
    texts = [path.read_text(encoding="utf-8") for path in write_tables(course, [small(course)]).paths]
    assert [len(text.splitlines()) for text in texts] == [1, 1, 2, 1]


@pytest.mark.parametrize("name", ["canvas", "moodle"])
def test_a_platform_s_file_is_as_it_was(
    name: str, course: Course, exported: Exported, golden: Callable[[str, str], None]
) -> None:
    exported.of(*CLASS)
    text = (course.build / "exports" / f"{name}.csv").read_bytes().decode()
    golden(f"exports/{name}.csv", text.replace("\r\n", "\n"))
    exported.of(*CLASS)
    assert (course.build / "exports" / f"{name}.csv").read_bytes().decode() == text


@pytest.mark.parametrize(
    ("listed", "numbers"),
    [
        ("", {"bob": "", "1004217": "1004217", "3ann": "", "٣": ""}),
        (
            "id,canvas\nbob,102\n1004217,103\n3ann,\n٣,\n",
            {"bob": "102", "1004217": "103", "3ann": "", "٣": ""},
        ),
    ],
)
def test_nothing_but_digits_may_be_taken_for_canvas_s_own_number(
    listed: str, numbers: dict[str, str], course: Course, exported: Exported
) -> None:
    if listed:
        (course.root / "students.csv").write_text(listed, encoding="utf-8")
    points, *rows = exported.of(*(submission(name, entry(name, "double", 2.0)) for name in numbers))["canvas"]
    assert points["01_small"] == "7"  # tests give 5, the written answer 2
    assert {row["SIS Login ID"]: row["ID"] for row in rows} == numbers


def test_who_has_no_score_is_left_out_since_an_empty_cell_deletes_what_a_platform_has(
    exported: Exported,
) -> None:
    tables = exported.of(*CLASS)
    assert [row["username"] for row in tables["moodle"]] == ["1004217", "bob", "emmy@uni.example"]
    assert [row["SIS Login ID"] for row in tables["canvas"]] == ["", "1004217", "bob", "emmy@uni.example"]
    points, scores = {"01_small": 5.0, "02_next": 3.0}, {"ann": {"02_next": 3.0}, "bob": {}}
    assert list(moodle_rows(points, scores)) == [("ann", "-", 3.0), ("bob", "-", "-")]
    _, ann, _ = canvas_rows(points, scores, {"ann": "Noether, Ann", "bob": "bob"}, {})
    assert ann == ("Noether, Ann", "", "ann", "ann", "", None, 3.0)


def test_with_changed_platforms_get_only_grades_that_are_new(exported: Exported) -> None:
    ann, bob = (submission(name, entry(name, "double", 1.0)) for name in ("ann", "bob"))
    exported.of(ann, bob)
    assert exported.of(ann, bob, changed=True)["moodle"] == []
    better = submission("bob", entry("bob", "double", 2.0))
    tables = exported.of(ann, better, changed=True)
    assert [row["SIS Login ID"] for row in tables["canvas"]] == ["", "bob"]
    assert [(row["username"], row["01_small"]) for row in tables["moodle"]] == [("bob", "2")]
    assert exported.of(ann, better, changed=True)["moodle"] == []


@pytest.mark.parametrize(
    ("choice", "scores", "said"),
    [
        (
            Choice(),
            {"ada": 5.0, "felix": 3.0},
            ["are provisional until", "left out (add --unreadable-as-zero to export 0): kurt"],
        ),
        (Choice(final_only=True), {"ada": 5.0}, ["so they are left out", "kurt"]),
        (Choice(unreadable_as_zero=True), {"ada": 5.0, "felix": 3.0, "kurt": 0.0}, ["exported as 0: kurt"]),
        (
            Choice(final_only=True, unreadable_as_zero=True),
            {"ada": 5.0, "kurt": 0.0},
            ["exported as 0: kurt"],
        ),
    ],
)
def test_provisional_scores_leave_unless_told_not_to_and_unreadable_files_do_not_unless_told_to(
    choice: Choice, scores: dict[str, float], said: list[str], course: Course
) -> None:
    held = work("felix", {"double": Verdict.REVIEW, "row_sums": 3.0})
    sent = scores_to_export(small(course), [settled(work("ada", RIGHT)), held, unreadable("kurt")], choice)
    assert sent.values == scores
    assert all(any(words in line for line in sent.notes) for words in said)


def settled(work: GradedWork) -> GradedWork:
    """Return work whose written answer a person has graded."""
    entries = tuple(
        replace(one, needs_person=False, manual_score=0.0) if one.written else one
        for one in work.submission.entries
    )
    return replace(work, submission=replace(work.submission, entries=entries))


def test_what_canvas_calls_late_without_a_time_says_so_until_a_list_tells_the_time(
    course: Course, exported: Exported, tmp_path: Path
) -> None:
    def say(*words: object) -> str:
        return CliRunner().invoke(main, ["--course", str(course.root), *map(str, words)]).output

    text = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    with zipfile.ZipFile(tmp_path / "canvas.zip", "w") as archive:
        archive.writestr("beebob_LATE_102_9002_01_small.ipynb", text)
        archive.writestr("lovelaceada_101_9001_01_small.ipynb", text)
    say("collect", tmp_path / "canvas.zip")
    submissions = [submission(one, entry(one, "double", 2.0)) for one in ("101", "102")]
    statuses = [row["status"] for row in exported.of(*submissions)["exercises"]]
    assert statuses == ["graded", "late, time unknown"]
    said = "01_small: late, but the time is unknown, so there is no penalty: 102"
    assert said in say("export")
    (tmp_path / "times.csv").write_text("student,time\n102,2026-03-02 18:00\n")
    say("collect", tmp_path / "canvas.zip", "--times", tmp_path / "times.csv")
    assert {row["status"] for row in exported.of(*submissions)["exercises"]} == {"graded"}
    assert "warning" not in say("export")
