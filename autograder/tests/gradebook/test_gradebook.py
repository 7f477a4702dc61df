"""nbgrader's own gradebook, commands and pages, with our reading of submissions and our scores in them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from autograder.authoring.build import build_sources
from autograder.course.course import Course
from autograder.gradebook import ExerciseGradebook, read_gradebook, register
from autograder.gradebook.config import load
from autograder.grading.graded import Graded
from autograder.grading.restarting import RestartingGrader
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import Submission, is_student
from autograder.tests.classroom import (
    WRONG_SUMS,
    answered,
    cell_of,
    hand_in,
    open_course,
    small,
    solved,
    stripped,
)
from autograder.tests.gradebook.rows import autograded, dump, entry, handin

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
EINSUM = "def row_sums(x):\n    return torch.einsum('nd->n', x)"
NESTED = "[" * 100_000 + "]" * 100_000
UNREADABLE: dict[str, Callable[[Path], object]] = {
    "zero bytes": lambda path: path.write_bytes(b""),
    "not JSON": lambda path: path.write_text("no notebook"),
    "nested 100,000 deep": lambda path: path.write_text(f'{{"nbformat": 4, "cells": {NESTED}}}'),
    "nbformat 3": lambda path: path.write_text('{"nbformat": 3, "worksheets": []}'),
    "a folder": lambda path: path.mkdir(),
    "a FIFO": os.mkfifo,
    "a link": lambda path: path.symlink_to(path.parents[3] / "solutions" / "01_small" / "01_small.py"),
    "a broken link": lambda path: path.symlink_to("nowhere"),
}


def fill(course: Course) -> Course:
    """Let a class hand in all sorts of things."""
    exercise = small(course)
    hand_in(course, "solved", solved(exercise))
    hand_in(course, "released", answered(exercise))
    hand_in(course, "wrong", solved(exercise, row_sums=WRONG_SUMS), late="2026-01-01 12:00:00 UTC")
    hand_in(course, "stripped", stripped(solved(exercise)))
    hand_in(course, "forbidden", solved(exercise, row_sums=EINSUM))
    hand_in(course, "=1+1", solved(exercise))
    for number, spoil in enumerate(UNREADABLE.values()):
        submission = hand_in(course, f"unreadable{number}", "")
        submission.notebook.unlink()
        spoil(submission.notebook)
    return course


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course with a class that has handed in, but is not graded."""
    return fill(open_course(tmp_path_factory.mktemp("class") / "course"))


@pytest.fixture(scope="module")
def reports(classroom: Course) -> dict[str, Graded]:
    """Return what the grader says of each of them."""
    with RestartingGrader(classroom) as grader:
        folders = sorted(path.name for path in (classroom.root / "submitted").iterdir())
        submissions = [Submission(classroom.root, name, small(classroom).name) for name in folders]
        return {
            submission.student: grader.grade(small(classroom), read_notebook(submission.notebook))
            for submission in submissions
        }


@pytest.fixture(scope="module")
def graded(classroom: Course, reports: dict[str, Graded]) -> Course:
    """Return the course once all of them are in the gradebook."""
    with ExerciseGradebook(classroom, small(classroom)) as book:
        for student, marked in reports.items():
            if is_student(student):
                submission = Submission(classroom.root, student, small(classroom).name)
                book.take_in(submission, read_notebook(submission.notebook), marked)
    return classroom


def nbgrader(course: Course, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run nbgrader's own command in the course's folder."""
    command = [str(Path(sys.executable).with_name("nbgrader")), *arguments]
    return subprocess.run(command, cwd=course.root, capture_output=True, text=True, timeout=300, check=False)


def test_the_gradebook_knows_an_exercise_as_nbgraders_own_release_would_tell_it(tmp_path: Path) -> None:
    ours, theirs = open_course(tmp_path / "ours"), open_course(tmp_path / "theirs")
    register(ours, small(ours))
    build_sources(theirs, [small(theirs)])
    done = nbgrader(theirs, "generate_assignment", small(theirs).name)
    assert done.returncode == 0, done.stderr
    assert dump(ours.root / "gradebook.db") == dump(theirs.root / "gradebook.db")


def test_stock_nbgrader_autograde_leaves_the_same_gradebook(graded: Course, tmp_path: Path) -> None:
    stock = fill(open_course(tmp_path / "course"))
    done = nbgrader(stock, "autograde", small(stock).name)
    assert done.returncode == 0, done.stderr
    assert dump(stock.root / "gradebook.db") == dump(graded.root / "gradebook.db")
    assert autograded(stock, "wrong") == autograded(graded, "wrong")


def test_a_name_that_is_no_id_never_reaches_the_gradebook(graded: Course) -> None:
    assert "=1+1" not in [handin.student for handin in read_gradebook(graded, small(graded))]


def test_the_formgraders_button_grades_as_we_do(graded: Course, tmp_path: Path) -> None:
    course = open_course(tmp_path / "course")
    hand_in(course, "wrong", solved(small(course), row_sums=WRONG_SUMS), late="2026-01-01 12:00:00 UTC")
    result = formgrader(course).autograde(small(course).name, "wrong")
    assert result["success"], result
    assert handin(course, "wrong") == handin(graded, "wrong")
    assert (course.root / "build" / "reports" / "01_small" / "wrong.json").is_file()


def formgrader(course: Course) -> NbGraderAPI:
    """Return what stands behind the formgrader's buttons."""
    config = load(course)
    config.merge(Config({"Exchange": {"root": str(course.root)}}))
    return NbGraderAPI(config=config)


def test_a_right_answer_gets_its_points(graded: Course) -> None:
    seen = {e.question: (e.auto_score, e.needs_person) for e in handin(graded, "solved").entries}
    assert seen == {"double": (2.0, False), "row_sums": (3.0, False), "why": (None, True)}


def test_an_untouched_release_gets_nothing_and_nobody_needs_to_look(graded: Course) -> None:
    seen = {e.question: (e.auto_score, e.needs_person) for e in handin(graded, "released").entries}
    assert seen == {"double": (0.0, False), "row_sums": (0.0, False), "why": (0.0, False)}
    assert entry(graded, "released", "why").comment == "No response."


def test_a_wrong_answer_gets_a_comment_with_the_mistakes_hint_and_the_failed_tests(graded: Course) -> None:
    mistake = next(m for m in small(graded).mistakes if m.name == "row_sums__columns")
    comment = entry(graded, "wrong", "row_sums").comment
    assert comment.startswith("Failed.")
    assert mistake.hint in comment
    assert "- failed: Each number is the sum of its own row." in comment


def test_all_metadata_stripped_scores_in_full_and_is_put_back(graded: Course) -> None:
    assert handin(graded, "stripped").score == handin(graded, "solved").score
    names = [
        c["metadata"]["nbgrader"]["grade_id"]
        for c in autograded(graded, "stripped")["cells"]
        if c["metadata"]
    ]
    assert names == ["double", "check-double", "row_sums", "check-row_sums", "why"]


def test_a_broken_rule_waits_for_a_person(graded: Course) -> None:
    seen = entry(graded, "forbidden", "row_sums")
    assert (seen.auto_score, seen.needs_person) == (0.0, True)
    assert seen.comment.startswith("Review.")


@pytest.mark.parametrize(("number", "kind"), list(enumerate(UNREADABLE)))
def test_a_file_that_is_no_notebook_gets_zeros_that_are_not_silent(
    graded: Course, number: int, kind: str
) -> None:
    student = f"unreadable{number}"
    seen = handin(graded, student).entries
    assert [(e.auto_score, e.needs_person) for e in seen] == [(0.0, True)] * 3, kind
    assert all("could not be read" in e.comment for e in seen)
    first, *rest = autograded(graded, student)["cells"]
    assert "could not be read" in "".join(first["source"])
    assert len(rest) == len(autograded(graded, "released")["cells"])


def test_the_autograded_notebook_shows_what_the_cells_showed(graded: Course) -> None:
    outputs = cell_of(autograded(graded, "solved"), "check-double")["outputs"]
    assert "".join(outputs[0]["text"]) == "double: this check passes\n"
    failed = cell_of(autograded(graded, "released"), "check-double")["outputs"]
    assert [output["ename"] for output in failed] == ["NotImplementedError"]
