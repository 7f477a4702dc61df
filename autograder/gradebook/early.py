"""Takes out of a page what students are not told while they may still hand in.

What is left is decided by the outcomes of tests alone. Whatever else a submission says, in outputs, by the
way in which a test fails or by which cells it loses, may rest on what an earlier attempt, which has met
hidden inputs, has left in the machine's memory.
"""

from collections.abc import Sequence
from dataclasses import replace

from nbformat import NotebookNode

from autograder.course.settings import Tells
from autograder.report.report import QuestionReport, Report, Status, Verdict

_EARLY = "Until the due date this page tells"
_NO_OUTPUTS = "; what cells of code have shown is left out, too."
_NOTES = {
    Tells.SCORE: f"{_EARLY} the score alone{_NO_OUTPUTS}",
    Tells.TESTS: f"{_EARLY} which tests did not pass, but gives no hints{_NO_OUTPUTS}",
    Tells.HINTS: "",
    None: "",
}
_LOST = "Not all cells of code could be run to their end."
_OPEN = {Verdict.PASSED, Verdict.REVIEW, Verdict.GRADER_ERROR, Verdict.UNGRADED}


def early_report(report: Report, tells: Tells | None) -> tuple[Report, str]:
    """Return the part of a report that may be told, and a sentence on what is not; None tells everything."""
    if tells in (Tells.SCORE, Tells.TESTS):
        graded = report.status is Status.GRADED
        message = _LOST if graded and report.message else report.message
        questions = tuple(map(_outcomes, report.questions)) if tells is Tells.TESTS else ()
        report = replace(report, message=message, questions=questions)
    return report, _NOTES[tells]


def early_cells(cells: Sequence[NotebookNode], tells: Tells | None) -> list[NotebookNode]:
    """Return a notebook's cells, without their outputs where a page may not tell all."""
    if tells not in (Tells.SCORE, Tells.TESTS):
        return list(cells)
    return [NotebookNode({**cell, "outputs": []}) if cell.cell_type == "code" else cell for cell in cells]


def _outcomes(question: QuestionReport) -> QuestionReport:
    """Return a question without any words, and with one word for all ways to fail."""
    nothing = all(test.verdict is Verdict.NOT_ATTEMPTED for test in question.tests)
    tests = tuple(
        replace(test, hint="", verdict=_outcome(test.verdict, nothing=nothing)) for test in question.tests
    )
    verdict = _outcome(question.verdict, nothing=nothing)
    return replace(question, verdict=verdict, hint="", mistake=None, shown=None, tests=tests)


def _outcome(verdict: Verdict, *, nothing: bool) -> Verdict:
    return verdict if nothing or verdict in _OPEN else Verdict.FAILED
