"""Writes the feedback page on one submission: what tests found, then the notebook; nothing in it can run."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.report.allowance import Allowance
from autograder.report.gradebook_submission import GradebookSubmission, ShownAttempt
from autograder.report.notebook_view import Lesson, show_notebook
from autograder.report.question_view import show_question
from autograder.report.report import Report, Status
from autograder.report.safe_html import load_template

_TEMPLATE = Path(__file__).with_suffix(".html")
SavedPictures = Mapping[str, tuple[str, ...]]  # by the id of a cell that was not run


def render_feedback(
    report: Report,
    submission: GradebookSubmission,
    cells: Iterable[Any],
    saved: SavedPictures | None = None,
    attempts: Sequence[ShownAttempt] = (),
    note: str = "",
) -> str:
    """Return the page, the same for the same report, grades and notebook.

    `saved` are the pictures that the student's file has below cells that grading does not run; `note` says
    what the page does not tell.
    """
    allowance = Allowance()
    entries = {entry.question: entry for entry in submission.entries}
    unreadable = report.status is Status.UNREADABLE
    questions = [
        show_question(question, entries.get(question.name), allowance, unreadable=unreadable)
        for question in report.questions
    ]
    lessons = dict[str, Lesson]()
    parts = list(show_notebook(cells, saved or {}, allowance, lessons))
    return load_template(_TEMPLATE).render(
        report=report,
        submission=submission,
        questions=questions,
        parts=parts,
        lessons=lessons,
        waiting=[entry.question for entry in submission.entries if entry.needs_person],
        late=_duration(submission.seconds_late),
        extended=submission.extended and submission.extended.strftime("%Y-%m-%d %H:%M %Z"),
        attempts=attempts if len(attempts) > 1 else (),
        note=note,
        unreadable=unreadable,
    )


def _duration(seconds: float) -> str:
    """Return a time in its largest unit, or nothing where there was no delay."""
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if (count := int(seconds // size)) > 0:
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "less than a minute" if seconds > 0 else ""
