"""Writes the gradebook as CSV tables: by question, by exercise, for Canvas and for Moodle."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import starmap
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.pages import read_gradebook
from autograder.publishing import canvas, moodle
from autograder.publishing.csv_table import Row, write_table
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission

_QUESTIONS = ("student", "exercise", "question", "score", "max_score", "status")
_EXERCISES = ("student", "exercise", "score", "max_score", "penalty", "status")
# The statuses of entries without a final score, the gravest first.
_UNFINISHED = ("grader error", "not graded yet", "to be graded by hand", "to be reviewed")


def write_tables(course: Course, exercises: Sequence[Exercise]) -> tuple[Path, ...]:
    """Write questions, exercises, canvas and moodle.csv to build/exports/ and return their paths."""
    graded = [(exercise.name, found) for exercise in exercises for found in read_gradebook(course, exercise)]
    points = {e.name: sum(e.points.values()) + sum(e.written.values()) for e in exercises}
    unsorted: dict[str, dict[str, float | None]] = defaultdict(dict)
    for exercise, submission in graded:
        unsorted[submission.student][exercise] = submission.score
    scores = dict(sorted(unsorted.items()))
    folder = course.build / "exports"
    questions = (row for exercise, submission in graded for row in _by_question(exercise, submission))
    return (
        write_table(folder / "questions.csv", _QUESTIONS, questions),
        write_table(folder / "exercises.csv", _EXERCISES, starmap(_by_exercise, graded)),
        *(
            write_table(
                folder / f"{name}.csv", (*system.STUDENT_COLUMNS, *points), system.rows(points, scores)
            )
            for name, system in (("canvas", canvas), ("moodle", moodle))
        ),
    )


def _by_question(exercise: str, submission: GradebookSubmission) -> Iterator[Row]:
    for entry in submission.entries:
        yield submission.student, exercise, entry.question, entry.score, entry.max_score, _status(entry)


def _by_exercise(exercise: str, submission: GradebookSubmission) -> Row:
    statuses = {_status(entry) for entry in submission.entries}
    worst = next((status for status in _UNFINISHED if status in statuses), "graded")
    scores = submission.score, submission.max_score, submission.penalty
    return submission.student, exercise, *scores, worst


def _status(entry: GradebookEntry) -> str:
    """Return whether a score is final, and if not, what it waits for."""
    if entry.score is not None:
        return "to be reviewed" if entry.needs_person else "graded"
    if entry.written:
        return "to be graded by hand"
    return "grader error" if entry.comment else "not graded yet"
