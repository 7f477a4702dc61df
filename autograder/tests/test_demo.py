"""The demo class is graded in a course of its own, every kind of student as it should be."""

from pathlib import Path

import pytest

from autograder.batch.grade import Summary
from autograder.cli.output import demo_places, show_class
from autograder.course.course import Course, load_course
from autograder.course.source import SourceError
from autograder.demo import CLASS, demonstrate
from autograder.tests.classroom import open_course
from autograder.tests.gradebook.rows import reports


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


def test_an_exercise_that_is_not_written_yet_is_an_author_s_error(course: Course) -> None:
    course.exercises["01_small"].source.unlink()
    with pytest.raises(SourceError, match=r"01_small\.py: missing"):
        demonstrate(course, course.chosen([]))


def test_everybody_gets_what_they_have_earned(made: tuple[Path, Path, Summary]) -> None:
    lines = {line.student: line for line in made[2].lines}
    assert set(lines) == {student.name for student in CLASS}
    assert made[2].failures == ()
    for right in ("ada", "blaise", "maryam", "niels"):
        assert (lines[right].status, lines[right].score) == ("graded", 5)
    assert {name: lines[name].score for name in ("isaac", "alan")} == {"isaac": 0, "alan": 3}
    assert {lines[name].score == 5 for name in ("carl", "dorothy", "emmy", "felix")} == {False}
    assert lines["kurt"].status == "unreadable"
    assert [line.student for line in lines.values() if line.seconds_late] == ["niels"]


def test_the_real_course_is_left_alone(made: tuple[Path, Path, Summary]) -> None:
    root, demo, _ = made
    assert demo == root / "build" / "demo"
    names = {"build", "course.yaml", "hidden_inputs.key", "nbgrader_config.py", "solutions"}
    assert {path.name for path in root.iterdir()} == names


def test_what_was_made_lies_where_it_says_and_the_class_is_shown(
    made: tuple[Path, Path, Summary], capsys: pytest.CaptureFixture[str]
) -> None:
    _, demo, summary = made
    course = load_course(demo)
    assert [str(demo / "feedback") in line for line in demo_places(course)].count(True) == 1
    assert (demo / "feedback/ada/01_small/01_small.html").is_file()
    assert (demo / "build/exports/questions.csv").is_file()
    assert "double__squares" in (demo / "build/dashboard.html").read_text(encoding="utf-8")
    assert len(reports(course)) == len(summary.lines)
    show_class(course, summary)
    shown = capsys.readouterr().out
    assert "student  01          what is special" in shown
    assert "ada      5/5         answers as the reference does" in shown
    assert "niels    5/5 late    is late" in shown
