"""Adds explanations to the reports of a class whose marks are in the gradebook.

Explaining takes several times as long as marking, so the whole class gets its marks first. Then each
submission is graded again, with a search for the mistakes, and its report is replaced immediately. If a run
is interrupted while it explains, all marks are complete, and the next run explains the remaining submissions.
"""

from collections.abc import Container, Iterator, Sequence

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

_OTHER_MARKS = "its marks were different when it was graded again; the first marks count"


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


def count_unexplained(course: Course, exercises: Sequence[Exercise], summary: Summary) -> int:
    """Return the number of submissions in `summary` whose wrong answers have no explanation yet."""
    return sum(len(unexplained(course, exercise, summary.marked(exercise))) for exercise in exercises)


def explain_class(
    course: Course,
    exercises: Sequence[Exercise],
    summary: Summary,
    executor: Executor,
    *,
    unsafe: bool = False,
) -> Iterator[tuple[Submission, str]]:
    """Explain the wrong answers of all submissions in `summary`, as `explain` does."""
    for exercise in exercises:
        submissions = unexplained(course, exercise, summary.marked(exercise))
        yield from explain(course, exercise, submissions, executor, unsafe=unsafe)


def explain(
    course: Course,
    exercise: Exercise,
    submissions: Sequence[Submission],
    executor: Executor,
    *,
    unsafe: bool = False,
) -> Iterator[tuple[Submission, str]]:
    """Grade submissions again, with explanations, and replace their reports.

    Yield each submission with "", or with the reason why its report was not replaced.
    """
    if not submissions:
        return
    with ExerciseGradebook(course, exercise, unsafe=unsafe) as gradebook:
        for submission, notebook, graded in executor.map(_tasks(course, gradebook, submissions)):
            try:
                with one_submission(course, exercise.name, submission.student):
                    problem = describe_failure(course, f"{exercise.name} {submission.student}", graded)
                    if not problem and not gradebook.explain(submission, notebook, graded):
                        problem = _OTHER_MARKS
            except SubmissionError as error:
                problem = str(error.__cause__ or error)
            yield submission, problem


def _tasks(course: Course, gradebook: ExerciseGradebook, submissions: Sequence[Submission]) -> Iterator[Task]:
    """Yield submissions with the notebooks that count. The next `grade` reports unreadable notebooks."""
    for submission in submissions:
        with skipping(course, submission.exercise, submission.student, lambda _: None):
            if (attempt := gradebook.recorded(submission.student)) is not None:
                yield submission, read_notebook(attempt.notebook)
