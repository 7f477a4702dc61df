"""Takes what grading came to into the gradebook: scores, comments, and the notebook as it was graded."""

from collections.abc import Iterator

from nbformat import NotebookNode, v4
from nbgrader import utils
from nbgrader.api import Comment, Grade, Gradebook
from sqlalchemy.orm import joinedload

from autograder.course.names import check_id
from autograder.files import write_whole
from autograder.gradebook.autograded import Release
from autograder.gradebook.comments import NO_RESPONSE, comment
from autograder.grading.graded import Graded
from autograder.grading.session import CellResult
from autograder.report.outputs import Output
from autograder.report.report import Report, Status, Verdict
from autograder.report.text import clean_html, clean_text, is_picture
from autograder.submission.digest import digest_of
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission

_FOR_A_PERSON = (Verdict.REVIEW, Verdict.GRADER_ERROR)


def take_in(
    gradebook: Gradebook,
    release: Release,
    rules: str,
    submission: Submission,
    notebook: Notebook,
    graded: Graded,
) -> NotebookNode:
    """Record a graded submission, by our command or nbgrader's own, and return its autograded notebook.

    The report is written first, then scores and comments; what a person has written stays. The returned
    notebook says by which rules the very bytes in `notebook` were graded: whoever writes it does so last.
    """
    write_whole(submission.report, graded.report.to_json() + "\n")
    node = release.restored(notebook)
    own_text = release.has_own_text(node)
    digest = digest_of(rules, notebook)
    node.metadata["autograder"] = {"fingerprint": digest, "report": graded.report.as_dict()}
    for cell in node.cells:
        number = cell.metadata.pop("autograder", {}).get("number")
        if cell.cell_type == "code" and number in graded.results:
            cell.outputs = list(_outputs(graded.results[number]))
    _record(gradebook, submission, node, graded.report, own_text=own_text)
    return node


def _record(
    gradebook: Gradebook, submission: Submission, node: NotebookNode, report: Report, *, own_text: bool
) -> None:
    """Write scores and comments to the gradebook.

    With `own_text` the student added text cells, and a written answer may stand in one of them.
    """
    rows = _Rows(gradebook, submission)
    unreadable = report.status is Status.UNREADABLE
    for question in report.questions:
        if question.verdict is Verdict.UNGRADED:
            continue
        attention = unreadable or question.verdict in _FOR_A_PERSON
        rows.grade(check_id(question.name), question.score, attention)
        rows.comment(question.name, comment(report, question))
    for cell in (cell for cell in node.cells if utils.is_grade(cell) and utils.is_solution(cell)):
        _record_written(rows, cell, report, unreadable or own_text)
    gradebook.db.commit()


def _outputs(result: CellResult) -> Iterator[NotebookNode]:
    for output in result.outputs:
        if output.stream:
            yield v4.new_output("stream", name=output.stream, text=clean_text(output.text))
        elif forms := _forms(output):
            yield v4.new_output("display_data", data=forms)
    if result.error is not None:
        name, message = clean_text(result.error.type), clean_text(result.error.message)
        line = f"{name}: {message}" if message else name
        yield v4.new_output("error", ename=name, evalue=message, traceback=[line])


def _forms(output: Output) -> dict[str, str]:
    """Return those forms of a shown object that can be looked at without harm."""
    forms = dict(output.data)
    kept = {}
    if "text/plain" in forms:
        kept["text/plain"] = clean_text(forms["text/plain"])
    if "text/html" in forms:
        kept["text/html"] = clean_html(forms["text/html"])
    if is_picture(forms.get("image/png", "")):
        kept["image/png"] = forms["image/png"]
    return kept


def _record_written(rows: "_Rows", cell: NotebookNode, report: Report, attention: bool) -> None:
    """Leave a written answer to a person; one that was never begun is worth 0, and says so."""
    name = cell.metadata.nbgrader.grade_id
    score, _ = utils.determine_grade(cell)
    rows.grade(name, score, attention or score is None)
    question = next(question for question in report.questions if question.name == name)
    unread = report.status is Status.UNREADABLE
    rows.comment(name, comment(report, question) if unread else NO_RESPONSE if score == 0 else None)


class _Rows:
    """The gradebook's rows for one submission."""

    def __init__(self, gradebook: Gradebook, submission: Submission) -> None:
        exercise = submission.exercise
        notebook = gradebook.find_submission_notebook(exercise, exercise, submission.student)
        grades = gradebook.db.query(Grade).options(joinedload(Grade.cell))
        comments = gradebook.db.query(Comment).options(joinedload(Comment.cell))
        self._grades = {row.cell.name: row for row in grades.filter(Grade.notebook_id == notebook.id)}
        self._comments = {row.cell.name: row for row in comments.filter(Comment.notebook_id == notebook.id)}

    def grade(self, name: str, score: float | None, attention: bool) -> None:
        """Set our score; as in nbgrader, a score that a person gave stays and asks to be looked at again."""
        grade = self._grades[name]
        grade.auto_score = score
        grade.needs_manual_grade = attention or grade.manual_score is not None

    def comment(self, name: str, text: str | None) -> None:
        """Set our comment on the answer `name`."""
        self._comments[name].auto_comment = text
