"""Notebooks are graded on the spot, whatever their state, and each gives one report."""

import json
from pathlib import Path

import pytest

from autograder.batch.run import run_notebooks
from autograder.cli.output import show_report
from autograder.course.course import Course, CourseError, load_course
from autograder.errors import UsageError
from autograder.report.report import Report
from autograder.submission.submission import UnknownExerciseError
from autograder.tests.classroom import Notebook, copy_small_course, small, solved, stripped

KEYS = [
    "notebook", "exercise", "status", "message", "score", "max_score", "sandbox", "questions", "explained",
]  # fmt: skip
QUESTION_KEYS = ["name", "verdict", "score", "max_score", "hint", "mistake", "tests", "shown", "place"]
LOOP = "def double(x):\n    while True:\n        pass\n"
ESCAPES = "def double(x):\n    raise ValueError('\\x1b]0;owned\\x07\\x1b[2J[red]\\u202edone\\r\\n')\n"


def write(course: Course, name: str, made: Notebook) -> str:
    """Write a notebook under the course's folder and return its path."""
    path = course.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Return what one call of `run` says of notebooks in every state, by the name of their folder."""
    root = copy_small_course(tmp_path_factory.mktemp("runs") / "course").root
    with (root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write("    limits: {cell_seconds: 2, call_seconds: 0.5}\n")
    course = load_course(root)
    broken = root / "broken" / "01_small.ipynb"
    broken.parent.mkdir()
    broken.write_text("no notebook", encoding="utf-8")
    paths = [
        str(broken),
        write(course, "endless/01_small.ipynb", solved(small(course), double=LOOP)),
        write(course, "escapes/01_small.ipynb", solved(small(course), double=ESCAPES)),
        write(course, "right/01_small.ipynb", solved(small(course))),
        write(course, "stripped/homework.ipynb", stripped(solved(small(course)))),
    ]
    return {Path(path).parent.name: graded.report for path, graded in run_notebooks(course, paths)}


def test_each_notebook_has_a_report_in_order_and_a_bad_one_stops_no_other(reports: dict[str, Report]) -> None:
    seen = [(name, one.exercise, one.status, one.score) for name, one in reports.items()]
    assert seen == [
        ("broken", "01_small", "unreadable", 0.0),
        ("endless", "01_small", "graded", 3.0),
        ("escapes", "01_small", "graded", 3.0),
        ("right", "01_small", "graded", 5.0),
        ("stripped", "01_small", "graded", 5.0),  # recognised by its cells
    ]
    assert reports["endless"].questions[0].verdict == "timed out"


def test_a_student_s_text_cannot_steer_the_terminal(
    reports: dict[str, Report], capsys: pytest.CaptureFixture[str]
) -> None:
    show_report("there.ipynb", reports["escapes"])
    shown = capsys.readouterr().out
    assert "[red] done (the cell of double, line 2)" in shown
    assert not set("\x1b\x07\u202e\r") & set(shown)


def test_a_report_has_the_contract_s_keys(reports: dict[str, Report]) -> None:
    data = json.loads(reports["right"].to_json(notebook="there/01_small.ipynb"))
    assert list(data) == KEYS
    assert data["notebook"] == "there/01_small.ipynb"
    assert (data["exercise"], data["status"], data["message"]) == ("01_small", "graded", "")
    assert [list(question) for question in data["questions"]] == [QUESTION_KEYS] * 3
    assert list(data["questions"][0]["tests"][0]) == ["title", "verdict", "weight", "hint", "basic"]
    assert (data["questions"][-1]["verdict"], data["questions"][-1]["score"]) == ("ungraded", None)


def test_wrong_use_is_reported_before_anything_is_graded(course: Course) -> None:
    known, unknown = write(course, "01_small.ipynb", solved(small(course))), course.root / "unknown.ipynb"
    unknown.write_text("no notebook", encoding="utf-8")
    with pytest.raises(UnknownExerciseError, match="add --exercise"):
        run_notebooks(course, [known, str(unknown)])
    with pytest.raises(UsageError, match=r"01_small_2\.ipynb: there is no such file"):
        run_notebooks(course, [known, str(course.root / "01_small_2.ipynb")])
    with pytest.raises(CourseError, match='no exercise "02_big"'):  # whatever the file's name says
        run_notebooks(course, [known], "02_big")
