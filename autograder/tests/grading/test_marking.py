"""A failure, of ours or of a limit, ends the marking process: its submission waits, and the class goes on."""

from collections.abc import Container, Mapping
from pathlib import Path

import psutil
import pytest

from autograder.batch.pool import ProcessPool, Task
from autograder.course.course import Course, load_course
from autograder.errors import AutograderError
from autograder.grading import marking
from autograder.grading.graded import Graded
from autograder.grading.grader import CourseGrader, Grader
from autograder.grading.marking import MarkingError, MarkingProcess
from autograder.report.report import Status, Verdict
from autograder.sandbox.errors import StarvedError, ZygoteError
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, hand_in, open_course, small, solved
from autograder.tests.conftest import Family
from autograder.tests.in_process import InProcess

# A hidden test that no author would write: it stands for whatever an answer may do to us.
MISSED = '''

@question("double")
def test_missed(student):
    """It holds."""
    import os, signal
    seen = student.double(torch.tensor(1.0)).item()
    if seen == 100:
        while True:
            pass
    if seen == 101:
        os.kill(os.getpid(), signal.SIGKILL)
    held = []
    while seen == 102:
        held.append(torch.empty(1 << 24))
'''
ENDLESS, ENDING, GREEDY = (
    f"def double(x):\n    return x + x if x.dim() else x + {n}" for n in (99, 100, 101)
)


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course in which three of seven submissions end whoever marks them."""
    course = open_course(tmp_path_factory.mktemp("marking") / "course")
    with small(course).suite.open("a", encoding="utf-8") as suite:
        suite.write(MISSED)
    course = load_course(course.root)
    answers: dict[str, Mapping[str, str]] = {
        "ann": {},
        "ben": {"double": ENDLESS},
        "cleo": {"row_sums": WRONG_SUMS},
        "dan": {"double": ENDING},
        "eve": {},
        "fred": {"double": GREEDY},
        "gwen": {"row_sums": WRONG_SUMS},
    }
    for student, own in answers.items():
        hand_in(course, student, solved(small(course), **own))
    return course


def tasks_of(course: Course, *students: str) -> list[Task]:
    submissions = [Submission(course.root, student, small(course).name) for student in students]
    return [Task(submission, read_notebook(submission.notebook)) for submission in submissions]


def notebook_of(course: Course, student: str) -> Notebook:
    return tasks_of(course, student)[0][1]


def waits(graded: Graded, words: str) -> None:
    """Expect a report that gives no score and says that a person will look."""
    report = graded.report
    assert (report.status, report.score) == (Status.GRADER_ERROR, None)
    assert words in report.message
    assert "an instructor will look at it" in report.message
    assert {q.verdict for q in report.questions} == {Verdict.GRADER_ERROR, Verdict.UNGRADED}
    assert {q.score for q in report.questions} == {None}
    assert "an instructor has to look" in graded.problem


def test_a_class_with_killers_in_it_is_graded_all_the_same(
    classroom: Course, zygote: Zygote, family: Family
) -> None:
    killers, others = ("dan", "fred"), ("eve", "gwen")
    honest = ("ann", "cleo", *others)
    before = family()
    with ProcessPool(classroom, 1) as pool:
        tasks = tasks_of(classroom, "ann", "cleo", *killers, *others)
        done = {submission.student: graded for submission, _, graded in pool.map(tasks)}
    assert set(list(done)[-2:]) == {"dan", "fred"}  # which were tried once more, at the end
    alone = InProcess(classroom, zygote).map(tasks_of(classroom, *honest))
    assert {student: done[student].to_json() for student in honest} == {
        submission.student: graded.to_json() for submission, _, graded in alone
    }
    waits(done["dan"], "stopped before it was complete")
    waits(done["fred"], "more memory than the grader may use")
    assert set(done) == {*honest, *killers}
    assert not psutil.wait_procs(family() - before, timeout=30)[1]


def test_a_submission_that_takes_too_much_time_is_not_tried_again(
    classroom: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marking, "CPU_SECONDS", 2)  # which a forked process takes over
    with MarkingProcess(classroom) as process:
        graded = process.attempt(small(classroom), notebook_of(classroom, "ben"))
        monkeypatch.undo()
        after = process.attempt(small(classroom), notebook_of(classroom, "ann"))
    waits(graded, "more time than the grader may use")
    assert not graded.again
    assert after.report.status is Status.GRADED


def test_a_process_that_answers_too_late_is_ended(
    classroom: Course, monkeypatch: pytest.MonkeyPatch, family: Family
) -> None:
    before = family()
    with MarkingProcess(classroom) as process:
        process.grade(small(classroom), notebook_of(classroom, "ann"))
        monkeypatch.setattr(marking, "TIMES", 0.001)
        graded = process.attempt(small(classroom), notebook_of(classroom, "ben"))
        waits(graded, "more time than the grader may use")
        assert graded.again
        assert not psutil.wait_procs(family() - before, timeout=30)[1]


def test_no_process_is_started_for_ever(classroom: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise SystemExit(7)

    monkeypatch.setattr(marking, "serve", fail)
    process = MarkingProcess(classroom)
    with pytest.raises(MarkingError, match="can be started: the marking process ended with code 7"):
        process.grade(small(classroom), notebook_of(classroom, "ann"))


def test_a_result_in_another_form_is_our_failure(classroom: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Graded, "to_json", lambda _: "{}")
    with MarkingProcess(classroom) as process:
        graded = process.attempt(small(classroom), notebook_of(classroom, "ann"))
    waits(graded, "stopped before it was complete")


def test_a_process_bounds_its_memory_and_what_it_starts_does_not(tmp_path: Path, family: Family) -> None:
    course = open_course(tmp_path / "course")
    submission = hand_in(course, "ann", solved(small(course)))
    before = family()
    with MarkingProcess(course) as process:
        process.grade(small(course), read_notebook(submission.notebook))
        own = {process.pid: limit_of(process) for process in family() - before}
        (marker,) = set(psutil.Process().children()) - before
    assert 0 < own.pop(marker.pid) < 1 << 40
    assert -1 in own.values()  # the zygote


def limit_of(process: psutil.Process) -> int:
    """Return the bytes to which a process's memory is limited, or -1."""
    return process.rlimit(psutil.RLIMIT_AS)[0]


BAD = Notebook(b"bad")
BUSY = (
    "The machine was too busy to grade this submission. It has no score yet; an instructor will look at it."
)
OURS = "The autograder failed on this submission. This is not your mistake."


@pytest.fixture
def right(course: Course) -> Notebook:
    """Return a submission that scores in full."""
    return read_notebook(hand_in(course, "ann", solved(small(course))).notebook)


def broken(monkeypatch: pytest.MonkeyPatch, *errors: tuple[Notebook, Exception]) -> None:
    """Let graders raise these errors at these submissions."""
    grade = Grader.grade

    def fail(self: Grader, notebook: Notebook, asked: Container[str] | None) -> Graded:
        for bad, error in errors:
            if notebook == bad:
                raise error
        return grade(self, notebook, asked)

    monkeypatch.setattr(Grader, "grade", fail)


@pytest.mark.parametrize(
    ("error", "message", "problem", "again"),
    [
        (StarvedError("too busy: 0.1 of 5 s"), BUSY, "too busy: 0.1 of 5 s", True),
        (ZygoteError("it does not answer"), OURS, "it does not answer", True),
        (AutograderError("line 3: write it so"), OURS, "AutograderError: line 3: write it so", False),
        (RuntimeError("secret inner workings"), OURS, "RuntimeError: secret inner workings", False),
    ],
)
def test_a_failure_of_ours_is_a_report_without_a_score_and_tells_the_student_nothing_of_us(
    course: Course, zygote: Zygote, right: Notebook, monkeypatch: pytest.MonkeyPatch,
    error: Exception, message: str, problem: str, again: bool,
) -> None:  # fmt: skip
    broken(monkeypatch, (BAD, error))
    grader = CourseGrader(course, zygote)
    failed, graded = grader.grade(small(course), BAD), grader.grade(small(course), right)
    report = failed.report
    assert (report.status, report.score, report.max_score) == (Status.GRADER_ERROR, None, 5.0)
    assert {(question.verdict, question.score) for question in report.questions} == {
        (Verdict.GRADER_ERROR, None),
        (Verdict.UNGRADED, None),
    }
    assert report.message.startswith(message)
    assert report.questions[0].hint.startswith(message)
    assert report.sandbox == graded.report.sandbox
    assert (failed.problem, failed.again) == (problem, again)
    assert failed.traceback.startswith("Traceback (most" if isinstance(error, RuntimeError) else "")
    assert (graded.report.score, graded.problem, graded.traceback) == (5.0, "", "")


def test_an_unforeseen_failure_ends_the_process_and_the_next_submission_gets_another(
    course: Course, right: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    worse, late = Notebook(b"worse"), Notebook(b"late")
    errors = (BAD, AutograderError("!")), (worse, RuntimeError("?")), (late, StarvedError("busy"))
    broken(monkeypatch, *errors)
    before = set(psutil.Process().children())
    with MarkingProcess(course) as process:
        for notebook, stays in ((BAD, True), (worse, False), (late, False)):
            assert process.attempt(small(course), right).report.score == 5.0
            (marker,) = set(psutil.Process().children()) - before
            assert process.attempt(small(course), notebook).report.status is Status.GRADER_ERROR
            assert marker.is_running() is stays


@pytest.mark.parametrize(
    ("test", "problem", "scores"),
    [
        (
            '"no such"',
            'tests "no such", which is not a question',
            dict.fromkeys(("double", "row_sums", "why")),
        ),
        (
            '"double"',
            "grader error in double; see the report",
            {"double": None, "row_sums": 3.0, "why": None},
        ),
    ],
)
def test_a_hidden_test_that_is_broken_is_our_problem(
    course: Course, zygote: Zygote, right: Notebook, test: str, problem: str, scores: dict[str, float | None]
) -> None:
    with small(course).suite.open("a", encoding="utf-8") as suite:
        suite.write(f'\n\n@question({test})\ndef test_broken(student):\n    """It holds."""\n    1 / 0\n')
    graded = CourseGrader(course, zygote).grade(small(course), right)
    assert graded.report.status is Status.GRADER_ERROR
    assert problem in graded.problem
    assert {question.name: question.score for question in graded.report.questions} == scores
