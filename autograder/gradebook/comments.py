"""Writes the comment on each question, which the formgrader shows beside the answer."""

from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.report.text import printable

NO_RESPONSE = "No response."
# Hints quote the student's own error messages, and nbgrader renders comments as markdown with HTML.
_PLAIN = str.maketrans({"<": "\u2039", ">": "\u203a", "[": "(", "]": ")", "`": "'"})


def comment(report: Report, question: QuestionReport) -> str:
    """Return the verdict on `question`, a hint, and the titles of the tests that did not pass."""
    if report.status is Status.UNREADABLE:
        return _plain(f"The notebook could not be read: {report.message}. A person has to look at it.")
    lines = [f"{question.verdict.capitalize()}.", question.hint]
    lines += [
        f"- {test.verdict}: {test.title}" for test in question.tests if test.verdict is not Verdict.PASSED
    ]
    return _plain("\n".join(line for line in lines if line))


def _plain(text: str) -> str:
    return printable(text).translate(_PLAIN)
