"""Prints reports and the demo's class for people."""

import sys
from collections.abc import Iterator
from pathlib import Path

from autograder.batch.grade import SubmissionLine, Summary
from autograder.cli.table import show
from autograder.course.course import Course
from autograder.demo import CLASS
from autograder.report.report import QuestionReport, Report, Verdict
from autograder.report.text import number


def show_report(notebook: str, report: Report) -> None:
    """Print a report for a person: questions, verdicts, scores and hints."""
    rows = [
        [
            question.name,
            question.verdict,
            f"{number(question.score)} of {number(question.max_score)}",
            _hint(question),
        ]
        for question in report.questions
    ]
    score = f"{number(report.score)} of {number(report.max_score)} points"
    title = f"{notebook} ({report.exercise}): {report.status}, {score}"
    show(title, ("question", "verdict", "score", "hint"), rows, report.message)


def _hint(question: QuestionReport) -> str:
    return "graded by hand" if question.verdict is Verdict.UNGRADED else question.hint


def show_class(demo: Course, summary: Summary) -> None:
    """Print what each made-up student scored, and what is special about them."""
    lines = {(line.student, line.exercise): line for line in summary.lines}
    rows = [
        [student.name, *(_cell(lines.get((student.name, name))) for name in demo.exercises), student.about]
        for student in CLASS
    ]
    columns = ("student", *(name.partition("_")[0] for name in demo.exercises), "what is special")
    show("The demo class", columns, rows)


def places(demo: Course) -> Iterator[str]:
    """Yield a line for each place where the demo's results can be looked at."""
    kept = {"dashboard": "build/dashboard.html", "tables": "build/exports", "reports": "build/reports"}
    for what, where in {"feedback": "feedback", **kept}.items():
        yield f"{what:12}{demo.root / where}"
    jupyter = Path(sys.executable).with_name("jupyter")
    yield f"{'formgrader':12}cd {demo.root} && {jupyter} lab, then Nbgrader > Formgrader in its menu"


def _cell(line: SubmissionLine | None) -> str:
    if line is None:
        return ""
    if line.status != "graded":
        return line.status
    return f"{number(line.score)}/{number(line.max_score)}{' late' if line.seconds_late else ''}"
