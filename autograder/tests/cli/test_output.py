"""What people see of grading while it goes on and at its end, and tables that are readable in a file."""

import io
import json
import re
from collections.abc import Callable
from dataclasses import asdict
from functools import partial

import pytest
from rich.console import Console

from autograder.batch.grade import Summary
from autograder.cli import options, output
from autograder.cli.output import Progress, show, show_changes, show_summary
from autograder.course.course import Course
from autograder.course.guard import SubmissionError
from autograder.gradebook.ledger import SubmissionLine
from autograder.submission.submission import Submission

LOST: dict[str, tuple[float | None, float | None]] = {"late": (None, -1.0)}
NAMES = {"ann": "Ann Lee"}
LINES = (
    SubmissionLine("ann", "01_small", "graded", 5.0, 5.0, waiting=("why",), open_points=4.0),
    SubmissionLine(
        "ben", "01_small", "graded", 2.5, 5.0, seconds_late=7200, graded=False,
        before=3.5, after=2.5, why="dates or late policy", changes=LOST,
    ),
    SubmissionLine("cleo", "01_small", "unreadable", 0.0, 5.0, message="it is no JSON", waiting=("double",)),
    SubmissionLine("dan", "01_small", "missing", message="no 01_small.ipynb in submitted/dan/01_small"),
    SubmissionLine("=1+1\x1b[2J", "01_small", "refused", message="is not a student's id", ours=True),
    SubmissionLine("fay", "01_small", "graded", 2.0, 5.0, message="It hung.", waiting=("why",)),
    SubmissionLine("gus", "01_small", "graded", 2.0, 5.0, waiting=("double",), held=("double",)),
    SubmissionLine("ann", "02_big", "grader error", None, 7.0, message="ours", ours=True),
)  # fmt: skip


@pytest.fixture
def listed(course: Course) -> Course:
    """Return a course with a list of its students."""
    (course.root / "students.csv").write_text("id,name\nann,Ann Lee\n", encoding="utf-8")
    return course


def show_progress(*, as_json: bool = False, verbose: bool | None = None) -> None:
    with Progress(len(LINES), NAMES, as_json=as_json, verbose=verbose) as progress:
        for line in LINES:
            progress.show(line)


def test_a_verbose_run_has_a_line_on_every_submission_and_a_row_on_every_exercise(
    capsys: pytest.CaptureFixture[str], golden: Callable[[str, str], None]
) -> None:
    show_progress(verbose=True)
    show_summary(Summary(LINES))
    show_changes(Summary(LINES).changes, {"ben": "Ben Bee"})
    show_changes((), dry_run=True)
    out, err = capsys.readouterr()
    golden("grade.txt", out)
    golden("grade_errors.txt", err)


def test_a_failed_explanation_names_the_student(listed: Course, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(1, {"ann": "Ann Lee"}) as progress:
        progress.show_explained(Submission(listed.root, "ann", "01_small"), "the worker died")
    assert capsys.readouterr().err == "01_small ann (Ann Lee): not explained: the worker died\n"


@pytest.mark.parametrize(
    ("students", "owner"), [("id,name\nann,Ann Lee\n", "ann (Ann Lee)"), ("id\nann\nann\n", "ann")]
)
def test_a_failure_names_the_student(
    listed: Course, capsys: pytest.CaptureFixture[str], students: str, owner: str
) -> None:
    (listed.root / "students.csv").write_text(students, encoding="utf-8")
    with pytest.raises(SystemExit), options.failures(listed) as on_failure:
        on_failure(SubmissionError("01_small", "ann", "is odd"))
    assert capsys.readouterr().err == f"01_small {owner}: is odd\n"


def test_without_submissions_a_sentence_stands_in_for_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    show_summary(Summary(()))
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("Nothing to grade")
    assert "`autograder collect`" in line


def test_a_program_gets_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    show_progress(as_json=True)
    out, err = capsys.readouterr()
    assert [json.loads(text) for text in out.splitlines()] == json.loads(
        json.dumps([asdict(line) | {"name": NAMES.get(line.student, "")} for line in LINES])
    )
    assert not err


@pytest.mark.parametrize(
    ("verbose", "described"),
    [
        (None, ["cleo", "dan", "=1+1", "fay", "gus", "ann"]),
        (False, ["=1+1", "ann"]),
        (True, [*"abcd=fg", "ann"]),
    ],
)
def test_on_a_terminal_a_bar_moves_and_only_what_matters_is_shown(
    monkeypatch: pytest.MonkeyPatch, verbose: bool | None, described: list[str]
) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(output, "Console", partial(Console, file=screen, force_terminal=True, width=100))
    show_progress(verbose=verbose)
    seen = screen.getvalue()
    assert "3/8" in seen
    lines = re.findall(r"0[12]_\w+ (\S+?)(?: \[2J| \(Ann Lee\))?: ", seen)
    assert [name[: len(begin)] for name, begin in zip(lines, described, strict=True)] == described
    assert "\x1b[2J" not in seen  # it would clear the screen


def test_a_file_gets_lines_on_what_needs_attention_alone(capsys: pytest.CaptureFixture[str]) -> None:
    show_progress()
    out, err = capsys.readouterr()
    assert [line.split()[1].rstrip(":") for line in out.splitlines()] == ["cleo", "dan", "fay", "gus"]
    assert len(err.splitlines()) == 2


def test_without_lines_a_file_gets_our_failures_alone(capsys: pytest.CaptureFixture[str]) -> None:
    show_progress(verbose=False)
    out, err = capsys.readouterr()
    assert not out
    assert [" ".join(line.split(":")[0].split()[:2]) for line in err.splitlines()] == [
        "01_small =1+1",
        "02_big ann",
    ]


@pytest.mark.parametrize(
    ("columns", "rows", "printed"),
    [
        (("name", "score"), [["ada", "2"], ["b", "1.5"]], ["name  score", "ada   2", "b     1.5"]),
        (("name", "hint"), [["ada", "Two:\n1. this"]], ["name  hint", "ada   Two:", "      1. this"]),
        (("name", "score"), [["ada\x1b]0;title\x07", "2"]], ["name  score", "ada   2"]),
    ],
)
def test_a_table_in_a_file_has_plain_columns_and_steers_no_terminal(
    columns: tuple[str, ...], rows: list[list[str]], printed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    show("\x1b[31mTitle", columns, rows, "A\nnote.")
    assert capsys.readouterr().out.split("\n") == ["Title", *printed, "A note.", "", ""]


def test_of_an_exercise_that_was_stopped_no_table_says_that_nothing_came(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_summary(Summary((), stopped=("01_small was not graded: test_hidden.py:7: invalid",)))
    assert capsys.readouterr().out == ""
    show_summary(Summary(()))
    assert "Nothing to grade" in capsys.readouterr().out
