"""Times in the archives of Canvas and Moodle are those of the download: nobody is late by them."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.cli import main
from autograder.course.course import Course

Moment = tuple[int, int, int, int, int, int]
DOWNLOADED: Moment = (2026, 3, 5, 10, 0, 0)
ADA_IN_CANVAS, BOB_IN_CANVAS = "lovelaceada_101_9001_01_small.ipynb", "bob_LATE_102_9002_01_small.ipynb"
ADA, BOB = (f"{name}_assignsubmission_file/01_small.ipynb" for name in ("Ada Lovelace_7", "Bob Bee_8"))


def notebook(text: str = "") -> str:
    return json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5, "text": text})


def zipped(path: Path, files: Mapping[str, str], when: Moment = DOWNLOADED) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, when), content)
    return path


def due(course: Course, when: str) -> None:
    path = course.root / "course.yaml"
    text = path.read_text(encoding="utf-8").replace("- name: 01_small", f"- name: 01_small\n    due: {when}")
    path.write_text(text, encoding="utf-8")


def collect(course: Course, *words: object) -> Result:
    return CliRunner().invoke(main, ["--course", str(course.root), "collect", *map(str, words)])


def times(course: Course) -> dict[str, str]:
    folders = sorted((course.root / "submitted").glob("*/01_small"))
    stamps = {folder.parent.name: folder / "timestamp.txt" for folder in folders}
    return {who: stamp.read_text("utf-8")[:16] if stamp.exists() else "" for who, stamp in stamps.items()}


@pytest.mark.parametrize("zone", ["+09:00", "+00:00", "-08:00"])
def test_nobody_is_late_in_canvas_by_the_time_of_the_download(
    course: Course, tmp_path: Path, zone: str
) -> None:
    due(course, f"2026-03-01T23:59:00{zone}")
    files = {ADA_IN_CANVAS: notebook(), BOB_IN_CANVAS: notebook()}
    lines = collect(course, zipped(tmp_path / "a.zip", files)).stdout.splitlines()
    assert lines[:2] == [
        "01_small 101: new: Canvas gives no time",
        "01_small 102: new: Canvas gives no time, only that it is late",
    ]
    assert lines[-1] == "nothing from Canvas counts as late without a time; see --times"
    assert times(course) == {"101": "", "102": ""}


def test_moodle_s_worksheet_tells_the_times_and_they_stay(course: Course, tmp_path: Path) -> None:
    due(course, "2026-03-01T23:59:00+01:00")
    sheet = tmp_path / "Grades.csv"
    sheet.write_text(
        "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Geändert (Abgabe),Geändert (Note)\n"
        'Teilnehmer/in7,Ada Lovelace,a@b.c,Abgegeben,,"Sonntag, 1. März 2026, 23:30",-\n'
        'Teilnehmer/in8,Bob Bee,b@b.c,Fertig,,"Montag, 2. März 2026, 01:29","Montag, 9. März 2026, 1:29"\n',
        encoding="utf-8-sig",
    )
    archive = zipped(tmp_path / "a.zip", {ADA: notebook(), BOB: notebook()})
    done = collect(course, archive, "--times", sheet)
    assert "01_small Ada.Lovelace: new\n01_small Bob.Bee: new: 1.5 h late" in done.stdout
    told = {"Ada.Lovelace": "2026-03-01 22:30", "Bob.Bee": "2026-03-02 00:29"}
    assert times(course) == told
    collect(course, archive)
    assert times(course) == told


def test_a_list_of_one_s_own_tells_times_too_in_the_zone_that_is_asked_for(
    course: Course, tmp_path: Path
) -> None:
    due(course, "2026-03-01T23:59:00+00:00")
    own = tmp_path / "times.csv"
    own.write_text("student,time\n101,2026-03-01 23:30\n102,2026-03-02T00:59:00Z\n", encoding="utf-8")
    archive = zipped(tmp_path / "a.zip", {ADA_IN_CANVAS: notebook(), BOB_IN_CANVAS: notebook()})
    done = collect(course, archive, "--times", own, "--zone", "Asia/Tokyo")
    assert "102: new: 1.0 h late" in done.stdout
    assert times(course) == {"101": "2026-03-01 14:30", "102": "2026-03-02 00:59"}


def test_an_hour_that_clocks_skip_makes_nobody_later(course: Course, tmp_path: Path) -> None:
    due(course, "2026-03-28 18:00 Europe/Berlin")
    own = tmp_path / "times.csv"
    own.write_text("student,time\n101,2026-03-29 09:00\n", encoding="utf-8")
    done = collect(course, zipped(tmp_path / "a.zip", {ADA_IN_CANVAS: notebook()}), "--times", own)
    assert "101: new: 14.0 h late" in done.stdout


def test_a_zip_without_a_zone_is_read_in_that_of_the_due_date(course: Course, tmp_path: Path) -> None:
    due(course, "2026-03-01T23:59:00+09:00")
    files = {"ada/01_small.ipynb": notebook(), "bob/01_small.ipynb": notebook()}
    done = collect(course, zipped(tmp_path / "a.zip", files, (2026, 3, 1, 20, 0, 0)))
    assert "late" not in done.stdout
    assert times(course) == {"ada": "2026-03-01 11:00", "bob": "2026-03-01 11:00"}


def test_an_unknown_zone_is_wrong_use(course: Course, tmp_path: Path) -> None:
    done = collect(course, zipped(tmp_path / "a.zip", {ADA: notebook()}), "--zone", "Berlin")
    assert done.exit_code == 2
    assert '"Berlin" is not a time zone; write one such as Europe/Berlin' in done.stderr


def test_a_pattern_makes_the_time_of_the_download_no_better(course: Course, tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {ADA: notebook()})
    collect(course, archive, "--pattern", r"(?P<student>\w+) ")
    assert times(course) == {"Ada": ""}


def test_gradescope_without_a_time_makes_nobody_late(course: Course, tmp_path: Path) -> None:
    files = {
        "assignment_1_export/submission_5/01_small.ipynb": notebook(),
        "assignment_1_export/submission_metadata.yml": 'submission_5:\n  :submitters:\n  - {":sid": "ada"}\n',
    }
    assert "ada: new: Gradescope gives no time" in collect(course, zipped(tmp_path / "a.zip", files)).stdout
    assert times(course) == {"ada": ""}
