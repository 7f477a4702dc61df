"""The way through `nbgrader autograde`: the command's and the formgrader's, with the same rows as ours."""

from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.gradebook.pages import read_gradebook
from autograder.grading.grader import CourseGrader
from autograder.grading.marking import MarkingProcess
from autograder.records.audit import audit_lines
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, hand_in, open_course, small, solved
from autograder.tests.gradebook.rows import (
    Formgrader,
    dump,
    files,
    fill,
    full_marks,
    gradebook_entry,
    gradebook_submission,
    reports,
)
from autograder.tests.gradebook.stock import formgrader, nbgrader

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")


@pytest.fixture
def in_process(ready: Course, zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> None:
    """Grade in this process, where a zygote is warm."""
    grader = CourseGrader(ready, zygote)
    monkeypatch.setattr(MarkingProcess, "grade", lambda _, *task: grader.grade(*task))


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course whose class stock nbgrader has graded."""
    course = fill(open_course(tmp_path_factory.mktemp("stock") / "course"))
    with redirect_stderr(StringIO()) as said:
        nbgrader(course, "autograde", small(course).name)
    told = "is not a student's id; use letters, digits and . _ @ + -, and rename the folder"
    assert told in said.getvalue()
    return course


def test_stock_nbgrader_autograde_leaves_the_same_gradebook_reports_and_files(
    graded_class: Course, stock: Course
) -> None:
    assert dump(stock.root / "gradebook.db") == dump(graded_class.root / "gradebook.db")
    assert files(stock, "autograded") == files(graded_class, "autograded")
    assert reports(stock) == reports(graded_class)
    assert "=1+1" not in [one.student for one in read_gradebook(stock, small(stock))]


@pytest.mark.usefixtures("in_process")
def test_the_formgraders_button_grades_as_we_do(graded_class: Course, ready: Course) -> None:
    hand_in(ready, "wrong", solved(small(ready), row_sums=WRONG_SUMS), late="2026-01-01 12:00:00 UTC")
    result = formgrader(ready).autograde(small(ready).name, "wrong")
    assert result["success"], result
    assert gradebook_submission(ready, "wrong") == gradebook_submission(graded_class, "wrong")
    assert len(reports(ready)) == 1
    Formgrader(ready).grade("wrong", "why", 1.5)
    assert formgrader(ready).autograde(small(ready).name, "wrong")["success"]
    why = gradebook_entry(ready, "wrong", "why")
    assert (why.score, why.needs_person) == (1.5, False)
    assert [(line["why"], line["score"]) for line in audit_lines(ready)] == [("new", 2.0), ("by hand", 3.5)]


@pytest.mark.usefixtures("in_process")
def test_a_failure_of_ours_is_shown_on_nbgraders_screen_with_the_place_of_its_traceback(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("secret inner workings")

    monkeypatch.setattr("autograder.grading.grader.Grader.grade", broken)
    hand_in(ready, "ann", solved(small(ready)))
    result = formgrader(ready).autograde(small(ready).name, "ann")
    assert f"RuntimeError: secret inner workings; {ready.build}/autograder.log says more" in result["log"]
    assert "Traceback" in (ready.build / "autograder.log").read_text(encoding="utf-8")
    assert gradebook_submission(ready, "ann").score is None


def test_what_cannot_be_recorded_fails_alone_and_is_named(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object, submission: Submission, *__: object, **___: object) -> None:
        if submission.student == "ann":
            raise OSError("no space left on device")

    monkeypatch.setattr(MarkingProcess, "grade", lambda _, exercise, notebook: full_marks(exercise))
    monkeypatch.setattr("autograder.gradebook.book.store_report", full)
    for student in ("ann", "ben"):
        hand_in(ready, student, solved(small(ready)))
    result = formgrader(ready).autograde(small(ready).name, "*")
    assert not result["success"]
    assert "nbgrader gave up on 01_small of ann" in result["log"]
    assert {one.student: one.score for one in read_gradebook(ready, small(ready))} == {
        "ann": None,
        "ben": 5.0,
    }


def test_an_error_of_ours_before_grading_fails_alone_and_is_named(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(path: Path) -> Notebook:
        if "ann" in path.parts:
            raise ArithmeticError
        return read_notebook(path)

    monkeypatch.setattr(MarkingProcess, "grade", lambda _, exercise, notebook: full_marks(exercise))
    monkeypatch.setattr("autograder.gradebook.commands.read_notebook", broken)
    for student in ("ann", "ben"):
        hand_in(ready, student, solved(small(ready)))
    result = formgrader(ready).autograde(small(ready).name, "*")
    assert not result["success"]
    assert "01_small ann: cannot be processed: ArithmeticError" in result["log"]
    assert [one.student for one in read_gradebook(ready, small(ready)) if one.score == 5.0] == ["ben"]


def test_a_gradebook_that_only_the_command_line_names_is_refused(
    ready: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(ready, "ann", solved(small(ready)))
    with pytest.raises(SystemExit) as ended:
        nbgrader(ready, "autograde", small(ready).name, "--db", f"sqlite:///{ready.root}/other.db")
    assert ended.value.code != 0
    assert "name the gradebook in nbgrader_config.py" in capsys.readouterr().err
    assert read_gradebook(ready, small(ready)) == ()
