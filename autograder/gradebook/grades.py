"""Records a result of grading: scores and comments in the gradebook, and the notebook as it was graded."""

from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode, v4
from nbgrader import utils
from nbgrader.api import Comment, Grade, Gradebook
from sqlalchemy.orm import joinedload

from autograder.course.names import check_id
from autograder.files import write_whole
from autograder.gradebook.autograded import Release
from autograder.grading.graded import Graded
from autograder.grading.session import CellResult
from autograder.report.allowance import Allowance
from autograder.report.outputs import Output
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.report.text import clean_html, clean_text, is_picture, printable
from autograder.submission.digest import digest_of
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission

_FOR_A_PERSON = (Verdict.REVIEW, Verdict.GRADER_ERROR)
_NO_RESPONSE = "No response."
# Hints quote the student's own error messages, and nbgrader renders comments as markdown with HTML.
_PLAIN = str.maketrans({"<": "\u2039", ">": "\u203a", "[": "(", "]": ")", "`": "'"})


def take_in(
    gradebook: Gradebook, release: Release, submission: Submission, notebook: Notebook, graded: Graded
) -> NotebookNode:
    """Record a graded submission, by our command or nbgrader's own, and return its autograded notebook.

    The report is written first, then scores and comments; what a person has written stays. The returned
    notebook says by which rules the very bytes in `notebook` were graded: its file has to be written last.
    """
    write_whole(submission.report, graded.report.to_json() + "\n")
    node = release.restored(notebook)
    own_text = release.has_own_text(node)
    digest = digest_of(release.rules, notebook)
    node.metadata["autograder"] = {"fingerprint": digest, "report": graded.report.as_dict()}
    allowance = Allowance()
    for cell in node.cells:
        number = cell.metadata.pop("autograder", {}).get("number")
        if cell.cell_type == "code" and number in graded.results:
            cell.outputs = list(_outputs(graded.results[number], allowance))
    _record(gradebook, submission, node, graded.report, own_text=own_text)
    return node


def _record(
    gradebook: Gradebook, submission: Submission, node: NotebookNode, report: Report, *, own_text: bool
) -> None:
    """Write scores and comments to the gradebook; a written answer that was never begun is worth 0.

    With `own_text` the student added text cells: as one of them may be the answer, a person looks at it.
    """
    exercise = submission.exercise
    notebook = gradebook.find_submission_notebook(exercise, exercise, submission.student)
    grades, comments = (_rows(gradebook, kind, notebook) for kind in (Grade, Comment))
    unreadable = report.status is Status.UNREADABLE
    questions = {question.name: question for question in report.questions}
    for name, question in questions.items():
        if question.verdict is not Verdict.UNGRADED:
            attention = unreadable or question.verdict in _FOR_A_PERSON
            _set_score(grades[check_id(name)], question.score, attention)
            comments[name].auto_comment = comment(report, question)
    for cell in (cell for cell in node.cells if utils.is_grade(cell) and utils.is_solution(cell)):
        name, (score, _) = cell.metadata.nbgrader.grade_id, utils.determine_grade(cell)
        _set_score(grades[name], score, unreadable or own_text or score is None)
        no_response = _NO_RESPONSE if score == 0 else None
        comments[name].auto_comment = comment(report, questions[name]) if unreadable else no_response
    gradebook.db.commit()


def comment(report: Report, question: QuestionReport) -> str:
    """Return the verdict on `question`, a hint, and the titles of the tests that did not pass."""
    if report.status is Status.UNREADABLE:
        text = f"The notebook could not be read: {report.message}. A person has to look at it."
    else:
        failed = (test for test in question.tests if test.verdict is not Verdict.PASSED)
        lines = [f"{question.verdict.capitalize()}.", question.hint]
        lines += [f"- {test.verdict}: {test.title}" for test in failed]
        text = "\n".join(line for line in lines if line)
    return printable(text).translate(_PLAIN)


def _rows(gradebook: Gradebook, kind: type[Grade | Comment], notebook: Any) -> dict[str, Any]:
    """Return the submitted notebook's rows of this kind, by their cell's name."""
    query = gradebook.db.query(kind).options(joinedload(kind.cell))
    return {row.cell.name: row for row in query.filter(kind.notebook_id == notebook.id)}


def _set_score(grade: Grade, score: float | None, attention: bool) -> None:
    """Set our score; as in nbgrader, a score that a person gave stays and asks to be looked at again."""
    grade.auto_score = score
    grade.needs_manual_grade = attention or grade.manual_score is not None


def _outputs(result: CellResult, allowance: Allowance) -> Iterator[NotebookNode]:
    for output in result.outputs:
        if output.stream:
            yield v4.new_output("stream", name=output.stream, text=clean_text(output.text))
        elif forms := _forms(output, allowance):
            yield v4.new_output("display_data", data=forms)
    if result.error is not None:
        name, message = clean_text(result.error.type), clean_text(result.error.message)
        line = f"{name}: {message}" if message else name
        yield v4.new_output("error", ename=name, evalue=message, traceback=[line])


def _forms(output: Output, allowance: Allowance) -> dict[str, str]:
    """Return those forms of a shown object that can be looked at without harm."""
    kept = {}
    for kind, form in output.data:
        if kind == "text/plain":
            kept[kind] = clean_text(form)
        elif kind == "text/html":
            kept[kind] = clean_html(form, allowance)
        elif kind == "image/png" and is_picture(form):
            kept[kind] = form
    return kept
