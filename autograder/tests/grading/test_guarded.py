"""A marking process dies alone: its submission waits for a person, and all others are graded as ever."""

from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from autograder.batch.executor import Task
from autograder.batch.in_process import InProcess
from autograder.batch.pool import ProcessPool
from autograder.course.course import Course, load_course
from autograder.grading import guarded, marking
from autograder.grading.graded import Graded
from autograder.grading.guarded import GuardedGrader, MarkingError
from autograder.report.report import Status, Verdict
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, hand_in, open_course, small, solved
from autograder.tests.conftest import Family

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
        os.abort()
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
    course = open_course(tmp_path_factory.mktemp("guarded") / "course")
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
    return [(submission, read_notebook(submission.notebook)) for submission in submissions]


def notebook_of(course: Course, student: str) -> Notebook:
    return tasks_of(course, student)[0][1]


def waits(graded: Graded, words: str) -> None:
    """Expect a report that gives no score and says that a person will look."""
    report = graded.report
    assert (report.status, report.score) == (Status.GRADER_ERROR, None)
    assert words in report.message
    assert "a person will look at it" in report.message
    assert {q.verdict for q in report.questions} == {Verdict.GRADER_ERROR, Verdict.UNGRADED}
    assert {q.score for q in report.questions} == {None}
    assert "a person has to look" in graded.problem


def test_a_class_with_killers_in_it_is_graded_all_the_same(
    classroom: Course, monkeypatch: pytest.MonkeyPatch, family: Family
) -> None:
    monkeypatch.setattr(marking, "CPU_SECONDS", 3)  # of the first process; its replacements have all the time
    killers, others = ("ben", "dan", "fred"), ("eve", "gwen")
    honest = ("ann", "cleo", *others)
    before = family()
    with ProcessPool(classroom, 1) as pool:
        tasks = tasks_of(classroom, "ann", "cleo", *killers, *others)
        done = {submission.student: graded for submission, _, graded in pool.map(tasks)}
    assert set(list(done)[-2:]) == {"dan", "fred"}  # which were tried once more, at the end
    with InProcess(classroom) as executor:
        alone = {one.student: graded for one, _, graded in executor.map(tasks_of(classroom, *honest))}
    assert {student: done[student].to_json() for student in honest} == {
        student: graded.to_json() for student, graded in alone.items()
    }
    waits(done["ben"], "more time than the grader may take")
    waits(done["dan"], "more than the grader can do")
    waits(done["fred"], "more memory than the grader may use")
    assert set(done) == {*honest, *killers}
    assert not psutil.wait_procs(family() - before, timeout=30)[1]


def test_a_process_that_answers_too_late_is_ended(
    classroom: Course, monkeypatch: pytest.MonkeyPatch, family: Family
) -> None:
    monkeypatch.setattr(guarded, "_TIMES", 0.001)
    before = family()
    with GuardedGrader(classroom) as grader:
        graded = grader.attempt(small(classroom), notebook_of(classroom, "ben"))
        waits(graded, "more time")
        assert graded.again
        assert not psutil.wait_procs(family() - before, timeout=30)[1]


def test_no_process_is_started_for_ever(classroom: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "_COMMAND", "import os; os.abort()")
    grader = GuardedGrader(classroom)
    with pytest.raises(MarkingError, match="can be started: the process that marked it ended with code -6"):
        grader.grade(small(classroom), notebook_of(classroom, "ann"))


def test_a_process_bounds_its_memory_and_what_it_starts_does_not(tmp_path: Path, family: Family) -> None:
    course = open_course(tmp_path / "course")
    submission = hand_in(course, "ann", solved(small(course)))
    before = family()
    with GuardedGrader(course) as grader:
        grader.grade(small(course), read_notebook(submission.notebook))
        own = {process.pid: limit_of(process) for process in family() - before}
        (marker,) = set(psutil.Process().children()) - before
    assert 0 < own.pop(marker.pid) < 1 << 40
    assert -1 in own.values()  # the zygote


def limit_of(process: psutil.Process) -> int:
    """Return the bytes to which a process's memory is limited, or -1."""
    return process.rlimit(psutil.RLIMIT_AS)[0]
