"""Grades for Canvas: the columns that its importer wants, read back as it reads them."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.publishing import canvas, graded_work
from autograder.publishing.export import write_tables
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.tests.publishing.test_export import entry, submission

Written = Callable[..., str]


@pytest.fixture
def written(course: Course, monkeypatch: pytest.MonkeyPatch) -> Written:
    """Return a function that exports what the gradebook is made to hold and returns canvas.csv."""

    def write(*submissions: GradebookSubmission) -> str:
        monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise: submissions)
        path = next(
            path for path in write_tables(course, course.chosen([])).paths if path.name == "canvas.csv"
        )
        assert path.parent == course.build / "exports"
        return path.read_bytes().decode()

    return write


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


CLASS = (
    submission("emmy@uni.example", entry("emmy", "double", 2.0), entry("emmy", "row_sums", 4 / 3)),
    submission("1004217", entry("1004217", "double", 0.0)),
    submission("ann", entry("ann", "double", None, comment="Grader error.")),
    submission("bob", entry("bob", "double", 2.0, extra_credit=0.5), penalty=1.0),
)


def test_the_file_is_as_it_was(written: Written, golden: Callable[[str, str], None]) -> None:
    golden("exports/canvas.csv", written(*CLASS).replace("\r\n", "\n"))


def test_the_columns_come_as_canvas_looks_for_them(written: Written) -> None:
    first, second, *_ = csv.reader(written(*CLASS).splitlines())
    assert first == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "01_small"]
    assert "Points Possible" in second[0]
    assert second[-1] == "7"  # tests give 5, the written answer 2


def test_a_student_is_known_by_login(written: Written) -> None:
    emmy = read(written(*CLASS))[-1]
    assert (emmy["ID"], emmy["SIS Login ID"]) == ("", "emmy@uni.example")
    assert emmy["SIS User ID"] == "emmy@uni.example"
    assert emmy["01_small"] == "3.3333"


def test_a_number_may_be_canvas_s_own_and_nothing_else_may_be_taken_for_one(written: Written) -> None:
    rows = read(
        written(submission("1004217", entry("1004217", "double", 2.0)), submission("3ann"), submission("٣"))
    )
    assert {row["SIS Login ID"]: row["ID"] for row in rows[1:]} == {"1004217": "1004217", "3ann": "", "٣": ""}


def test_who_has_no_score_is_left_out_since_an_empty_cell_deletes_what_canvas_has(written: Written) -> None:
    assert "ann" not in [row["SIS Login ID"] for row in read(written(*CLASS))]


def test_an_exercise_without_scores_has_no_column_since_canvas_would_make_an_assignment_of_it(
    written: Written,
) -> None:
    header = written(submission("ann", entry("ann", "double", None))).splitlines()[0]
    assert header == "Student,ID,SIS User ID,SIS Login ID,Section"


def test_names_stand_as_canvas_sorts_them() -> None:
    names = {"ann": "Noether, Ann", "bob": "bob"}
    _, ann, bob = canvas.rows({"01_small": 5.0}, {"ann": {"01_small": 1.0}, "bob": {}}, names, {})
    assert (ann[0], bob[0]) == ("Noether, Ann", "bob")


@pytest.mark.parametrize("name", ["=1+1", "@SUM(A1)", "+1", '=HYPERLINK("x")'])
def test_no_cell_is_a_formula(written: Written, name: str) -> None:
    row = read(written(submission(name, entry(name, "double", 2.0))))[1]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


def test_who_handed_in_nothing_of_these_has_no_row(course: Course, tmp_path: Path, written: Written) -> None:
    assert len(read(written())) == 1


def test_the_number_in_the_list_of_students_is_canvas_s_own(course: Course, written: Written) -> None:
    listed = "id,canvas\nbob,102\n1004217,103\nemmy@uni.example,\n"
    (course.root / "students.csv").write_text(listed, encoding="utf-8")
    rows = {row["SIS Login ID"]: row["ID"] for row in read(written(*CLASS))}
    assert (rows["bob"], rows["1004217"], rows["emmy@uni.example"]) == ("102", "103", "")
