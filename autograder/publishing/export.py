"""Writes the gradebook as CSV tables: by question, by exercise, for Canvas and for Moodle."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.pages import read_gradebook
from autograder.publishing import canvas, moodle
from autograder.publishing.csv_table import Row, write_table
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission

_QUESTIONS = ("student", "exercise", "question", "score", "max_score", "status")
_EXERCISES = ("student", "exercise", "score", "max_score", "penalty", "status")
# What an entry may still wait for, the gravest first.
_UNFINISHED = ("grader error", "not graded yet", "to be graded by hand", "to be reviewed")


def write_tables(course: Course, exercises: Sequence[Exercise]) -> tuple[Path, ...]:
    """Write questions, exercises, canvas and moodle.csv to build/exports/ and return their paths."""
    graded = [(exercise, found) for exercise in exercises for found in read_gradebook(course, exercise)]
    points = {e.name: sum(e.points.values()) + sum(e.written.values()) for e in exercises}
    scores = _scores(graded)
    folder = course.build / "exports"
    return (
        write_table(
            folder / "questions.csv", _QUESTIONS, (row for pair in graded for row in _by_question(*pair))
        ),
        write_table(folder / "exercises.csv", _EXERCISES, (_by_exercise(*pair) for pair in graded)),
        write_table(folder / "canvas.csv", canvas.header(points), canvas.rows(points, scores)),
        write_table(folder / "moodle.csv", moodle.header(points), moodle.rows(points, scores)),
    )


def _scores(graded: Iterable[tuple[Exercise, GradebookSubmission]]) -> dict[str, dict[str, float | None]]:
    """Return each student's scores so far, by exercise."""
    scores: dict[str, dict[str, float | None]] = {}
    for exercise, submission in graded:
        scores.setdefault(submission.student, {})[exercise.name] = submission.score
    return dict(sorted(scores.items()))


def _by_question(exercise: Exercise, submission: GradebookSubmission) -> Iterator[Row]:
    for entry in submission.entries:
        yield submission.student, exercise.name, entry.question, entry.score, entry.max_score, _status(entry)


def _by_exercise(exercise: Exercise, submission: GradebookSubmission) -> Row:
    statuses = {_status(entry) for entry in submission.entries}
    worst = next((status for status in _UNFINISHED if status in statuses), "graded")
    scores = submission.score, submission.max_score, submission.penalty
    return submission.student, exercise.name, *scores, worst


def _status(entry: GradebookEntry) -> str:
    """Return whether a score is final, in the words of the table, and if not, what it waits for."""
    if entry.score is None:
        if entry.written:
            return "to be graded by hand"
        return "grader error" if entry.comment else "not graded yet"
    return "to be reviewed" if entry.needs_person else "graded"
