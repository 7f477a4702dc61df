"""Odd files beside right ones: every command goes through the class, and each odd file has its own line."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from autograder.batch.grade import Summary, grade_submissions
from autograder.cli import main
from autograder.course.course import Course
from autograder.course.guard import SubmissionError, one_submission
from autograder.gradebook.config import open_gradebook
from autograder.gradebook.pages import write_feedback
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import MAX_CELLS, Notebook, UnreadableError
from autograder.tests.classroom import cell_of, hand_in, open_course, small, solved
from autograder.tests.in_process import InProcess

SUM = " + ".join(["x.sum(dim=1)"] * 900)
DEEP = f"{'(' * 95}x{')' * 95}"
ODD_ANSWERS = {
    "hexadecimal": f"def row_sums(x):\n    y = 0x{'f' * 6000}\n    return x.sum(dim=0)",
    "binary": f"def row_sums(x):\n    y = 0b{'1' * 20_000}\n    return x.sum(dim=0)",
    "negative": f"def row_sums(x):\n    return x.sum(dim=-0x{'f' * 6000})",
    "infinite": "def row_sums(x):\n    y = 1e999999j\n    return x.sum(dim=0) * 1e999999",
    "sum": f"def row_sums(x):\n    return {SUM}",
    "nots": f"def row_sums(x):\n    return {'not ' * 900}x",
    "calls": f"def row_sums(x):\n    return x{'.sum(dim=0)' * 90}",
    "brackets": f"def row_sums(x):\n    return {DEEP}.sum(dim=0)",
    "lambdas": f"def row_sums(x):\n    return {'lambda: ' * 900}x",
    "surrogate": "def row_sums(x):\n    y = '\ud800'\n    return x.sum(dim=0)",
}


def with_attachment(made: dict[str, Any], name: str, picture: str = "iVBORw0KGgo=") -> dict[str, Any]:
    cell_of(made, "why")["attachments"] = {name: {"image/png": picture}}
    return made


def renamed(made: dict[str, Any], key: str, name: str) -> dict[str, Any]:
    made["cells"].append(
        {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "x"}}, "id": "y", "source": ""}
    )
    if key == "id":
        made["cells"][-1]["id"] = name
    else:
        made["cells"][-1]["metadata"]["nbgrader"]["grade_id"] = name
    return made


def hand_in_all(course: Course) -> None:
    exercise = small(course)
    for name, answer in ODD_ANSWERS.items():
        hand_in(course, name, solved(exercise, row_sums=answer))
    half = "\ud800.png"
    hand_in(course, "attachment", with_attachment(solved(exercise), half))
    hand_in(course, "picture", with_attachment(solved(exercise), "a.png", "\udc00"))
    hand_in(course, "cell_id", renamed(solved(exercise), "id", half))
    hand_in(course, "grade_id", renamed(solved(exercise), "grade_id", half))
    for year in ("0001", "1950", "9999"):
        hand_in(course, f"year_{year}", solved(exercise), f"{year}-12-31 23:59:59.999999 UTC")
    hand_in(course, "year_0000", solved(exercise), "0000-00-00 00:00:00 UTC")
    for right in ("ann", "zoe"):
        hand_in(course, right, solved(exercise))


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = open_course(tmp_path_factory.mktemp("odd") / "course")
    with (course.root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write("    limits: {call_seconds: 0.5}\n")
    hand_in_all(course)
    return course


@pytest.fixture(scope="module")
def summary(course: Course, zygote: Zygote) -> Summary:
    return grade_submissions(course, [small(course)], executor=InProcess(course, zygote))


def test_each_submission_has_a_line_and_right_answers_have_their_points(summary: Summary) -> None:
    lines = {line.student: line for line in summary.lines}
    assert [lines[name].score for name in ("ann", "zoe", "attachment", "picture")] == [5.0] * 4
    assert [lines[name].score for name in ("cell_id", "grade_id")] == [5.0] * 2
    times = {name for name in lines if name.startswith("year_")}
    assert {line.student for line in summary.failures} == times
    assert {lines[name].status for name in times} == {"refused"}
    assert {lines[name].status for name in ODD_ANSWERS} == {"graded"}
    assert {lines[name].score for name in ODD_ANSWERS} <= {2.0, 2.75, None}


@pytest.mark.usefixtures("summary")
@pytest.mark.parametrize(
    "words",
    [["feedback"], ["export"], ["dashboard"], ["similar"], ["students"], ["viva", "--class", "01_small"]],
)
def test_every_command_goes_through_the_class(course: Course, words: list[str]) -> None:
    (course.root / "students.csv").write_text("id\nann\nzoe\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["--course", str(course.root), *words])
    assert done.exit_code in (0, 1), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    if words == ["feedback"]:
        assert {page.parts[-3] for page in course.root.glob("feedback/*/*/*.html")} >= {"ann", "zoe", "sum"}
    if words[0] == "viva":
        pages = {page.stem for page in (course.build / "viva").rglob("*.html")}
        assert pages >= {"ann", "zoe", "examiner"}


def test_a_time_that_the_gradebook_has_stops_no_page(course: Course, summary: Summary) -> None:
    assert summary
    with open_gradebook(course) as gradebook:
        assert gradebook is not None
        gradebook.find_submission("01_small", "ann").timestamp = datetime(9999, 12, 31, 23, 59)
        gradebook.db.commit()
    pages = list(write_feedback(course, small(course), {"ann", "zoe"}))
    assert [page.parts[-3] for page in pages if isinstance(page, Path)] == ["ann", "zoe"]


def test_the_guard_names_the_submission_and_lets_a_full_disk_stop_everything(course: Course) -> None:
    for error in (
        ValueError("x"),
        RecursionError(),
        MemoryError(),
        OverflowError(),
        UnicodeError(),
        OSError(),
    ):
        with (
            pytest.raises(SubmissionError, match="01_small ann: cannot be processed: "),
            one_submission(course, "01_small", "ann"),
        ):
            raise error
    with (
        pytest.raises(SubmissionError, match=r"01_small ann: why$"),
        one_submission(course, "01_small", "ann"),
    ):
        raise SubmissionError("why")
    with pytest.raises(OSError, match="No space left"), one_submission(course, "01_small", "ann"):
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("sheets", [[[{}] * 430_000], [[{}] * 600, [{}] * 600], [[{}] * (MAX_CELLS + 1)]])
def test_cells_of_an_old_format_are_counted_before_they_are_converted(
    sheets: list[list[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nbformat.convert", lambda *_: pytest.fail("converted"))
    old = {"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells} for cells in sheets]}
    with pytest.raises(UnreadableError, match="more than 1000 cells"):
        _ = Notebook(json.dumps(old).encode()).cells
