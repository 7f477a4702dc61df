"""Odd files beside right ones: every command goes through the class, and each odd file has its own line."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from click.testing import CliRunner

from autograder.batch.grade import Summary, grade_submissions
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.course.guard import SubmissionError, one_submission
from autograder.errors import AutograderError
from autograder.gradebook.pages import write_feedback
from autograder.grading.graded import Graded, describe_failure
from autograder.grading.grader import CourseGrader
from autograder.report.report import Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import MAX_CELLS, Notebook, UnreadableError
from autograder.tests.classroom import WRONG_SUMS, cell_of, hand_in, open_course, small, solved
from autograder.tests.gradebook.rows import record, ruled
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


def with_cell(made: dict[str, Any], cell_id: str, grade_id: str) -> dict[str, Any]:
    metadata = {"nbgrader": {"grade_id": grade_id}}
    made["cells"].append({"cell_type": "code", "metadata": metadata, "id": cell_id, "source": ""})
    return made


def hand_in_all(course: Course) -> None:
    exercise = small(course)
    for name, answer in ODD_ANSWERS.items():
        hand_in(course, name, solved(exercise, row_sums=answer))
    half = "\ud800.png"
    hand_in(course, "attachment", with_attachment(solved(exercise), half))
    hand_in(course, "picture", with_attachment(solved(exercise), "a.png", "\udc00"))
    hand_in(course, "cell_id", with_cell(solved(exercise), half, "x"))
    hand_in(course, "grade_id", with_cell(solved(exercise), "y", half))
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
    course = load_course(course.root)
    hand_in_all(course)
    return course


@pytest.fixture(scope="module")
def summary(course: Course, zygote: Zygote) -> Summary:
    return grade_submissions(course, [small(course)], executor=InProcess(course, zygote))


def test_each_submission_has_a_line_and_right_answers_have_their_points(summary: Summary) -> None:
    lines = {line.student: line for line in summary.lines}
    right = ("ann", "zoe", "attachment", "picture", "cell_id", "grade_id")
    assert {lines[name].score for name in right} == {5.0}
    times = {name for name in lines if name.startswith("year_")}
    assert {line.student for line in summary.failures} == times
    assert {lines[name].status for name in times} == {"refused"}
    assert {lines[name].status for name in ODD_ANSWERS} == {"graded"}
    assert {lines[name].score for name in ODD_ANSWERS} <= {2.0, 2.75, None}


def run(course: Course, words: str) -> tuple[int, str]:
    (course.root / "uploads").mkdir(exist_ok=True)
    (course.root / "Grades.csv").write_text(WORKSHEET, encoding="utf-8")
    (course.root / "students.csv").write_text("id\nann\nzoe\n", encoding="utf-8")
    if words != "students" and "Grades.csv" not in words:
        (course.root / "students.csv").unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course.root)
        done = CliRunner().invoke(main, words.split())
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done.exit_code, done.output


def pages(course: Course, pattern: str, part: int) -> set[str]:
    return {page.parts[part] for page in course.root.glob(pattern)}


WORKSHEET = (
    'Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Last modified (grade)"\r\n'
    "Participant 1,ann,ann@x.org,,,7.00,-\r\nParticipant 2,sum,sum@x.org,,,7.00,-\r\n"
    "Participant 3,zoe,zoe@x.org,,,7.00,-\r\n"
)
RUN = [f"submitted/{student}/01_small/01_small.ipynb" for student in ("ann", "sum", "zoe")]
RUNNING, EXTEND, VIVA = f"run {' '.join(RUN)}", "extend ann 01_small none", "viva --class 01_small"
WATCH = "watch --uploads uploads --rounds 1"
MOODLE, MOODLE_ZIP = "moodle 01_small Grades.csv", "moodle-zip 01_small --worksheet Grades.csv"
READERS = [
    "feedback", "export", "dashboard", "similar", "requests", MOODLE, MOODLE_ZIP, "canvas-zip 01_small",
    "gradescope-zip 01_small",
]  # fmt: skip
COMMANDS = [*READERS, "students", VIVA, WATCH, EXTEND, RUNNING]


@pytest.mark.usefixtures("summary")
@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_goes_through_the_class(course: Course, words: str) -> None:
    code, output = run(course, words)
    assert (code, "cannot be processed" in output) == (0, False), output
    if words == "feedback":
        assert pages(course, "feedback/*/*/*.html", -3) >= {"ann", "zoe", "sum"}
    if words == "similar":
        assert "01_small sum: row_sums is not compared: " in output
    if words.startswith("viva"):
        assert "01_small sum: row_sums: no questions, because " in output
        assert pages(course, "build/viva/**/*.html", -1) >= {"ann.html", "zoe.html", "examiner.html"}


def is_about(value: object, student: str) -> bool:
    """Whether an argument is a student, or this student's answer, file, row or submission."""
    if isinstance(value, str):
        return student in value.split("/") or value == ODD_ANSWERS.get(student)
    if isinstance(value, Path):
        return student in value.parts
    if isinstance(value, list):
        return any(one == student for one in value)
    names = (getattr(value, key, "") for key in ("student_id", "student", "name"))
    return any(isinstance(name, str) and is_about(name, student) for name in names)


def failing_on(original: Callable[..., Any], student: str) -> Callable[..., Any]:
    """Return a function that fails on one student, as an error of ours would."""

    def broken(*arguments: Any, **named: Any) -> Any:
        if any(is_about(value, student) for value in (*arguments[:3], *named.values())):
            raise ArithmeticError(f"on {student}")
        return original(*arguments, **named)

    return broken


FAILED = re.compile("cannot be processed: ArithmeticError|nbgrader failed on")
WHOSE = re.compile(r"\bsum\b|Participant 2\b")
READING = "autograder.gradebook.pages.read_row"
FAILING = [
    *((words, READING) for words in READERS),
    (EXTEND, "autograder.gradebook.ledger.read_row"),
    (EXTEND, "autograder.gradebook.lateness.Lateness.enter"),
    (RUNNING, "autograder.batch.run.exercise_by_name"),
    (RUNNING, "autograder.batch.run.read_notebook"),
    (RUNNING, "autograder.cli.output.show_report"),
    (MOODLE, "autograder.plugins.moodle._student"),
    (MOODLE, "autograder.plugins.moodle._filled"),
    (MOODLE_ZIP, "autograder.plugins.moodle._student"),
    (VIVA, "autograder.plugins.viva.sheets.render_template"),
    ("similar", "autograder.plugins.similarity.clean_text"),
    ("grade 01_small", "autograder.gradebook.ledger.read_row"),
    ("grade 01_small --student zoe", "autograder.gradebook.ledger.read_row"),
    ("feedback", "autograder.gradebook.pages.feedback_page"),
    ("export", "autograder.publishing.export._row"),
    ("dashboard", "autograder.publishing.dashboard._unfinished"),
    ("dashboard", "autograder.publishing.graded_work.read_graded"),
    ("similar", "autograder.plugins.similarity.normalised"),
    ("students", "autograder.submission.students.Students.called"),
    ("requests", "autograder.publishing.graded_work._in_notebook"),
    ("moodle-zip 01_small", "autograder.plugins.moodle.Submission"),
    ("canvas-zip 01_small", "autograder.plugins.canvas.Submission"),
    (VIVA, "autograder.plugins.viva.sheets.Examiner.sheet"),
    (WATCH, "autograder.plugins.watch.rounds.adopt"),
    ("grade 01_small", "autograder.batch.grade.refusal"),
]


@pytest.mark.usefixtures("summary")
@pytest.mark.parametrize(("words", "step"), FAILING)
def test_a_failure_of_ours_is_the_line_of_its_submission_and_the_exit_code(
    course: Course, words: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = [course.build / "autograder.log", course.build / "nbgrader.log"]
    for log in logs:
        log.unlink(missing_ok=True)
    with monkeypatch.context() as patch:
        patch.setattr(step, failing_on(resolve_name(step), "sum"))
        code, output = run(course, words)
    assert code == 3, output
    lines = [line for line in output.splitlines() if WHOSE.search(line) and FAILED.search(line)]
    assert len(lines) == 1, output
    if words.startswith("run"):
        assert len(re.findall(r"/(?:ann|zoe)/\S+ \(01_small\): graded, 5 of", output)) == 2
    if words.startswith("viva"):
        page = (course.build / "viva" / "01_small" / "examiner.html").read_text(encoding="utf-8")
        assert [name in page for name in (">ann<", ">sum<", ">zoe<")] == [True, False, True]
    if words.startswith("moodle 01"):
        sheet = (course.build / "exports" / "01_small-worksheet.csv").read_text(encoding="utf-8")
        assert [row[4] for row in csv.reader(sheet.splitlines()) if row[1] in ("ann", "zoe")] == ["5", "5"]
    assert "ArithmeticError: on sum" in "".join(log.read_text() for log in logs if log.is_file())


@pytest.mark.usefixtures("summary")
def test_who_cannot_be_processed_is_named_in_the_table_and_on_the_dashboard(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(READING, failing_on(resolve_name(READING), "sum"))
    run(course, "export")
    run(course, "dashboard")
    with (course.build / "exports" / "exercises.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert (rows["sum"]["score"], rows["sum"]["status"]) == ("", "cannot be processed")
    assert (rows["ann"]["score"], rows["zoe"]["score"]) == ("5", "5")
    canvas = (course.build / "exports" / "canvas.csv").read_text(encoding="utf-8")
    assert "ann" in canvas
    assert "sum" not in canvas
    page = (course.build / "dashboard.html").read_text(encoding="utf-8")
    assert "cannot be processed: ArithmeticError" in page


@pytest.mark.parametrize("error", [ValueError, RecursionError])
@pytest.mark.parametrize(
    ("step", "answers", "verdict"),
    [
        ("autograder.grading.diagnosis.Diagnosis.explain", {"row_sums": WRONG_SUMS}, Verdict.FAILED),
        ("autograder.grading.grader.broken_rule", {}, Verdict.REVIEW),
    ],
)
def test_what_cannot_be_explained_or_checked_leaves_a_line_in_the_log_and_the_other_score_as_it_is(
    course: Course,
    zygote: Zygote,
    error: type[Exception],
    step: str,
    answers: dict[str, str],
    verdict: Verdict,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise error(f"in {step}")

    monkeypatch.setattr(step, fail)
    notebook = Notebook(json.dumps(solved(small(course), **answers)).encode())
    graded = CourseGrader(course, zygote).grade(small(course), notebook)
    assert (graded.report.status, graded.problem) == ("graded", "")
    assert [question.verdict for question in graded.report.questions[:2]] == [Verdict.PASSED, verdict]
    assert describe_failure(course, "01_small ann", Graded.from_json(graded.to_json())) == ""
    log = (course.build / "autograder.log").read_text(encoding="utf-8")
    assert log.count(f"{error.__name__}: in {step}") == 1
    assert "WARNING 01_small ann: grading continued after this error" in log


STEPS = [
    "autograder.collecting.survey.name_problem",
    "autograder.collecting.survey.is_notebook",
    "autograder.collecting.survey.exercise_by_cells",
    "autograder.collecting.survey._no_later",
    "autograder.collecting.archive.ArchiveEntry.read_notebook",
    "autograder.collecting.attribution.Owners.platform_name",
    "autograder.collecting.attribution.Owners._folder_name",
    "autograder.collecting.collect.place",
]


@pytest.mark.parametrize("step", STEPS)
def test_a_file_on_which_our_code_fails_is_refused_and_stops_no_other(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = open_course(tmp_path / "course")
    for student in ("ann", "sum", "zoe"):
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        (folder / "homework.ipynb").write_text(json.dumps(solved(small(course))), encoding="utf-8")
        (folder / "01_small.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(step, failing_on(resolve_name(step), "sum"))
    done = CliRunner().invoke(main, ["--course", str(course.root), "collect", str(tmp_path / "class")])
    assert done.exit_code == 1, done.output
    assert "refused: cannot be processed: ArithmeticError; " in done.output
    assert {line.split(": ")[0] for line in done.output.splitlines() if ": new" in line} >= {
        "01_small ann", "01_small zoe"
    }  # fmt: skip
    assert (course.root / "submitted" / "zoe" / "01_small" / "01_small.ipynb").is_file()
    assert "ArithmeticError: on sum" in (course.build / "autograder.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("year", ["0001", "9999"])
@pytest.mark.parametrize("late", ["percent: 10, cut_off: 3 days", ""])
def test_a_time_that_was_graded_before_such_times_were_refused_stops_no_page(
    ready: Course, year: str, late: str
) -> None:
    course = ruled(ready, late=late)
    record(course, "ann", made=solved(small(course)), late=f"{year}-12-31 23:59:59.999999 UTC")
    record(course, "zoe", made=solved(small(course)))
    pages = list(write_feedback(course, small(course)))
    assert [page.parts[-3] for page in pages if isinstance(page, Path)] == ["ann", "zoe"]


def test_the_guard_names_the_submission_and_lets_a_full_disk_stop_everything(course: Course) -> None:
    for error in (ValueError, RecursionError, MemoryError, OverflowError, UnicodeError, OSError):
        with (
            pytest.raises(SubmissionError, match="01_small ann: cannot be processed: "),
            one_submission(course, "01_small", "ann"),
        ):
            raise error
    with (
        pytest.raises(SubmissionError, match=r"^01_small ann: why$"),
        one_submission(course, "01_small", "ann"),
        one_submission(course, "01_small", "ann"),
    ):
        raise AutograderError("why")
    with pytest.raises(OSError, match="No space left"), one_submission(course, "01_small", "ann"):
        raise OSError(28, "No space left on device")


OLD = {"cell_type": "markdown", "source": ""}


@pytest.mark.parametrize("sheets", [[[OLD] * 300_000], [[OLD] * 600, [OLD] * 600], [[OLD] * (MAX_CELLS + 1)]])
def test_cells_of_an_old_format_are_counted_before_they_are_converted(
    sheets: list[list[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nbformat.convert", lambda *_: pytest.fail("converted"))
    old = {"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells} for cells in sheets]}
    with pytest.raises(UnreadableError, match="more than 1000 cells"):
        _ = Notebook(json.dumps(old).encode()).cells
