"""Solutions leave when an exercise is over: they run, they are whole, and nothing hidden goes with them."""

import contextlib
import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from autograder.authoring.answers import shown_answers, solutions, write_solutions
from autograder.course.answers import ACCEPTED, MISTAKES
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.source import BEGIN, END, Role
from autograder.gradebook.lateness import extend
from autograder.tests.classroom import HELD_OUT, real_course

COURSE = real_course()
NAME = "01_small"
DUE = datetime(2026, 3, 1, 18, tzinfo=UTC)


def due(course: Course) -> Course:
    """Return the course with a due date."""
    path = course.root / "course.yaml"
    text = path.read_text(encoding="utf-8").replace(
        f"name: {NAME}", f"name: {NAME}\n    due: {DUE.isoformat()}"
    )
    path.write_text(text, encoding="utf-8")
    return load_course(course.root)


def test_the_notebook_is_the_golden_one(course: Course, golden: Callable[[str, str], None]) -> None:
    (path,), waiting = write_solutions(course, course.chosen([]), DUE, early=True)
    assert path == course.build / "solutions" / NAME / f"{NAME}_solutions.ipynb"
    golden("release/01_small_solutions.ipynb", path.read_text(encoding="utf-8"))
    assert (waiting, course.assignments.exists()) == ([], False)


def test_solutions_wait_until_an_exercise_is_over(course: Course) -> None:
    def why(course: Course, now: datetime) -> str:
        paths, waiting = write_solutions(course, course.chosen([]), now)
        assert bool(paths) is not bool(waiting)
        assert (course.build / "solutions").exists() is bool(paths)
        return "".join(waiting)

    assert (
        why(course, DUE)
        == f"{NAME}: has no due date; add `due` to the exercise in course.yaml, or use --early"
    )
    course = due(course)
    waits = (
        "students can still submit until 2026-03-01 18:00+00:00, the due date; wait until then, "
        "or use --early"
    )
    assert why(course, DUE) == f"{NAME}: {waits}"
    extend(course, "ada", NAME, "2026-03-03 18:00 UTC")
    assert "until 2026-03-03 18:00+00:00, the end of the last extension" in why(
        course, DUE + timedelta(days=1)
    )
    assert why(course, DUE + timedelta(days=3)) == ""


@pytest.mark.parametrize("name", list(COURSE.exercises))
def test_the_solutions_of_each_exercise_run_and_hide_nothing_but_what_is_hidden(name: str) -> None:
    exercise = COURSE.exercises[name]
    cells = solutions(exercise)
    assert all(len(variant.docstring.split("\n\n")) == 2 for variant in shown_answers(exercise))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec("\n".join(cell.text for cell in cells if cell.role is Role.CODE), {"__name__": "__main__"})
    twice = {q for variant in shown_answers(exercise) for q in exercise.replaced(variant.code)}
    assert all(printed.getvalue().count(f"{q}: this check passes") >= 2 for q in twice)
    text = "\n".join(cell.text for cell in cells)
    assert BEGIN not in text
    assert END not in text
    assert [line for line in hidden_lines(exercise) if line in text] == []


def hidden_lines(exercise: Exercise) -> list[str]:
    """Return the lines of hidden tests and known mistakes that stand nowhere else."""
    known = [exercise.source, exercise.folder / ACCEPTED]
    public = "\n".join(path.read_text(encoding="utf-8") for path in known) + exercise.given_checks
    private = [exercise.suite, exercise.folder / MISTAKES, HELD_OUT / f"{exercise.name}.py"]
    lines = (line.strip() for path in private for line in path.read_text(encoding="utf-8").split("\n"))
    return [line for line in lines if len(line) >= 6 and line not in public]
