"""Adds explanations of mistakes to the reports, after all submissions of a class have scores.

Explaining takes several times as long as scoring, so all scores are stored first. Then this module takes one
submission after another: it grades the failed questions again, searches for the mistakes, and adds the
explanations to the report. If `grade` is interrupted meanwhile, the next run explains the remaining
submissions.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain, groupby

from autograder.batch.grade import Summary
from autograder.batch.pool import Executor, Task
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import SubmissionError, one_submission, skipping
from autograder.gradebook.book import ExerciseGradebook
from autograder.grading.graded import describe_failure
from autograder.records.database import reading
from autograder.records.reports import recorded_reports
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import Submission

_OTHER_MARKS = "the submission got other marks when it was graded again; the first marks count"


def unexplained(course: Course, exercise: Exercise, students: Container[str]) -> list[Submission]:
    """Return the submissions of these students whose wrong answers have no explanation yet."""
    with reading(course.root) as store:
        reports = recorded_reports(store, exercise.name)
    unexplained_students = sorted(student for student, report in reports.items() if not report.explained)
    return [
        Submission(course.root, student, exercise.name)
        for student in unexplained_students
        if student in students
    ]


def unexplained_in(course: Course, exercises: Sequence[Exercise], summary: Summary) -> list[Submission]:
    """Return the submissions in `summary` with unexplained wrong answers, in the order of `exercises`."""
    waiting = (unexplained(course, exercise, summary.marked(exercise)) for exercise in exercises)
    return list(chain.from_iterable(waiting))


def explain(
    course: Course, submissions: Sequence[Submission], executor: Executor, *, unsafe: bool = False
) -> Iterator[tuple[Submission, str]]:
    """Grade the failed questions of submissions again, and add explanations to the reports.

    `submissions` must be in order of exercise. Yield each submission with the reason why its report could not
    be changed, or with "" after success.
    """
    for name, of_exercise in groupby(submissions, key=lambda submission: submission.exercise):
        with ExerciseGradebook(course, course.exercises[name], unsafe=unsafe) as gradebook:
            for submission, notebook, graded in executor.map(_tasks(course, gradebook, of_exercise)):
                try:
                    with one_submission(course, name, submission.student):
                        problem = describe_failure(course, f"{name} {submission.student}", graded)
                        if not problem and not gradebook.explain(submission, notebook, graded):
                            problem = _OTHER_MARKS
                except SubmissionError as error:
                    problem = str(error.__cause__ or error)
                yield submission, problem


def _tasks(course: Course, gradebook: ExerciseGradebook, submissions: Iterable[Submission]) -> Iterator[Task]:
    """Yield each submission with its failed questions and the notebook of its recorded attempt.

    An unreadable notebook is skipped here. The next run of `autograder grade` reports the notebook.
    """
    for submission in submissions:
        with skipping(course, submission.exercise, submission.student, lambda _: None):
            attempt = gradebook.recorded(submission.student)
            if attempt is not None and attempt.report is not None:
                yield Task(submission, read_notebook(attempt.notebook), attempt.report.failed_questions)
