"""The dashboard's numbers as tables."""

from pathlib import Path

from autograder.publishing.dashboard import write_dashboard_tables
from autograder.publishing.statistics import class_statistics
from autograder.tests.publishing.works import SMALL_CLASS


def tables(folder: Path) -> dict[str, list[str]]:
    paths = write_dashboard_tables(folder, class_statistics(SMALL_CLASS))
    return {path.stem.removeprefix("dashboard-"): path.read_text("utf-8").splitlines() for path in paths}


def test_each_question_has_its_row(tmp_path: Path) -> None:
    header, *rows = tables(tmp_path)["questions"]
    assert header == (
        "exercise,question,points,answers,mean,full_marks,not_attempted,crashed,timed_out,"
        "discrimination,compared,only_check_passes,only_tests_pass"
    )
    assert [row.split(",")[1:9] for row in rows] == [
        ["double", "2", "7", "0.7143", "2", "1", "1", "0"],
        ["row_sums", "3", "7", "1.2857", "3", "1", "0", "1"],
        ["why", "2", "0", "", "0", "0", "0", "0"],
    ]


def test_each_tenth_has_its_row(tmp_path: Path) -> None:
    header, *rows = tables(tmp_path)["scores"]
    assert header == "exercise,from_percent,submissions"
    assert rows[0] == "01_small,0,2"
    assert [row.split(",")[1] for row in rows] == [str(10 * tenth) for tenth in range(10)]


def test_mistakes_and_concerns_name_students(tmp_path: Path) -> None:
    found = tables(tmp_path)
    assert found["mistakes"][1] == "01_small,row_sums,row_sums__columns,2,carl d.o+rothy@home"
    assert found["students"][1:] == [
        "kurt,01_small,unreadable: <script>alert(1)</script>",
        "felix,01_small,review of double",
        "grace,01_small,nothing attempted",
    ]
