"""Moodle gets its worksheet back with grades in it, and feedback under names that its own rules read."""

import csv
import io
from itertools import starmap
from pathlib import Path

import pytest

from autograder.collecting.metadata import read_participants
from autograder.course.course import Course
from autograder.errors import UsageError
from autograder.plugins import moodle
from autograder.plugins.moodle import fill_worksheet, pack_for_moodle
from autograder.publishing import graded_work
from autograder.publishing.export import Sent
from autograder.report.report import GradebookSubmission
from autograder.submission.students import Student
from autograder.tests.classroom import small
from autograder.tests.plugins.test_canvas_zip import BOOK, Term
from autograder.tests.publishing.test_export import entry, submission

# As mod/assign/gradingtable.php makes it: the small course's exercise is worth 7 points.
HEADER = (
    'Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",'
    '"Last modified (submission)","Online text","Last modified (grade)","Feedback comments"\r\n'
)
ADA = (
    '"Participant 3001","Ada Lovelace",ada@uni.edu,"Submitted for grading",5.00,7.00,Yes,'
    '"Sunday, 1 March 2026, 5:00 PM","two\r\nlines, ""quoted""",-,"<p>Good, so far</p>"\r\n'
)
BOB = '"Participant 3002","Bob Byte",bob@uni.edu,"No submission",,7.00,Yes,-,,-,\r\n'
SHEET = HEADER + ADA + BOB
GERMAN = (
    "\ufeffID,Vollständiger Name,Status,Bewertung,Bestwertung,Bewertung kann geändert werden,"
    "Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung)\n"
    'Teilnehmer/in3001,Ada Lovelace,Abgegeben,,"7,00",Ja,"Sonntag, 1. März 2026, 17:00",-\n'
)
NAMED = "id,name\nada,Ada Lovelace\nbob,Bob Byte\n"
LISTED = "id,name,email,moodle\na1,Somebody Else,ADA@uni.edu,\nb1,,,Participant_3002\n"
# As it is for blind marking.
BLIND = "".join(
    f"{line}\r\n"
    for line in (
        'Identifier,Status,Grade,"Maximum grade","Grade can be changed","Last modified (grade)"',
        '"Participant 3001","Submitted for grading",5.00,7.00,Yes,-',
        '"Participant 3002","No submission",,7.00,Yes,-',
    )
)


@pytest.fixture
def fill(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Fill":
    (course.root / "students.csv").write_text(NAMED, encoding="utf-8")
    return Fill(course, tmp_path / "Grades.csv", monkeypatch)


class Fill:
    """Fills a worksheet with what the gradebook is made to hold."""

    def __init__(self, course: Course, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.course, self._path, self._monkeypatch = course, path, monkeypatch

    def __call__(self, text: str, *graded: GradebookSubmission) -> Sent:
        self._path.write_bytes(text.encode())
        self._monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise, **_: graded)
        return fill_worksheet(self.course, small(self.course), self._path)


def scored(student: str, score: float) -> GradebookSubmission:
    return submission(student, entry(student, "double", score))


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


@pytest.mark.parametrize(
    ("sheet", "listed", "scores", "column", "grades", "problems"),
    [
        (SHEET, NAMED, {"ada": 6.25, "bob": 0.0}, 4, ["Grade", "6.25", "0"], ()),
        (SHEET, LISTED, {"a1": 1.5, "b1": 2.0}, 4, ["Grade", "1.5", "2"], ()),
        (GERMAN, NAMED, {"ada": 6.25}, 3, ["Bewertung", "6,25"], ()),
        (
            BLIND,
            "id,moodle\na1,Participant_3001\nb1,Participant_3002\n",
            {"b1": 3.0},
            2,
            ["Grade", "5.00", "3"],
            (),
        ),
        (SHEET, NAMED, {"zoe": 3.0}, 4, ["Grade", "5.00", ""], ("zoe: is not in Grades.csv",)),
    ],
    ids=["plain", "by the list of students", "in another language", "without names", "not in it"],
)
def test_grades_go_in_and_nothing_else_changes(
    fill: Fill,
    sheet: str,
    listed: str,
    scores: dict[str, float],
    column: int,
    grades: list[str],
    problems: tuple[str, ...],
) -> None:
    (fill.course.root / "students.csv").write_text(listed, encoding="utf-8")
    filled = fill(sheet, *starmap(scored, scores.items()))
    text = filled.paths[0].read_bytes().decode()
    before, after = cells(sheet), cells(text)
    assert [row.pop(column) for row in after] == grades
    for row in before:
        del row[column]
    assert after == before
    assert filled.problems == problems


@pytest.mark.parametrize(
    ("maximum", "problem"),
    [
        ("100.00", r"maximum grade is 100\.00, but 01_small has 7 points"),  # which would lose grades
        ("A B C", "points as the assignment"),
    ],
)
def test_a_worksheet_with_other_points_is_refused(fill: Fill, maximum: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        fill(SHEET.replace("7.00", maximum), scored("ada", 6.25))


@pytest.mark.parametrize(
    "name", ["=cmd()", "+1+cmd()", "@SUM(A1)", "-1+cmd()", "\uff1dcmd()", "\uff0b1", "\uff20x"]
)
def test_no_cell_that_moodle_passes_through_is_a_formula(fill: Fill, name: str) -> None:
    text = fill(SHEET.replace("Ada Lovelace", name), scored("bob", 1.0)).paths[0].read_bytes().decode()
    shown = [cell for row in cells(text) for cell in row]
    assert f"'{name}" in shown
    assert name not in shown


def test_who_has_left_the_class_gets_no_grade_and_is_named(
    fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    (fill.course.root / "students.csv").write_text("id,name,email\nada,Ada Lovelace,\n", encoding="utf-8")
    former = {"drop": Student("drop", ("Byte, Bob",)), "x": Student("x", ("x,",))}
    monkeypatch.setattr(moodle, "read_former", lambda course: former)
    filled = fill(SHEET, scored("ada", 3.0), scored("drop", 2.0))
    assert [row[4] for row in cells(filled.paths[0].read_bytes().decode())] == ["Grade", "3", ""]
    assert filled.problems == ("drop: is no longer in students.csv, so Moodle gets no grade",)


@pytest.mark.parametrize(
    ("drop", "expected"),
    [
        (Student("drop", ("Byte, Bob",)), "drop"),
        (Student("drop", ("Other, Name",), "BOB@uni.edu"), "drop"),
        (Student("bob.byte", ("bob.byte,",)), "bob.byte"),
        (Student("drop", ("Byte, Rob",)), ""),
    ],
)
def test_the_row_of_who_has_left_is_found_by_id_address_or_name(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drop: Student, expected: str
) -> None:
    (course.root / "students.csv").write_text("id,name,email\nada,Ada Lovelace,\n", encoding="utf-8")
    monkeypatch.setattr(moodle, "read_former", lambda course: {drop.id: drop})
    (tmp_path / "Grades.csv").write_bytes(SHEET.encode())
    times = read_participants(tmp_path / "Grades.csv")
    found = moodle.participants(course, small(course), times)
    assert found["3001"] == "ada"
    assert (found["3002"] if expected else str(found["3002"])) == (
        expected or '"Bob Byte" is not in the list of students'
    )


def found_by_moodle(name: str) -> tuple[int, tuple[str, str], str]:
    """Return participant, plugin and the name that the student sees, as importziplib.php finds them."""
    assert not name.startswith((".", "~"))
    _, participant, subtype, plugin, shown = name.split("_", 4)
    return int(participant), (subtype, plugin), shown


@pytest.fixture
def term(course: Course, monkeypatch: pytest.MonkeyPatch) -> Term:
    return Term(course, monkeypatch)


def test_moodle_finds_each_participant_again(term: Term) -> None:
    term.collect(
        "id,name\nada_1_2,Ada Lovelace\nbob,Bob Byte\n",
        **{
            "Ada Lovelace_3001_assignsubmission_file/01_small.ipynb": BOOK,
            "Bob Byte_3002_assignsubmission_file_01_small.ipynb": BOOK,
        },
    )
    packed, files = term.pack(pack_for_moodle)
    assert not packed.problems
    found = {found_by_moodle(name): text for name, text in files.items()}
    seen = ("assignsubmission", "file"), "01_small.html"
    assert found == {(3001, *seen): "<p>ada_1_2", (3002, *seen): "<p>bob"}


def test_moodle_s_worksheet_tells_participants_that_no_archive_told(term: Term) -> None:
    term.collect(NAMED, **{"class/ada/01_small.ipynb": BOOK, "class/bob/01_small.ipynb": BOOK})
    packed, files = term.pack(pack_for_moodle)
    assert not files
    assert len(packed.problems) == 2
    sheet = term.course.root / "Grades.csv"
    sheet.write_text(SHEET, encoding="utf-8")
    _, files = term.pack(pack_for_moodle, sheet=sheet)
    assert {found_by_moodle(name)[0] for name in files} == {3001, 3002}
    sheet.write_text(SHEET.replace("Bob Byte", "Rob Byte"), encoding="utf-8")
    packed, _ = term.pack(pack_for_moodle, sheet=sheet)
    assert packed.problems == (
        "bob (Bob Byte): has no row in Grades.csv with this id, address or name; "
        "send the feedback page yourself",
    )
    (term.course.root / "students.csv").unlink()
    with pytest.raises(UsageError, match="display names instead of ids; write students"):
        term.pack(pack_for_moodle, sheet=sheet)
