"""Writes the gradebook as CSV: by question, by exercise, and as Canvas and Moodle take grades."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.pages import read_gradebook
from autograder.publishing import canvas, moodle
from autograder.publishing.csv_table import Row, write_sheet
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission

_QUESTIONS = ("student", "exercise", "question", "score", "max_score", "status")
_EXERCISES = ("student", "exercise", "score", "max_score", "penalty", "status")
_OPEN = ("grader error", "not graded yet", "to be graded by hand", "to be reviewed")  # the gravest first


def write_tables(course: Course, exercises: Sequence[Exercise]) -> tuple[Path, ...]:
    """Write questions, exercises, canvas and moodle.csv to build/exports/ and return their paths."""
    handins = [(exercise, handin) for exercise in exercises for handin in read_gradebook(course, exercise)]
    points = {e.name: sum(e.points.values()) + sum(e.written.values()) for e in exercises}
    scores = _scores(handins)
    folder = course.build / "exports"
    return (
        write_sheet(
            folder / "questions.csv", _QUESTIONS, (row for pair in handins for row in _by_question(*pair))
        ),
        write_sheet(folder / "exercises.csv", _EXERCISES, (_by_exercise(*pair) for pair in handins)),
        write_sheet(folder / "canvas.csv", canvas.header(points), canvas.rows(points, scores)),
        write_sheet(folder / "moodle.csv", moodle.header(points), moodle.rows(points, scores)),
    )


def _scores(handins: Iterable[tuple[Exercise, GradebookSubmission]]) -> dict[str, dict[str, float | None]]:
    """Return what each student's submissions are worth so far, by exercise."""
    scores: dict[str, dict[str, float | None]] = {}
    for exercise, handin in handins:
        scores.setdefault(handin.student, {})[exercise.name] = handin.score
    return dict(sorted(scores.items()))


def _by_question(exercise: Exercise, handin: GradebookSubmission) -> Iterator[Row]:
    for entry in handin.entries:
        yield handin.student, exercise.name, entry.question, entry.score, entry.max_score, _status(entry)


def _by_exercise(exercise: Exercise, handin: GradebookSubmission) -> Row:
    statuses = {_status(entry) for entry in handin.entries}
    worst = next((status for status in _OPEN if status in statuses), "graded")
    return handin.student, exercise.name, handin.score, handin.max_score, handin.penalty, worst


def _status(entry: GradebookEntry) -> str:
    """Say whether a score is final."""
    if entry.score is None:
        if entry.written:
            return "to be graded by hand"
        return "grader error" if entry.comment else "not graded yet"
    return "to be reviewed" if entry.needs_person else "graded"
