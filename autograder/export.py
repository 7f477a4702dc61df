"""Writes the gradebook as CSV: a file by question and a file by exercise, safe to open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from autograder.course import Course
from autograder.exercise import Exercise
from autograder.gradebook import read_handins
from autograder.handin import Entry, Handin

_QUESTIONS = ("student", "exercise", "question", "score", "max_score", "status")
_EXERCISES = ("student", "exercise", "score", "max_score", "penalty", "status")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_OPEN = ("grader error", "not graded yet", "to be graded by hand", "to be reviewed")  # the gravest first
Row = tuple[str | float | None, ...]


def export(course: Course, exercises: Sequence[Exercise]) -> tuple[Path, Path]:
    """Write build/exports/questions.csv and exercises.csv for `exercises` and return their paths."""
    handins = [(exercise, handin) for exercise in exercises for handin in read_handins(course, exercise)]
    folder = course.build / "exports"
    folder.mkdir(parents=True, exist_ok=True)
    questions, whole = folder / "questions.csv", folder / "exercises.csv"
    _write(questions, _QUESTIONS, (row for pair in handins for row in _by_question(*pair)))
    _write(whole, _EXERCISES, (_by_exercise(*pair) for pair in handins))
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


def _write(path: Path, header: Row, rows: Iterable[Row]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([_safe(cell) for cell in row] for row in (header, *rows))
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def _safe(cell: str | float | None) -> str:
    """Return a table cell that no spreadsheet takes for a formula."""
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(_FORMULA) else cell
    return "" if cell is None else f"{cell:.4f}".rstrip("0").rstrip(".")
