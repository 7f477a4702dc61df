"""Writes the feedback page on one submission: what tests found, then the notebook; nothing in it can run."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from autograder.report.gradebook_submission import GradebookSubmission
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.report.safe_html import load_template, render_lines

MEANINGS = {
    Verdict.PASSED: "Everything that was tested holds.",
    Verdict.FAILED: "Something that was tested does not hold yet.",
    Verdict.NOT_ATTEMPTED: "The stub is still there.",
    Verdict.NOT_DEFINED: "The notebook, run from top to bottom, does not define it.",
    Verdict.CRASHED: "Your code stopped with an error.",
    Verdict.TIMED_OUT: "Your code took too long.",
    Verdict.BLOCKED: "Your code asked for something that is not allowed here.",
    Verdict.REVIEW: "A person will look at this one.",
    Verdict.GRADER_ERROR: "The autograder failed here, not you. Your instructor has been told.",
    Verdict.UNGRADED: "A written answer, read by a person.",
}
_TEMPLATE = Path(__file__).with_suffix(".html")
_ShownTest = tuple[Verdict, Markup, Markup | None]  # its verdict, its title, and a hint of its own


def render_feedback(report: Report, submission: GradebookSubmission, cells: Iterable[Any]) -> str:
    """Return the page, the same for the same report, grades and notebook."""
    return load_template(_TEMPLATE).render(
        report=report,
        submission=submission,
        cells=cells,
        entries={entry.question: entry for entry in submission.entries},
        waiting=[entry.question for entry in submission.entries if entry.needs_person],
        late=_duration(submission.seconds_late),
        unreadable=report.status is Status.UNREADABLE,
        meanings=MEANINGS,
        distinct_tests=_distinct_tests,
    )


def _distinct_tests(question: QuestionReport) -> Iterator[tuple[_ShownTest, int]]:
    """Yield each test as a reader sees it, and how many tests in a row look the same."""
    known = ("", question.hint)
    shown = (
        (test.verdict, render_lines(test.title), render_lines(test.hint) if test.hint not in known else None)
        for test in question.tests
    )
    return ((test, len(list(same))) for test, same in groupby(shown))


def _duration(seconds: float) -> str:
    """Return a time in its largest unit, or nothing where there was no delay."""
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if (count := int(seconds // size)) > 0:
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "less than a minute" if seconds > 0 else ""
