"""The marks of a class come first, and explanations follow: whatever stops them leaves complete marks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.batch.explain import explain, unexplained, unexplained_in
from autograder.batch.grade import Summary, grade_submissions
from autograder.batch.pool import Done, Task
from autograder.course.course import Course, load_course
from autograder.records.reports import read_report
from autograder.report.report import Report
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, hand_in, open_course, small, solved
from autograder.tests.in_process import InProcess

STUDENTS = {"ann", "ben", "cleo"}


class Noting(InProcess):
    """An executor that keeps in which order it was asked for marks and for explanations."""

    def __init__(self, course: Course, zygote: Zygote) -> None:
        super().__init__(course, zygote)
        self.asked = list[str]()
        self.graded = dict[str, list[str]]()  # the questions that were graded last, by student

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        for submission, notebook, graded in super().map(tasks, marks_only=marks_only):
            self.asked.append(f"{'marks' if marks_only else 'explained'} {submission.student}")
            self.graded[submission.student] = [question.name for question in graded.report.questions]
            yield submission, notebook, graded


class Moody(Noting):
    """An executor that gives other marks when it explains."""

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        for submission, notebook, graded in super().map(tasks, marks_only=marks_only):
            report = graded.report
            if not marks_only:
                first, *others = report.questions
                report = replace(report, questions=(replace(first, score=0.5), *others))
            yield submission, notebook, replace(graded, report=report)


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """Return a course to which a class has handed in one right notebook and two wrong ones."""
    course = open_course(tmp_path / "course")
    hand_in(course, "ann", solved(small(course)))
    for student in ("ben", "cleo"):
        hand_in(course, student, solved(small(course), row_sums=WRONG_SUMS))
    return course


def report_of(course: Course, student: str) -> Report:
    report = read_report(Submission(course.root, student, "01_small"))
    assert report is not None
    return report


def left(course: Course) -> list[str]:
    return [one.student for one in unexplained(course, small(course), STUDENTS)]


def grade_and_explain(
    course: Course,
    executor: InProcess,
    students: Sequence[str] = (),
    marked: Callable[[Summary], None] = lambda _: None,
) -> tuple[Summary, list[str]]:
    """Grade as `autograder grade` does. Return the summary and a line on each explained submission."""
    summary = grade_submissions(course, [small(course)], students, executor=executor)
    marked(summary)
    explained = explain(course, unexplained_in(course, [small(course)], summary), executor)
    return summary, [f"{submission.student} {problem}".strip() for submission, problem in explained]


def test_all_marks_are_written_before_the_first_explanation(course: Course, zygote: Zygote) -> None:
    executor = Noting(course, zygote)

    def marked(summary: Summary) -> None:
        assert [line.score for line in summary.lines] == [5.0, 2.0, 2.0]
        assert [report_of(course, student).score for student in sorted(STUDENTS)] == [5.0, 2.0, 2.0]
        assert left(course) == ["ben", "cleo"]

    _, lines = grade_and_explain(course, executor, marked=marked)
    marks, explained = executor.asked[:3], executor.asked[3:]
    assert sorted(marks) == ["marks ann", "marks ben", "marks cleo"]
    assert (lines, explained, left(course)) == (["ben", "cleo"], ["explained ben", "explained cleo"], [])
    mistakes = [[one.mistake for one in report_of(course, student).questions] for student in ("ann", "ben")]
    assert [any(several) for several in mistakes] == [False, True]


def test_what_is_stopped_while_it_explains_keeps_all_marks_and_goes_on(
    course: Course, zygote: Zygote
) -> None:
    executor = Noting(course, zygote)
    summary = grade_submissions(course, [small(course)], executor=executor)
    next(explain(course, unexplained_in(course, [small(course)], summary), executor))
    assert left(course) == ["cleo"]
    assert not report_of(course, "cleo").explained
    executor = Noting(course, zygote)
    summary, _ = grade_and_explain(course, executor)
    assert executor.asked == ["explained cleo"]
    assert [line.graded for line in summary.lines] == [False, False, False]
    assert report_of(course, "cleo").questions == report_of(course, "ben").questions


def test_the_first_marks_count_where_the_second_are_others(course: Course, zygote: Zygote) -> None:
    _, lines = grade_and_explain(course, Moody(course, zygote), ["ben"])
    assert lines == ["ben the submission got other marks when it was graded again; the first marks count"]
    assert (report_of(course, "ben").score, left(course)) == (2.0, ["ben"])


TRIPLE = "def double(x):\n    return x * 3"


@pytest.mark.parametrize(
    ("answers", "graded_again"),
    [
        ({"row_sums": WRONG_SUMS}, ["row_sums", "why"]),
        (
            {"double": TRIPLE, "row_sums": "def row_sums(x):\n    return double(x).sum(-1) / 2"},
            ["double", "why"],  # row_sums passes with a right double
        ),
        (
            {"double": TRIPLE, "row_sums": "def row_sums(x):\n    return torch.einsum('ij->j', x)"},
            ["double", "row_sums", "why"],
        ),
    ],
)
def test_a_report_explained_afterwards_equals_a_report_explained_at_once(
    course: Course, zygote: Zygote, answers: dict[str, str], graded_again: list[str]
) -> None:
    settings = course.root / "course.yaml"
    settings.write_text(f"{settings.read_text('utf-8')}    builds_on: {{row_sums: [double]}}\n", "utf-8")
    course = load_course(course.root)
    submission = hand_in(course, "ben", solved(small(course), **answers))
    ((_, _, at_once),) = InProcess(course, zygote).map([Task(submission, read_notebook(submission.notebook))])
    executor = Noting(course, zygote)
    assert grade_and_explain(course, executor, ["ben"])[1] == ["ben"]
    assert report_of(course, "ben") == at_once.report
    assert at_once.report.explained
    assert executor.graded["ben"] == graded_again
