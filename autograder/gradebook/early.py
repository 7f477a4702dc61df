"""Takes out of a report what students are not told while they may still hand in."""

from dataclasses import replace

from autograder.course.attempts import Tells
from autograder.report.report import Report

_NOTES = {
    Tells.SCORE: "Until the due date this page tells the score alone.",
    Tells.TESTS: "Until the due date this page tells which tests did not pass, but gives no hints.",
    Tells.HINTS: "",
    None: "",
}


def early_report(report: Report, tells: Tells | None) -> tuple[Report, str]:
    """Return the part of a report that may be told, and a sentence on what is not; None tells everything."""
    if tells is Tells.SCORE:
        report = replace(report, questions=())
    elif tells is Tells.TESTS:
        questions = tuple(
            replace(
                question,
                hint="",
                mistake=None,
                shown=None,
                tests=tuple(replace(test, hint="") for test in question.tests),
            )
            for question in report.questions
        )
        report = replace(report, questions=questions)
    return report, _NOTES[tells]
