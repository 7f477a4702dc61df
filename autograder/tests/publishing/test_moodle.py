"""Grades for Moodle: who, then a column an exercise, with no field that it would refuse."""

import csv
from collections.abc import Callable

import pytest

from autograder.course.course import Course
from autograder.publishing import graded_work, moodle
from autograder.publishing.export import write_tables
from autograder.tests.publishing.test_canvas import CLASS


@pytest.fixture
def written(course: Course, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return moodle.csv of a small class."""
    monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise: CLASS)
    path = next(path for path in write_tables(course, course.chosen([])).paths if path.name == "moodle.csv")
    return path.read_bytes().decode()


def test_the_file_is_as_it_was(written: str, golden: Callable[[str, str], None]) -> None:
    golden("exports/moodle.csv", written.replace("\r\n", "\n"))


def test_every_field_is_an_id_or_a_number(written: str) -> None:
    header, *rows = csv.reader(written.splitlines())
    assert header == ["username", "01_small"]
    assert [row[0] for row in rows] == ["1004217", "bob", "emmy@uni.example"]
    assert [row[1] for row in rows] == ["0", "1.5", "3.3333"]


def test_who_handed_in_some_exercises_has_no_grade_in_the_others() -> None:
    points = {"01_small": 5.0, "02_next": 3.0}
    assert list(moodle.rows(points, {"ann": {"02_next": 3.0}, "bob": {}})) == [
        ("ann", "-", 3.0),
        ("bob", "-", "-"),
    ]
