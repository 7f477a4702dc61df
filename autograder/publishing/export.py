"""Writes the gradebook as CSV tables: by question, by exercise, for Canvas and for Moodle."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.pages import read_gradebook, read_people
from autograder.publishing import canvas, moodle
from autograder.publishing.csv_table import Row, write_table
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission

_QUESTIONS = ("student", "exercise", "question", "score", "max_score", "status")
_EXERCISES = ("student", "exercise", "score", "max_score", "penalty", "status")
_STATUSES = ("grader error", "not graded yet", "to be reviewed", "to be graded by hand")  # the gravest first
_GRADED, _MISSING = "graded", "nothing handed in"


def write_tables(course: Course, exercises: Sequence[Exercise]) -> tuple[Path, ...]:
    """Write questions, exercises, canvas and moodle.csv to build/exports/ and return their paths.

    Platforms take a column for a new assignment, and an empty cell for a grade to be deleted. So their files
    hold only exercises and students that have scores; `exercises.csv` names everybody.
    """
    people = read_people(course)
    graded = {exercise: read_gradebook(course, exercise) for exercise in exercises}
    scores: dict[str, dict[str, float | None]] = defaultdict(dict)
    points: dict[str, float] = {}
    for exercise, submissions in graded.items():
        for submission in submissions:
            if submission.score is not None:
                points[exercise.name] = _points(exercise)
                scores[submission.student][exercise.name] = submission.score
    ordered = dict(sorted(scores.items()))
    names = {student: people[student].name if student in people else student for student in ordered}
    folder = course.build / "exports"
    works = [(exercise.name, submission) for exercise, found in graded.items() for submission in found]
    questions = (row for exercise, submission in works for row in _by_question(exercise, submission))
    rows = (row for exercise, found in graded.items() for row in _by_exercise(exercise, found, people))
    return (
        write_table(folder / "questions.csv", _QUESTIONS, questions),
        write_table(folder / "exercises.csv", _EXERCISES, rows),
        write_table(
            folder / "canvas.csv", (*canvas.STUDENT_COLUMNS, *points), canvas.rows(points, ordered, names)
        ),
        write_table(folder / "moodle.csv", (*moodle.STUDENT_COLUMNS, *points), moodle.rows(points, ordered)),
    )


def _points(exercise: Exercise) -> float:
    return sum(exercise.points.values()) + sum(exercise.written.values())


def _by_question(exercise: str, submission: GradebookSubmission) -> Iterator[Row]:
    for entry in submission.entries:
        yield submission.student, exercise, entry.question, entry.score, entry.max_score, _status(entry)


def _by_exercise(
    exercise: Exercise, submissions: Sequence[GradebookSubmission], people: Collection[str]
) -> Iterator[Row]:
    """Yield a row for each student: of the class, and of those who handed in."""
    found = {submission.student: submission for submission in submissions}
    for student in sorted({*found, *people}):
        if submission := found.get(student):
            statuses = {_status(entry) for entry in submission.entries}
            unfinished = "; ".join(status for status in _STATUSES if status in statuses)
            scores = submission.score, submission.max_score, submission.penalty
            yield student, exercise.name, *scores, unfinished or _GRADED
        else:
            yield student, exercise.name, None, _points(exercise), None, _MISSING


def _status(entry: GradebookEntry) -> str:
    """Return whether a score is final, and if not, what it waits for."""
    if entry.score is not None:
        return "to be reviewed" if entry.needs_person else _GRADED
    if entry.written:
        return "to be graded by hand"
    return "grader error" if entry.comment else "not graded yet"
