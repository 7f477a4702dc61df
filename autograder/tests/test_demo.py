"""The demo class is graded in a course of its own, every kind of student as it should be."""

import re
from pathlib import Path

import pytest

from autograder.batch.grade import Summary
from autograder.cli.output import show_addresses, show_class
from autograder.course.course import Course, load_course
from autograder.course.source import Role, SourceError
from autograder.demo import CLASS, grade_class, make_class, named_mistake, written_answer
from autograder.tests.classroom import open_course, real_course
from autograder.tests.gradebook.rows import reports


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Summary]:
    """Return the folders of a real course and of its demo, and what became of the class."""
    root = tmp_path_factory.mktemp("demo") / "course"
    open_course(root)
    with (root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write("    limits: {cell_seconds: 2, call_seconds: 1}\n")
    course = load_course(root)
    demo, submissions = make_class(course, course.chosen([]))
    summary = grade_class(demo)
    assert submissions == len(summary.lines)
    return root, demo.root, summary


def test_an_exercise_that_is_not_written_yet_is_an_author_s_error(course: Course) -> None:
    course.exercises["01_small"].source.unlink()
    with pytest.raises(SourceError, match=r"01_small\.py: missing"):
        make_class(course, course.chosen([]))


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


def test_written_answers_are_parts_of_the_model_answer_without_its_rubric() -> None:
    """A grader sees answers that differ in what they say, and none that shows the rubric."""
    for exercise in real_course().exercises.values():
        for cell in filter(lambda cell: cell.role is Role.MANUAL, exercise.cells):
            answers = {written_answer(cell, student.name) for student in CLASS}
            assert len(answers) > 1, cell.name
            assert all(answer and answer in " ".join(cell.model.split()) for answer in answers), cell.name
            assert not any(thing in answer for thing in cell.rubric for answer in answers), cell.name


def test_the_real_course_is_left_alone(made: tuple[Path, Path, Summary]) -> None:
    root, demo, _ = made
    assert demo == root / "build" / "demo"
    names = {"build", "course.yaml", "hidden_inputs.key", "nbgrader_config.py", "solutions"}
    assert {path.name for path in root.iterdir()} == names


def test_what_was_made_is_at_the_addresses_and_the_class_is_shown(
    made: tuple[Path, Path, Summary], capsys: pytest.CaptureFixture[str]
) -> None:
    _, demo, summary = made
    course = load_course(demo)
    assert (demo / "feedback/ada/01_small/01_small.html").is_file()
    assert (demo / "build/exports/questions.csv").is_file()
    assert "twice three is not three times three. <small><code>double</code>" in (
        demo / "build/dashboard.html"
    ).read_text(encoding="utf-8")
    assert len(reports(course)) == len(summary.lines)
    show_class(course, summary)
    show_addresses(course)
    shown = capsys.readouterr().out
    assert "student  01          what is special" in shown
    assert "ada      5/5         gives the right answers" in shown
    assert "niels    5/5 late    is late" in shown
    for address in re.findall(r"file://(\S+?)(?:#\S+)?$", shown, re.MULTILINE):
        assert Path(address).is_file()
    assert f"    cd {demo} && " in shown


def test_the_page_to_open_names_a_mistake_and_its_line(made: tuple[Path, Path, Summary]) -> None:
    _, demo, _ = made
    student, question, address = named_mistake(load_course(demo))
    path, _, anchor = address.removeprefix("file://").partition("#")
    page = Path(path).read_text(encoding="utf-8")
    begin = page.index(f'id="{anchor}"')
    answer = page[begin : page.index("</section>", begin)]
    assert f"/feedback/{student}/" in path
    assert question in answer
    assert "<tr class=marked><td>2</td>" in answer
