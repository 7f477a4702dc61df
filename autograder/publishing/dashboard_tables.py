"""Writes the dashboard's numbers as CSV tables, for those who want to compute with them."""

from collections.abc import Iterable
from dataclasses import astuple
from pathlib import Path

from autograder.publishing.csv_table import Row, write_table
from autograder.publishing.question_statistics import QuestionStatistics
from autograder.publishing.statistics import TENTHS, ClassStatistics
from autograder.report.report import Verdict

_HEADERS: dict[str, Row] = {
    "questions": (
        "exercise", "question", "points", "answers", "mean", "full_marks", "not_attempted", "crashed",
        "timed_out", "discrimination", "compared", "only_check_passes", "only_tests_pass",
    ),
    "scores": ("exercise", "from_percent", "submissions"),
    "mistakes": ("exercise", "question", "mistake", "count", "students"),
    "students": ("student", "exercise", "why"),
}  # fmt: skip
_COUNTED = (Verdict.NOT_ATTEMPTED, Verdict.CRASHED, Verdict.TIMED_OUT)


def write_dashboard_tables(folder: Path, statistics: ClassStatistics) -> list[Path]:
    """Write dashboard-*.csv to `folder` and return their paths."""
    rows: dict[str, Iterable[Row]] = {
        "questions": map(_question_row, statistics.questions),
        "scores": (
            (exercise.name, 100 * tenth / TENTHS, submissions)
            for exercise in statistics.exercises
            for tenth, submissions in enumerate(exercise.histogram)
        ),
        "mistakes": (
            (made.exercise, made.question, made.name, len(made.students), " ".join(made.students))
            for made in statistics.mistakes
        ),
        "students": map(astuple, statistics.concerns),
    }
    return [write_table(folder / f"dashboard-{name}.csv", _HEADERS[name], rows[name]) for name in _HEADERS]


def _question_row(question: QuestionStatistics) -> Row:
    scores = (question.points, len(question.scores), question.mean, question.full_marks)
    counts = map(question.count, _COUNTED)
    checked = (question.compared, len(question.only_check_passes), len(question.only_tests_pass))
    return (question.exercise, question.name, *scores, *counts, question.discrimination, *checked)
