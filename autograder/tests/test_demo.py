"""The demo class is graded in a course of its own, every kind of student as it should be."""

from pathlib import Path

import pytest

from autograder.batch.grade import SubmissionLine, Summary
from autograder.cli.output import demo_places, show_class
from autograder.course.course import Course, load_course
from autograder.course.source import SourceError
from autograder.demo import CLASS, demonstrate
from autograder.tests.classroom import open_course
from autograder.tests.gradebook.rows import reports

Class = dict[str, SubmissionLine]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Summary]:
    """Return the folders of a real course and of its demo, and what became of the class."""
    root = tmp_path_factory.mktemp("demo") / "course"
    open_course(root)
    with (root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write("    limits: {cell_seconds: 2, call_seconds: 1}\n")
    course = load_course(root)
    demo, summary = demonstrate(course, course.chosen([]))
    return root, demo.root, summary


@pytest.fixture
def lines(made: tuple[Path, Path, Summary]) -> Class:
    return {line.student: line for line in made[2].lines}


def test_an_exercise_that_is_not_written_yet_is_an_author_s_error(course: Course) -> None:
    course.exercises["01_small"].source.unlink()
    with pytest.raises(SourceError, match=r"01_small\.py: missing"):
        demonstrate(course, course.chosen([]))


def test_everybody_is_graded_and_nothing_fails_on_our_side(
    made: tuple[Path, Path, Summary], lines: Class
) -> None:
    assert len(CLASS) >= 12
    assert set(lines) == {student.name for student in CLASS}
    assert made[2].failures == ()


@pytest.mark.parametrize("student", ["ada", "blaise", "leonhard", "maryam", "niels"])
def test_right_answers_score_in_full_however_they_come(lines: Class, student: str) -> None:
    assert (lines[student].status, lines[student].score) == ("graded", 5)


def test_the_others_get_what_they_have_earned(lines: Class) -> None:
    assert lines["isaac"].score == 0
    assert lines["grace"].score == lines["hedy"].score == 2
    assert lines["alan"].score == 3
    assert {lines[name].score == 5 for name in ("carl", "dorothy", "emmy", "felix")} == {False}
    assert lines["kurt"].status == "unreadable"
    assert [line.student for line in lines.values() if line.seconds_late] == ["niels"]


def test_the_real_course_is_left_alone(made: tuple[Path, Path, Summary]) -> None:
    root, demo, _ = made
    assert demo == root / "build" / "demo"
    assert (demo / "gradebook.db").is_file()
    assert sorted(path.name for path in root.iterdir()) == [
        "build",
        "course.yaml",
        "hidden_inputs.key",
        "nbgrader_config.py",
        "solutions",
    ]


def test_feedback_tables_and_reports_lie_where_it_says(made: tuple[Path, Path, Summary]) -> None:
    _, demo, summary = made
    course = load_course(demo)
    assert [str(demo / "feedback") in line for line in demo_places(course)].count(True) == 1
    assert (demo / "feedback/ada/01_small/01_small.html").is_file()
    assert (demo / "build/exports/questions.csv").is_file()
    assert "double__squares" in (demo / "build/dashboard.html").read_text(encoding="utf-8")
    assert len(reports(course)) == len(summary.lines)


def test_the_class_is_shown_student_by_student(
    made: tuple[Path, Path, Summary], capsys: pytest.CaptureFixture[str]
) -> None:
    show_class(load_course(made[1]), made[2])
    shown = capsys.readouterr().out
    assert "student   01          what is special" in shown
    assert "ada       5/5         answers as the reference does" in shown
    assert "niels     5/5 late    is late" in shown
