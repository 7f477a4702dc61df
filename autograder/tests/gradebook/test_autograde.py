"""The way through `nbgrader autograde`: the command's and the formgrader's, with the same rows as ours."""

from contextlib import nullcontext, redirect_stderr
from io import StringIO

import pytest

from autograder.course.course import Course
from autograder.gradebook.pages import read_gradebook
from autograder.records.audit import audit_lines
from autograder.sandbox.zygote import Zygote
from autograder.tests.classroom import WRONG_SUMS, hand_in, open_course, small, solved
from autograder.tests.gradebook.rows import (
    Formgrader,
    dump,
    files,
    fill,
    gradebook_entry,
    gradebook_submission,
    reports,
)
from autograder.tests.gradebook.stock import formgrader, nbgrader
from autograder.tests.in_process import InProcess

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")


@pytest.fixture
def in_process(ready: Course, zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> None:
    """Grade in this process, where a zygote is warm."""
    pool = nullcontext(InProcess(ready, zygote))
    monkeypatch.setattr("autograder.batch.autograde.ProcessPool", lambda *_, **more: pool)


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course whose class stock nbgrader has graded."""
    course = fill(open_course(tmp_path_factory.mktemp("stock") / "course"))
    with redirect_stderr(StringIO()) as said, pytest.raises(SystemExit):  # as one submission is refused
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
    assert not result["success"]
    details = f"RuntimeError: secret inner workings; see {ready.build}/autograder.log for details"
    assert details in result["log"]
    assert "Traceback" in (ready.build / "autograder.log").read_text(encoding="utf-8")
    assert gradebook_submission(ready, "ann").score is None


def test_a_gradebook_that_only_the_command_line_names_is_refused(
    ready: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(ready, "ann", solved(small(ready)))
    with pytest.raises(SystemExit) as ended:
        nbgrader(ready, "autograde", small(ready).name, "--db", f"sqlite:///{ready.root}/other.db")
    assert ended.value.code != 0
    assert "set the path of the gradebook in nbgrader_config.py" in capsys.readouterr().err
    assert read_gradebook(ready, small(ready)) == ()
