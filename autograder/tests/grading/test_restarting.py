"""Grading one submission after another: whatever dies or fails, the next one is graded as if it had not."""

from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from autograder.course.course import Course
from autograder.errors import AutograderError
from autograder.grading import restarting
from autograder.grading.grader import Grader
from autograder.grading.restarting import RestartingGrader
from autograder.report.report import Status, Verdict
from autograder.sandbox.errors import StarvedError, WallError
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, read_notebook
from autograder.tests.classroom import hand_in, small, solved
from autograder.tests.conftest import Family


@pytest.fixture
def right(course: Course) -> Notebook:
    """Return a submission that scores in full."""
    return read_notebook(hand_in(course, "ann", solved(small(course))).notebook)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Zygote]:
    """Return the zygotes that have been started, which grows as more are."""
    zygotes: list[Zygote] = []

    def start(*args: Any, **kwargs: Any) -> Zygote:
        zygotes.append(Zygote(*args, **kwargs))
        return zygotes[-1]

    monkeypatch.setattr(restarting, "Zygote", start)
    return zygotes


@pytest.fixture
def begun() -> Iterator[list[psutil.Process]]:
    """Return an empty list, to be given processes that must be gone when the test ends."""
    processes: list[psutil.Process] = []
    yield processes
    assert not psutil.wait_procs(processes, timeout=30)[1]


def failing(monkeypatch: pytest.MonkeyPatch, bad: Notebook, error: Exception) -> None:
    """Let the grader raise `error` at the submission `bad`."""
    grade = Grader.grade

    def broken(self: Grader, notebook: Notebook) -> object:
        if notebook == bad:
            raise error
        return grade(self, notebook)

    monkeypatch.setattr(Grader, "grade", broken)


def test_one_zygote_serves_all_submissions_and_is_gone_at_the_end(
    course: Course, right: Notebook, started: list[Zygote], begun: list[psutil.Process], family: Family
) -> None:
    before = family()
    with RestartingGrader(course) as grader:
        assert started == []  # nothing is started before there is something to grade
        assert [grader.grade(small(course), right).report.score for _ in range(2)] == [5.0, 5.0]
        begun += family() - before
    assert len(started) == 1
    assert len(begun) > 0


def test_where_a_zygote_has_died_another_attempt_gets_a_new_one(
    course: Course, right: Notebook, started: list[Zygote], begun: list[psutil.Process], family: Family
) -> None:
    before = family()
    with RestartingGrader(course) as grader:
        grader.grade(small(course), right)
        begun += family() - before
        for process in begun:
            process.kill()
        psutil.wait_procs(begun, timeout=30)
        failed, graded = (grader.grade(small(course), right) for _ in range(2))
    assert failed.again
    assert failed.report.status is Status.GRADER_ERROR
    assert len(started) == 2
    assert (graded.report.score, graded.problem, graded.again) == (5.0, "", False)


def test_what_the_machine_starves_is_worth_another_attempt_and_is_never_a_zero(
    course: Course, right: Notebook, started: list[Zygote], monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = Notebook(b"busy")
    failing(monkeypatch, busy, StarvedError("the machine was too busy: 0.1 of 5 s"))
    with RestartingGrader(course) as grader:
        starved, graded = grader.grade(small(course), busy), grader.grade(small(course), right)
    assert (starved.again, starved.report.score) == (True, None)
    assert starved.report.message == (
        "The machine was too busy to grade this submission. It has no score yet; a person will look at it."
    )
    assert starved.problem == "the machine was too busy: 0.1 of 5 s"
    assert graded.report.score == 5.0
    assert len(started) == 1


def test_a_failure_of_ours_is_a_report_without_a_score_and_tells_the_student_nothing_of_us(
    course: Course, right: Notebook, started: list[Zygote], monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = Notebook(b"bad")
    failing(monkeypatch, bad, RuntimeError("secret inner workings"))
    with RestartingGrader(course) as grader:
        failed, graded = grader.grade(small(course), bad), grader.grade(small(course), right)
    report = failed.report
    assert (report.status, report.score, report.max_score) == (Status.GRADER_ERROR, None, 5.0)
    assert {question.name: (question.verdict, question.score) for question in report.questions} == {
        "double": (Verdict.GRADER_ERROR, None),
        "row_sums": (Verdict.GRADER_ERROR, None),
        "why": (Verdict.UNGRADED, None),
    }
    assert report.questions[0].hint.startswith("The autograder failed on this submission, not you.")
    assert report.sandbox == graded.report.sandbox
    assert "secret" not in report.to_json()
    assert failed.problem == "RuntimeError: secret inner workings"
    assert failed.traceback.startswith("Traceback (most recent call last):")
    assert (graded.report.score, graded.problem, graded.traceback) == (5.0, "", "")
    assert len(started) == 1  # the zygote had nothing to do with it


def test_a_suite_that_cannot_be_read_is_our_failure_behind_the_same_walls(
    course: Course, right: Notebook
) -> None:
    with RestartingGrader(course) as grader:
        walls = grader.grade(small(course), right).report.sandbox
    with small(course).suite.open("a", encoding="utf-8") as suite:
        suite.write('\n\n@question("no such")\ndef test_of_nothing(student):\n    """It holds."""\n')
    with RestartingGrader(course) as grader:
        graded = grader.grade(small(course), right)
    assert graded.report.status is Status.GRADER_ERROR
    assert 'tests "no such", which is no question' in graded.problem
    assert graded.report.sandbox == walls


def test_an_error_that_tells_people_what_to_do_has_no_traceback_beside_it(
    course: Course, right: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, right, AutograderError("test_hidden.py: line 3: write it so"))
    with RestartingGrader(course) as grader:
        graded = grader.grade(small(course), right)
    assert graded.report.status is Status.GRADER_ERROR
    assert (graded.problem, graded.traceback) == ("AutograderError: test_hidden.py: line 3: write it so", "")


def test_a_hidden_test_that_fails_by_itself_is_named_as_our_problem(course: Course, right: Notebook) -> None:
    with small(course).suite.open("a", encoding="utf-8") as suite:
        suite.write('\n\n@question("double")\ndef test_broken(student):\n    """It holds."""\n    1 / 0\n')
    with RestartingGrader(course) as grader:
        graded = grader.grade(small(course), right)
    assert graded.report.status is Status.GRADER_ERROR
    assert graded.problem == "grader error in double; see the report"
    assert {question.name: question.score for question in graded.report.questions} == {
        "double": None,
        "row_sums": 3.0,
        "why": None,
    }


def test_missing_walls_stop_everything(
    course: Course, right: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fallen(*args: object, **kwargs: object) -> Zygote:
        raise WallError("the walls do not stand")

    monkeypatch.setattr(restarting, "Zygote", fallen)
    with RestartingGrader(course) as grader, pytest.raises(WallError):
        grader.grade(small(course), right)


def test_a_closed_grader_can_go_on(course: Course, right: Notebook, started: list[Zygote]) -> None:
    with RestartingGrader(course) as grader:
        grader.grade(small(course), right)
        grader.close()
        assert grader.grade(small(course), right).report.score == 5.0
    assert len(started) == 2
