"""Writes the gradebook as CSV: a file by question and a file by exercise, safe to open in a spreadsheet."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.course import Course
from autograder.exercise import Exercise
from autograder.gradebook import read_handins
from autograder.handin import Entry, Handin
from autograder.sheet import Row, write_sheet

_QUESTIONS = ("student", "exercise", "question", "score", "max_score", "status")
_EXERCISES = ("student", "exercise", "score", "max_score", "penalty", "status")
_OPEN = ("grader error", "not graded yet", "to be graded by hand", "to be reviewed")  # the gravest first


def export(course: Course, exercises: Sequence[Exercise]) -> tuple[Path, Path]:
    """Write build/exports/questions.csv and exercises.csv for `exercises` and return their paths."""
    handins = [(exercise, handin) for exercise in exercises for handin in read_handins(course, exercise)]
    folder = course.build / "exports"
    questions, whole = folder / "questions.csv", folder / "exercises.csv"
    write_sheet(questions, _QUESTIONS, (row for pair in handins for row in _by_question(*pair)))
    write_sheet(whole, _EXERCISES, (_by_exercise(*pair) for pair in handins))
    return questions, whole


def _by_question(exercise: Exercise, handin: Handin) -> Iterator[Row]:
    for entry in handin.entries:
        yield handin.student, exercise.name, entry.question, entry.score, entry.max_score, _status(entry)


def _by_exercise(exercise: Exercise, handin: Handin) -> Row:
    statuses = {_status(entry) for entry in handin.entries}
    worst = next((status for status in _OPEN if status in statuses), "graded")
    return handin.student, exercise.name, handin.score, handin.max_score, handin.penalty, worst


def _status(entry: Entry) -> str:
    """Say whether a score is final."""
    if entry.score is None:
        if entry.written:
            return "to be graded by hand"
        return "grader error" if entry.comment else "not graded yet"
    return "to be reviewed" if entry.needs_person else "graded"
