"""Each row of an instructor's own list of times is one student's, or a line says why it is nobody's."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.collecting.metadata import TimesError, read_times
from autograder.course.course import Course

LISTED = """id,name,email,canvas
anna1,"Schmidt, Anna",anna1@uni.edu
anna2,"Schmidt, Anna",anna2@uni.edu
juergen,"M\u00fcller, J\u00fcrgen",jm@uni.edu,77
sean,"O\u2019Brien, Se\u00e1n"
"""
EVERYBODY = ("anna1", "anna2", "juergen", "sean")
Collect = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def collect(course: Course, tmp_path: Path) -> Collect:
    """Collect a class with a list of times, and return the exit code and what was printed."""

    def run(times: str, students: tuple[str, ...] = EVERYBODY) -> tuple[int, list[str]]:
        for student in students:
            path = tmp_path / "class" / student / "01_small.ipynb"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps({"cells": [], "nbformat": 4}), encoding="utf-8")
        path = tmp_path / "times.csv"
        path.write_text(f"student,time,exercise\n{times}", encoding="utf-8")
        words = ["--course", str(course.root), "collect", str(tmp_path / "class"), "--times", str(path)]
        done = CliRunner().invoke(main, words)
        return done.exit_code, [line.partition("times.csv:")[2] for line in done.stdout.splitlines()]

    return run


def told(course: Course) -> set[str]:
    stamps = (course.root / "submitted").glob("*/01_small/timestamp.txt")
    return {path.parts[-3] for path in stamps if path.read_text("utf-8").startswith("2026-03-02 18:00")}


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("J\u00fcrgen M\u00fcller", "juergen"),
        ("JM@uni.edu", "juergen"),
        ("77", "juergen"),
        ("Se\u00e1n O'Brien", "sean"),
        ("ANNA2", "anna2"),
    ],
)
def test_a_row_is_a_student_s_however_the_name_is_written(
    course: Course, collect: Collect, name: str, student: str
) -> None:
    (course.root / "students.csv").write_text(LISTED, encoding="utf-8")
    code, _ = collect(f"{name},2026-03-02 18:00,\n")
    assert (code, told(course)) == (0, {student})


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("Anna Schmidt,2026-03-02 18:00", "is the name of several students (anna1, anna2); write the id or"),
        ("Jurgen Muller,2026-03-02 18:00", "is not in the list of students; did you mean juergen (M"),
        ("anna22,2026-03-02 18:00", "is not in the list of students; did you mean anna2 (Schmidt, Anna)?"),
        ("xyz,2026-03-02 18:00", '"xyz" is not in the list of students'),
        ("anna1,2026-03-02 18:00,02_big", '"02_big" is not an exercise; use one of 01_small'),
        ("anna1,2026-03-02 18:00,O1_small", '"O1_small" is not an exercise; did you mean "01_small"?'),
    ],
)  # fmt: skip
def test_a_row_that_is_nobody_s_gets_a_line_and_the_others_count(
    course: Course, collect: Collect, row: str, line: str
) -> None:
    (course.root / "students.csv").write_text(LISTED, encoding="utf-8")
    code, lines = collect(f"sean,2026-03-02 18:00\n{row}\n")
    assert (code, told(course)) == (1, {"sean"})
    (refused,) = [one for one in lines if one]
    assert refused.startswith('3: refused: "')
    assert line in refused


def test_without_a_list_rows_are_of_those_who_came(course: Course, collect: Collect) -> None:
    folder = course.root / "submitted" / "earlier" / "01_small"
    folder.mkdir(parents=True)
    rows = "".join(f"{who},2026-03-02 18:00\n" for who in ("ada", "earlier", "bbo", "xyz"))
    code, lines = collect(rows + "nobody,-\n", ("ada", "bob"))
    assert (code, told(course)) == (1, {"ada"})
    refused = ['"bbo" submitted anything; did you mean "bob"?', '"xyz" submitted anything']
    assert [line.partition("refused: nobody called ")[2] for line in lines if line] == refused


def test_two_ids_that_look_alike_share_no_time(course: Course, collect: Collect) -> None:
    (course.root / "students.csv").write_text("id\na.b\na_b\n", encoding="utf-8")
    assert collect("a.b,2026-03-02 18:00\n", ("a.b", "a_b"))[0] == 0
    assert told(course) == {"a.b"}


def test_a_zone_and_a_group_have_names_as_they_have_in_course_yaml_and_extend(
    course: Course, collect: Collect
) -> None:
    (course.root / "students.csv").write_text("id,name,group\nanna1,Anna,Blue\nanna2,Anna,Blue\nsean,Sean,\n")
    code, lines = collect("Blue,2026-03-01 18:00 Europe/Berlin\n", ("anna1", "anna2", "sean"))
    assert code == 0, lines
    stamps = [
        (course.root / "submitted" / who / "01_small" / "timestamp.txt").read_text()[:16]
        for who in ("anna1", "anna2")
    ]
    assert stamps == ["2026-03-01 17:00"] * 2


@pytest.mark.parametrize(
    ("time", "said"), [("02:30 Europe/Berlin", "skips when clocks"), ("18:00 Europe/Barlin", "nobody knows")]
)
def test_a_zone_that_nobody_knows_and_an_hour_that_is_skipped_stop_with_the_line(
    tmp_path: Path, time: str, said: str
) -> None:
    path = tmp_path / "times.csv"
    path.write_text(f"student,time\nanna1,2026-03-29 {time}\n", encoding="utf-8")
    with pytest.raises(TimesError, match=f"times.csv:2: .*{said}"):
        read_times([path])
