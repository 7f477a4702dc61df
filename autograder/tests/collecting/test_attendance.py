"""The list of students beside what came."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course

LISTED = "id,name,canvas\nada,Ada Lovelace,101\nbob,Bob Bee,\neve,Eve,103\nzoe,Zoë Müller,\n"


@pytest.fixture
def handed_in(course: Course) -> Course:
    (course.root / "students.csv").write_text(LISTED, encoding="utf-8")
    for student in ("ada", "101", "103", "ghost", "bob"):
        (course.root / "submitted" / student / "01_small").mkdir(parents=True)
    return course


def show(course: Course, *words: str) -> list[str]:
    done = CliRunner().invoke(main, ["--course", str(course.root), "students", *words])
    assert done.exit_code == 0, done.output
    return [" ".join(line.split()) for line in done.stdout.splitlines() if line]


def test_who_is_missing_unknown_or_there_twice_is_shown(handed_in: Course) -> None:
    assert show(handed_in) == [
        "4 students in students.csv",
        "exercise came missing",
        "01_small 3 of 4 zoe (Zoë Müller)",
        "01_small unknown: ghost is not in the list; add it there, unless ghost has left: grades stay",
        "01_small twice: 101 is ada, who came under several ids; keep one",
        "01_small under another id: 103 is eve; collect again with the list",
    ]


def test_where_nobody_has_handed_in_that_is_said(course: Course, tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text("ada,Ada Lovelace\n", encoding="utf-8")
    assert show(course, "--students", str(path))[0] == "1 student in class.csv; nobody has handed in anything"


def test_a_missing_list_is_wrong_use(course: Course) -> None:
    done = CliRunner().invoke(main, ["--course", str(course.root), "students"])
    assert done.exit_code == 2
    assert "students.csv: there is no such file; write the class into it: id,name,email" in done.stderr
