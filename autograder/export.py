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
Row = tuple[object, ...]


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
        score, status = _number(entry.score), _status(entry)
        yield handin.student, exercise.name, entry.question, score, _number(entry.max_score), status


def _by_exercise(exercise: Exercise, handin: Handin) -> Row:
    statuses = {_status(entry) for entry in handin.entries}
    worst = next(
        (s for s in ("grader error", "to be graded by hand", "to be reviewed") if s in statuses), "graded"
    )
    penalty = _number(handin.penalty)
    return handin.student, exercise.name, _number(handin.score), _number(handin.max_score), penalty, worst


def _status(entry: Entry) -> str:
    """Say whether a score is final."""
    if entry.score is None:
        return "to be graded by hand" if entry.written else "grader error"
    return "to be reviewed" if entry.needs_person else "graded"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}".rstrip("0").rstrip(".")


def _write(path: Path, header: Row, rows: Iterable[Row]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([_safe(cell) for cell in row] for row in (header, *rows))
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def _safe(cell: object) -> str:
    """Return a table cell that no spreadsheet takes for a formula; a negative number is none."""
    text = str(cell)
    return f"'{text}" if text.startswith(_FORMULA) else text
