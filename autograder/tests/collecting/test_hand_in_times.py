"""When a submission came: by the instructor's files, the platform or the file, and never by a download."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.tests.collecting.archives import zipped

DOWNLOADED = (2026, 3, 5, 10, 0, 0)
ADA_IN_CANVAS, BOB_IN_CANVAS = "lovelaceada_101_9001_01_small.ipynb", "bob_LATE_102_9002_01_small.ipynb"
ADA, BOB = (f"{name}_assignsubmission_file/01_small.ipynb" for name in ("Ada Lovelace_7", "Bob Bee_8"))
NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
SHEET = (
    "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Geändert (Abgabe),Geändert (Note)\n"
    'Teilnehmer/in7,Ada Lovelace,a@b.c,Abgegeben,,"Sonntag, 1. März 2026, 23:30",-\n'
    'Teilnehmer/in8,Bob Bee,b@b.c,Fertig,,"Montag, 2. März 2026, 01:29","Montag, 9. März 2026, 1:29"\n'
)
IN_GRADESCOPE = {
    "assignment_1_export/submission_5/01_small.ipynb": NOTEBOOK,
    "assignment_1_export/submission_metadata.yml": (
        "submission_5:\n  :submitters:\n"
        '  - {":sid": "100"}\n  - {":email": "bob@school.org"}\n  :created_at: 2026-03-03 00:59:00 Z\n'
    ),
}
UNTIMED = {name: text.replace(":created_at", ":x") for name, text in IN_GRADESCOPE.items()}
IN_CANVAS, IN_MOODLE = dict.fromkeys((ADA_IN_CANVAS, BOB_IN_CANVAS), NOTEBOOK), {ADA: NOTEBOOK, BOB: NOTEBOOK}
FOLDERS = {"ada/01_small.ipynb": NOTEBOOK, "bob/01_small.ipynb": NOTEBOOK}


Collect = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def collect(course: Course, tmp_path: Path) -> Collect:
    """Return a function that collects a class with a list of times; it returns exit code and output."""

    def run(files: Mapping[str, str], times: str, *words: str) -> tuple[int, list[str]]:
        path, archive = tmp_path / "times.csv", tmp_path / "class.zip"
        path.write_text(times, encoding="utf-8-sig")
        archive.write_bytes(zipped(files, DOWNLOADED))
        if files is IN_MOODLE:
            listed = "id,name\nada,Ada Lovelace\nbob,Bob Bee\n"
            (course.root / "students.csv").write_text(listed, encoding="utf-8")
        more = ("--times", str(path)) if times else ()
        done = CliRunner().invoke(
            main, ["--course", str(course.root), "collect", "--verbose", str(archive), *more, *words]
        )
        return done.exit_code, done.output.splitlines()

    return run


def stamps_in(course: Course) -> dict[str, str]:
    """Return when who came, in UTC."""
    stamps = (course.root / "submitted").glob("*/01_small/timestamp.txt")
    return {stamp.parts[-3]: stamp.read_text("utf-8")[5:16] for stamp in stamps}


@pytest.mark.parametrize(
    ("due", "files", "times", "words", "stamps", "said"),
    [
        (
            "2026-03-01T23:59:00-08:00", IN_CANVAS, "", (), {}, [
                "01_small 101: new: Canvas gives no time",
                "01_small 102: new: Canvas gives no time, but marks the submission as late", "2 new",
                "Canvas gave no times, so none of these submissions counts as late; see --times",
            ],
        ),
        (
            "2026-03-01T23:59:00+01:00", IN_MOODLE, SHEET, (),
            {"ada": "03-01 22:30", "bob": "03-02 00:29"},
            [
                "01_small ada (Ada Lovelace): new", "01_small bob (Bob Bee): new: 1.5 h late",
                "2 new; 1 of them late",
            ],
        ),
        (
            "2026-03-01T23:59:00+00:00", IN_CANVAS,
            "student,time\n101,2026-03-01 23:30\n102,2026-03-02T00:59:00Z\n", ("--zone", "Asia/Tokyo"),
            {"101": "03-01 14:30", "102": "03-02 00:59"},
            ["01_small 101: new", "01_small 102: new: 1.0 h late", "2 new; 1 of them late"],
        ),
        (
            "2026-03-28 18:00 Europe/Berlin", {ADA_IN_CANVAS: NOTEBOOK},  # one hour was skipped that night
            "student,time\n101,2026-03-29 09:00\n", (), {"101": "03-29 07:00"},
            [
                "01_small 101: new: 14.0 h late, but Canvas does not mark it as late",
                "1 new; 1 of them late",
            ],
        ),
        (  # a zip without a zone
            "2026-03-05T11:59:00+09:00", FOLDERS, "", (), {"ada": "03-05 01:00", "bob": "03-05 01:00"},
            ["01_small ada: new", "01_small bob: new", "2 new"],
        ),
        (
            "2026-03-01T12:00:00+00:00", FOLDERS, "", ("--no-times",), {},
            ["01_small ada: new", "01_small bob: new", "2 new"],
        ),
        (
            "2026-03-02T23:59:00+00:00", IN_GRADESCOPE, "", (),
            {"100": "03-03 00:59", "bob@school.org": "03-03 00:59"},
            [
                "01_small 100: new: 1.0 h late", "01_small bob@school.org: new: 1.0 h late",
                "2 new; 2 of them late",
            ],
        ),
        (
            "2026-03-02T23:59:00+00:00", UNTIMED, "", (), {},
            ["01_small 100: new: Gradescope gives no time",
             "01_small bob@school.org: new: Gradescope gives no time", "2 new",
             "Gradescope gave no times, so none of these submissions counts as late; see --times"],
        ),
    ],
)  # fmt: skip
def test_a_submission_has_the_time_that_somebody_knows(
    course: Course,
    collect: Collect,
    due: str,
    files: Mapping[str, str],
    times: str,
    words: tuple[str, ...],
    stamps: dict[str, str],
    said: list[str],
) -> None:
    path = course.root / "course.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("- name: 01_small", f"- name: 01_small\n    due: {due}"), encoding="utf-8")
    assert collect(files, times, *words) == (0, said)
    assert stamps_in(course) == stamps
    collect(files, "", *words)  # what was given stays
    assert stamps_in(course) == stamps


def test_the_summary_counts_no_extended_student_as_late(course: Course, collect: Collect) -> None:
    path = course.root / "course.yaml"
    text = path.read_text(encoding="utf-8")
    due = "2026-03-01T12:00:00+00:00"
    path.write_text(text.replace("- name: 01_small", f"- name: 01_small\n    due: {due}"), encoding="utf-8")
    extensions = "student,exercise,until\nbob,01_small,2026-03-02 12:00 UTC\n"
    (course.root / "extensions.csv").write_text(extensions, encoding="utf-8")
    times = "student,time\nada,2026-03-01T13:00:00Z\nbob,2026-03-02T11:00:00Z\n"
    code, lines = collect(FOLDERS, times)
    assert (code, lines[-1]) == (0, "2 new; 1 of them late")


LISTED = """id,name,email,canvas,group
anna1,"Schmidt, Anna",anna1@uni.edu,,Blue
anna2,"Schmidt, Anna",anna2@uni.edu,,Blue
juergen,"M\u00fcller, J\u00fcrgen",jm@uni.edu,77
a.b
a_b
"""
SEVERAL = "is the name of several students (anna1, anna2); write the id or"
UNLISTED = "is not an id in students.csv"
BERLIN = "2026-03-02 19:00 Europe/Berlin"


@pytest.mark.parametrize(
    ("row", "who", "said"),
    [
        ("J\u00fcrgen M\u00fcller,2026-03-02 18:00", {"juergen"}, ""),
        ("a.b,2026-03-02 18:00", {"a.b"}, ""),  # and not a_b, whose name is like it
        (f"Blue,{BERLIN}", {"anna1", "anna2"}, ""),
        ("anna1,-", set(), ""),
        ("Anna Schmidt,2026-03-02 18:00", set(), SEVERAL),
        ("Jurgen Muller,2026-03-02 18:00", set(), f'{UNLISTED}; did you mean "juergen"?'),
        ("anna22,2026-03-02 18:00", set(), f'{UNLISTED}; did you mean "anna2"?'),
        ("xyz,2026-03-02 18:00", set(), f'"xyz" {UNLISTED}'),
        ("anna1,2026-03-02 18:00,02_big", set(), '"02_big" is not an exercise; use one of 01_small'),
        ("anna1,2026-03-02 18:00,O1_small", set(), '"O1_small" is not an exercise; did you mean "01_small"?'),
    ],
)  # fmt: skip
def test_a_row_is_a_student_s_however_the_name_is_written_or_gets_a_line(
    course: Course, collect: Collect, row: str, who: set[str], said: str
) -> None:
    (course.root / "students.csv").write_text(LISTED, encoding="utf-8")
    students = ("anna1", "anna2", "juergen", "a.b", "a_b")
    files = {f"{student}/01_small.ipynb": NOTEBOOK for student in students}
    code, lines = collect(files, f"student,time,exercise\n{row}\n", "--zone", "UTC")
    assert {student for student, stamp in stamps_in(course).items() if stamp == "03-02 18:00"} == who
    refused = [line.partition("times.csv:2: refused: ")[2] for line in lines if "times.csv:" in line]
    assert (code, len(refused)) == (bool(said), bool(said))
    assert said in "".join(refused)


def test_without_a_list_rows_are_of_those_who_came(course: Course, collect: Collect) -> None:
    (course.root / "submitted" / "earlier" / "01_small").mkdir(parents=True)
    rows = "".join(f"{who},2026-03-02 18:00\n" for who in ("ada", "earlier", "bbo", "xyz"))
    code, lines = collect(FOLDERS, f"student,time\n{rows}nobody,-\n")
    assert (code, stamps_in(course)["ada"]) == (1, "03-02 18:00")
    said = [line.partition("refused: nobody called ")[2] for line in lines if "nobody called" in line]
    assert said == ['"bbo" submitted anything; did you mean "bob"?', '"xyz" submitted anything']
