"""Grading what was collected: every submission gets its line, and none stops another."""

from collections.abc import Container, Iterable, Iterator
from pathlib import Path

import pytest

from autograder.batch.grade import Summary, grade_submissions
from autograder.batch.pool import Done, Task
from autograder.course.course import Course, load_course
from autograder.gradebook.book import copied_state
from autograder.gradebook.ledger import SubmissionLine
from autograder.grading.grader import Grader
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, answered, hand_in, open_course, small, solved
from autograder.tests.gradebook.rows import full_marks, reports
from autograder.tests.in_process import InProcess


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course with a small class that has handed in."""
    course = open_course(tmp_path_factory.mktemp("grade") / "course")
    hand_in(course, "ann", solved(small(course)))
    hand_in(course, "ben", solved(small(course), row_sums=WRONG_SUMS))
    hand_in(course, "cleo", "no notebook")
    hand_in(course, "dan", answered(small(course), double="import os\nos._exit(0)"))
    hand_in(course, "=cmd()", solved(small(course)))
    hand_in(course, "eve", "").notebook.unlink()
    (course.root / "submitted" / "stray.txt").write_text("not a student")
    return course


@pytest.fixture(scope="module")
def summary(course: Course, zygote: Zygote) -> Summary:
    """Return what grading all of them comes to."""
    return grade_submissions(course, [small(course)], executor=InProcess(course, zygote))


def line(summary: Summary, student: str) -> SubmissionLine:
    return next(line for line in summary.lines if line.student == student)


def test_every_submission_has_a_line_in_order_with_status_score_and_what_waits_for_a_person(
    summary: Summary,
) -> None:
    assert [(line.student, line.status, line.score, line.max_score) for line in summary.lines] == [
        ("=cmd()", "refused", None, None),
        ("ann", "graded", 5.0, 5.0),
        ("ben", "graded", 2.0, 5.0),
        ("cleo", "unreadable", 0.0, 5.0),
        ("dan", "graded", 0.0, 5.0),
        ("eve", "missing", None, None),
    ]
    (refused,) = summary.failures
    assert (refused.student, refused.ours, summary.exit_code) == ("=cmd()", True, 3)
    assert "rename the folder" in refused.message
    assert {line.student: line.waiting for line in summary.waiting} == {
        "=cmd()": (),
        "ann": ("why",),
        "ben": ("why",),
        "cleo": ("double",),
    }


class Unneeded:
    """An executor that must get nothing to grade."""

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        assert [submission.student for submission, *_ in tasks] == []
        return iter(())


class Generous:
    """An executor that gives full marks."""

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        for submission, notebook, _ in tasks:
            yield submission, notebook, full_marks(small(load_course(submission.root)))


def test_a_dry_run_says_what_would_change_and_leaves_it(course: Course, summary: Summary) -> None:
    before = {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()}
    chosen = [small(course)]
    with copied_state(course) as copy:
        would = grade_submissions(copy, chosen, ["ben"], force=True, executor=Generous())
    (change,) = would.changes
    assert (change.student, change.before, change.after) == ("ben", line(summary, "ben").score, 5.0)
    assert list(change.changes) == ["row_sums"]
    with copied_state(course) as copy:
        assert grade_submissions(copy, chosen, ["ben"], executor=Unneeded()).changes == ()
    assert {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()} == before


def test_grading_twice_gives_the_same_bytes(course: Course, summary: Summary, zygote: Zygote) -> None:
    before = reports(course)
    shown = Submission(course.root, "ben", "01_small").autograded.read_bytes()
    executor = InProcess(course, zygote)
    again = grade_submissions(course, [small(course)], ["ben", "dan"], force=True, executor=executor)
    assert [line.student for line in again.lines] == ["ben", "dan"]
    assert all(line.graded for line in again.lines)
    assert reports(course) == before
    assert Submission(course.root, "ben", "01_small").autograded.read_bytes() == shown


def test_an_exception_of_ours_is_a_grader_error_and_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zygote: Zygote
) -> None:
    course = open_course(tmp_path / "course")
    executor = InProcess(course, zygote)
    ann = read_notebook(hand_in(course, "ann", answered(small(course))).notebook)
    hand_in(course, "ben", solved(small(course)))
    right = Grader.grade

    def broken(self: Grader, notebook: Notebook, asked: Container[str] | None) -> object:
        if notebook == ann:
            raise RuntimeError("secret inner workings")
        return right(self, notebook, asked)

    monkeypatch.setattr(Grader, "grade", broken)
    done = grade_submissions(course, [small(course)], executor=executor)
    assert (line(done, "ann").status, line(done, "ann").score) == ("grader error", None)
    assert line(done, "ann").message == (
        f"RuntimeError: secret inner workings; see {course.build}/autograder.log for details"
    )
    log = (course.build / "autograder.log").read_text(encoding="utf-8")
    assert "01_small ann: RuntimeError: secret inner workings\nTraceback (most recent call last):" in log
    assert 'raise RuntimeError("secret inner workings")' in log
    assert line(done, "ben").score == 5.0
    assert done.exit_code == 3
    assert "secret inner workings" not in "".join(reports(course).values())
    monkeypatch.undo()
    fixed = grade_submissions(course, [small(course)], executor=executor)
    assert (line(fixed, "ann").status, line(fixed, "ann").graded) == ("graded", True)
    assert not line(fixed, "ben").graded


def test_a_student_who_is_asked_for_and_handed_in_nothing_is_missing(
    course: Course, summary: Summary
) -> None:
    done = grade_submissions(course, [small(course)], ["nobody"], executor=Unneeded())
    assert [(line.student, line.status) for line in done.lines] == [("nobody", "missing")]


def test_an_exercise_that_cannot_be_read_leaves_no_silent_zeros(tmp_path: Path) -> None:
    course = open_course(tmp_path / "course")
    hand_in(course, "ann", solved(small(course)))
    text = small(course).source.read_text(encoding="utf-8")
    small(course).source.write_text(text.replace(" points=2", ""), encoding="utf-8")
    course = load_course(course.root)
    done = grade_submissions(course, [small(course)], executor=Unneeded())
    assert (done.lines, done.exit_code) == ((), 3)
    (problem,) = done.stopped
    assert "01_small was not graded: " in problem
    assert "needs points above 0" in problem


def test_a_course_to_which_nothing_was_handed_in_needs_no_gradebook(tmp_path: Path) -> None:
    course = open_course(tmp_path / "course")
    assert grade_submissions(course, [small(course)], executor=Unneeded()).lines == ()
    assert not (course.root / "gradebook.db").exists()


class Replacing:
    """An executor whose submissions are replaced by their students while they are graded."""

    def __init__(self, course: Course, zygote: Zygote) -> None:
        self._course, self._executor = course, InProcess(course, zygote)

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        for submission, notebook, graded in self._executor.map(tasks, marks_only=marks_only):
            hand_in(self._course, submission.student, solved(small(self._course)))
            yield submission, notebook, graded


def test_a_notebook_that_is_replaced_while_it_is_graded_is_graded_again(
    tmp_path: Path, zygote: Zygote
) -> None:
    course = open_course(tmp_path / "course")
    hand_in(course, "ann", answered(small(course)))
    first = grade_submissions(course, [small(course)], executor=Replacing(course, zygote))
    assert line(first, "ann").score == 0.0
    kept = Submission(course.root, "ann", "01_small").autograded.read_text(encoding="utf-8")
    assert "YOUR CODE HERE" in kept  # what was graded is what is shown
    second = grade_submissions(course, [small(course)], executor=InProcess(course, zygote))
    assert (line(second, "ann").graded, line(second, "ann").score) == (True, 5.0)
