"""Grades in the process of a test, which its own patches reach and where a warm zygote waits."""

from collections.abc import Iterable, Iterator

from autograder.authoring.answers import solved_cells
from autograder.batch.explain import explain, unexplained_in
from autograder.batch.grade import Summary, grade_submissions
from autograder.batch.pool import Done, Executor, ProcessPool, Task
from autograder.course.course import Course
from autograder.grading.grader import CourseGrader, Grader
from autograder.report.report import QuestionReport
from autograder.sandbox.zygote import Zygote


class InProcess:
    """An executor that grades one submission after another in this process."""

    def __init__(self, course: Course, zygote: Zygote) -> None:
        self._course = course
        self._grader = CourseGrader(course, zygote)

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        for submission, notebook, asked in tasks:
            exercise = self._course.exercises[submission.exercise]
            graded = self._grader.grade(exercise, notebook, marks_only=marks_only, asked=asked)
            yield submission, notebook, graded


def grade_class(
    course: Course, executor: Executor | None = None, *, jobs: int = 1, force: bool = False
) -> Summary:
    """Mark and explain all submissions, as `autograder grade` does, in marking processes by default."""
    exercises = list(course.exercises.values())
    with ProcessPool(course, jobs) as pool:  # starts no process before it is used
        executor = executor or pool
        summary = grade_submissions(course, exercises, executor=executor, force=force)
        explained = list(explain(course, unexplained_in(course, exercises, summary), executor))
    assert all(not problem for _, problem in explained)
    return summary


def report_on(grader: Grader, question: str, answer: str) -> QuestionReport:
    """Return the report on one question of a submission that is otherwise right."""
    cells = solved_cells(grader.exercise, {question: answer})
    questions = grader.grade_cells(cells, asked={question}).report.questions
    return next(report for report in questions if report.name == question)
