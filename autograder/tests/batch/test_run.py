"""Notebooks are graded on the spot, whatever their state, and each gives one report."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.answers import fill, right_answers
from autograder.batch.run import run_notebooks
from autograder.cli.output import show_report
from autograder.course.course import Course, CourseError, load_course
from autograder.course.exercise import Exercise
from autograder.grading.grader import Grader
from autograder.report.report import Report, Status
from autograder.submission.notebook import Notebook
from autograder.submission.submission import UnknownExerciseError

KEYS = ["notebook", "exercise", "status", "message", "score", "max_score", "sandbox", "questions"]
QUESTION_KEYS = ["name", "verdict", "score", "max_score", "hint", "mistake", "tests", "shown", "place"]
LOOP = "def double(x):\n    while True:\n        pass\n"
ESCAPES = "def double(x):\n    raise ValueError('\\x1b]0;owned\\x07\\x1b[2J[red]\\u202edone\\r\\n')\n"
UNREADABLE = {"missing": None, "empty": b"", "zip": b"PK\x03\x04", "other JSON": b'{"cells": 3}'}


def released(exercise: Exercise) -> dict[str, Any]:
    """Return the exercise's notebook as a release looks."""
    cells = [
        {
            "cell_type": "code" if cell.is_code else "markdown",
            "source": cell.released(),
            "metadata": {"nbgrader": {"grade_id": cell.grade_id}} if cell.name else {},
        }
        for cell in exercise.cells
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def write(course: Course, name: str, answers: Mapping[str, str], *, metadata: bool = True) -> str:
    """Write a notebook of the small exercise with `answers` under the course's folder and return its path."""
    notebook = fill(released(course.exercises["01_small"]), answers)
    if not metadata:
        for cell in notebook["cells"]:
            cell["metadata"] = {}
    path = course.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Return what one call of `run` says of notebooks in every state, by the name of their folder."""
    root = shutil.copytree(
        Path(__file__).parents[1] / "small_course", tmp_path_factory.mktemp("runs") / "course"
    )
    with (root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write("    limits: {cell_seconds: 2, call_seconds: 1}\n")
    course = load_course(root)
    right = right_answers(course.exercises["01_small"])
    answers = {
        "endless": {**right, "double": LOOP},
        "escapes": {**right, "double": ESCAPES},
        "right": right,
    }
    paths = [write(course, f"{name}/01_small.ipynb", answer) for name, answer in answers.items()]
    paths.append(write(course, "stripped/homework.ipynb", right, metadata=False))
    for name, content in UNREADABLE.items():
        path = root / name / "01_small.ipynb"
        path.parent.mkdir()
        if content is not None:
            path.write_bytes(content)
        paths.append(str(path))
    return {Path(path).parent.name: graded.report for path, graded in run_notebooks(course, paths)}


def test_right_answers_score_in_full_and_the_report_has_the_contract_s_keys(
    reports: dict[str, Report],
) -> None:
    data = json.loads(reports["right"].to_json(notebook="there/01_small.ipynb"))
    assert list(data) == KEYS
    assert data["notebook"] == "there/01_small.ipynb"
    assert (data["exercise"], data["status"], data["message"]) == ("01_small", "graded", "")
    assert (data["score"], data["max_score"]) == (5.0, 5.0)
    assert [list(question) for question in data["questions"]] == [QUESTION_KEYS] * 3
    assert list(data["questions"][0]["tests"][0]) == ["title", "verdict", "weight", "hint"]
    assert data["questions"][-1]["verdict"] == "ungraded"
    assert data["questions"][-1]["score"] is None


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_notebook_is_reported_as_unreadable(reports: dict[str, Report], name: str) -> None:
    report = reports[name]
    assert (report.status, report.score) == (Status.UNREADABLE, 0)
    assert report.message


def test_one_bad_notebook_does_not_stop_the_next(reports: dict[str, Report]) -> None:
    endless = reports["endless"]
    assert endless.questions[0].verdict == "timed out"
    assert endless.questions[1].score == 3
    assert list(reports)[-1] == list(UNREADABLE)[-1]


def test_a_student_s_text_cannot_steer_the_terminal(
    reports: dict[str, Report], capsys: pytest.CaptureFixture[str]
) -> None:
    show_report("there.ipynb", reports["escapes"])
    shown = capsys.readouterr().out
    assert "[red] done (the cell of double, line 2)" in shown
    assert not set("\x1b\x07\u202e\r") & set(shown)


def test_a_grader_that_breaks_gives_no_score_and_says_so(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(grader: Grader, notebook: Notebook) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(Grader, "grade", broken)
    ((_, graded),) = run_notebooks(course, [write(course, "01_small.ipynb", {})])
    assert (graded.report.status, graded.report.score) == (Status.GRADER_ERROR, None)
    assert {question.score for question in graded.report.questions} == {None}
    assert "secret" not in graded.report.to_json()
    assert graded.problem == "RuntimeError: secret detail"
    assert 'raise RuntimeError("secret detail")' in graded.traceback


def test_the_exercise_is_known_by_name_or_else_by_cells(reports: dict[str, Report]) -> None:
    assert reports["right"].exercise == "01_small"  # there/01_small.ipynb
    assert reports["stripped"].exercise == "01_small"  # there/homework.ipynb


def test_wrong_use_is_reported_before_anything_is_graded(course: Course) -> None:
    known, unknown = write(course, "01_small.ipynb", {}), course.root / "unknown.ipynb"
    unknown.write_text("no notebook", encoding="utf-8")
    with pytest.raises(UnknownExerciseError, match="pass --exercise"):
        run_notebooks(course, [known, str(unknown)])


def test_a_named_exercise_wins_over_what_the_name_says(course: Course) -> None:
    with pytest.raises(CourseError, match='no exercise "02_big"'):
        list(run_notebooks(course, [write(course, "01_small.ipynb", {})], "02_big"))
