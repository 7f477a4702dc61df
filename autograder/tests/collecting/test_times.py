"""Times are read from worksheets and lists in many languages; what is not clear is refused with its line."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.collecting.metadata import read_moment, read_times
from autograder.errors import UsageError

HEADER = "ID,Nom,Statut,Date de remise,Note,Modifiable,Modification (travail),Texte,Modification (note)\n"
DUE = '"dimanche 1 mars 2026, 23:59"'


def test_the_time_of_submission_is_neither_the_due_date_nor_the_grade_s(tmp_path: Path) -> None:
    path = tmp_path / "Notes.csv"
    rows = f'Participant 7,Ada,Remis,{DUE},85,Oui,"lundi 2 mars 2026, 00:29",,"mardi 3 mars 2026, 09:00"\n'
    path.write_text(f"{HEADER}{rows}Participant 8,Bob,Aucun,{DUE},,Oui,-,,-\n\n", encoding="utf-8-sig")
    times = read_times([path])
    ada, bob = times.participants
    assert (ada.when, bob.when) == (datetime(2026, 3, 2, 0, 29), None)
    assert times.participant("7", "ada") == ada
    assert times.participant("7", "Bob") is None
    assert not times.group("Remis")


def test_a_list_may_name_exercises_and_its_first_row_that_fits_counts(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text(
        "Exercise,Student,Submitted_at\n02,ada,2026-03-02 08:00\n,Ada,2026-03-01 08:00\n01,ada,\n",
        encoding="utf-8",
    )
    times = read_times([path])
    assert [times.of(exercise, "Ada") for exercise in ("01", "02")] == [datetime(2026, 3, 1, 8)] * 2
    assert times.of("02", "ada") == datetime(2026, 3, 2, 8)


def test_what_students_write_is_neither_a_time_nor_a_group_nor_an_address(tmp_path: Path) -> None:
    path = tmp_path / "Grades.csv"
    path.write_text(
        "ID,Name,Institution,Mail,Group,Last (submission),Online text,Last (grade)\n"
        'P 7,Mallory M,bob@uni.edu,m@uni.edu,Red,-,"Sunday, 1 March 2026, 9:00 AM",-\n'
        'P 8,Eve E,Red,e@uni.edu,Blue,"Sunday, 1 March 2026, 8:00 AM",a:b,-\n',
        encoding="utf-8",
    )
    times = read_times([path])
    mallory, _ = times.participants
    assert (mallory.when, mallory.email) == (None, "m@uni.edu")
    assert [row.number for row in times.group("red")] == ["7"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a Moodle grading worksheet"),
        ("name,grade\nada,5\n", "has no columns student and time"),
        (
            "student,time\nada,1 March\n",
            ':2: "1 March" is not a time that can be read; write it as 2026-01-31',
        ),
        (
            "student,time\nada,2026-03-29\n",
            ':2: "2026-03-29" has no time of day; write it as 2026-03-29 18:00',
        ),
        ("ID,Name,Grade\nParticipant 7,Ada,85\n", ":2: has no column with times"),
        ("student,time\nada,2026-03-29 02:30 Europe/Berlin\n", ":2: .* skips when clocks go forward"),
        ("student,time\nada,2026-03-29 18:00 Europe/Barlin\n", ":2: .* an unknown time zone"),
    ],
)
def test_a_list_that_cannot_serve_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "times.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        read_times([path])


EVENING = datetime(2026, 3, 1, 23, 30)


@pytest.mark.parametrize(
    "text",
    [
        "Sunday, 1 March 2026, 11:30 PM",
        "Sunday, March 1, 2026, 11:30 PM",
        "Sonntag, 1. März 2026, 23:30",
        "dimanche 1 mars 2026, 23:30",
        "dimanche 1 mars 2026 à 23h30",
        "domingo, 1 de marzo de 2026, 23:30",
        "воскресенье, 1 марта 2026, 23:30",
        "2026年 03月 1日(日曜日) 23:30",
        "2026년 3월 1일(일요일) 오후 11:30",
        "2026. március 1., vasárnap, 23:30",
        "søndag, 1 mars 2026, 23:30",
        "יום ראשון, 1 מרץ 2026, 23:30",
        "रविवार, 1 मार्च 2026, 23:30",
        "วันอาทิตย์, 1 มีนาคม 2026, 23:30",
        "Chủ Nhật, 1 tháng 3 2026, 23:30",
        "1 March 2026, 11:30 PM",
        "2026-03-01 23:30",
    ],
)
def test_one_evening_is_read_in_many_languages(text: str) -> None:
    assert read_moment(text) == EVENING


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("niedziela, 1 listopada 2026, 12:00", datetime(2026, 11, 1, 12)),  # November in Polish
        ("četvrtak, 1. listopada 2026., 12:00", datetime(2026, 10, 1, 12)),  # October in Croatian
        ("mandag, 16 mars 2026, 12:35", datetime(2026, 3, 16, 12, 35)),  # in Norwegian, not a Swedish måndag
        ("Sunday, 1 March 2026, 12:05 AM", datetime(2026, 3, 1, 0, 5)),
        ("Sunday, 1 March 2026, 12:05 PM", datetime(2026, 3, 1, 12, 5)),
        ("2026-03-01T23:30:00Z", datetime(2026, 3, 1, 23, 30, tzinfo=UTC)),
    ],
)
def test_what_could_be_another_moment_is_read_by_weekday_half_and_zone(text: str, moment: datetime) -> None:
    assert read_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "23:30", "03/01/2026 23:30", "1.3.2026, 11:30 PM", "Sunday, 1 March 2026, 99:99"),
        *("Sunday, 30 February 2026, 11:30 PM", "Sunday, 1 March 2026", "yesterday 23:30"),
        "Sunday, tomorrow, 23:30",
    ],
)
def test_what_is_not_clear_is_no_time(text: str) -> None:
    assert read_moment(text) is None
