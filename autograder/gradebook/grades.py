"""Records a result of grading: scores and comments in the gradebook, and the notebook as it was graded."""

from collections.abc import Iterator, Mapping
from typing import Any

from nbformat import NotebookNode, from_dict
from nbgrader import utils
from nbgrader.api import Grade, Gradebook

from autograder.course.names import check_id, checked_question
from autograder.files import write_whole
from autograder.gradebook.answers import Answer, Judged, digests, needs_person, read_answers, write_answers
from autograder.gradebook.autograded import Release
from autograder.gradebook.rows import Rows
from autograder.grading.cell_result import CellResult
from autograder.grading.graded import Graded
from autograder.report.allowance import Allowance
from autograder.report.outputs import Output
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.report.standing import standing
from autograder.report.text import clean_html, clean_text, is_picture, printable
from autograder.submission.digest import digest_of
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission

_FOR_A_PERSON = (Verdict.REVIEW, Verdict.GRADER_ERROR)
_NO_RESPONSE = "No response."
# Hints quote the student's own error messages, and nbgrader renders comments as markdown with HTML.
_PLAIN = str.maketrans({"<": "\u2039", ">": "\u203a", "[": "(", "]": ")", "`": "'"})


def take_in(
    gradebook: Gradebook,
    release: Release,
    rows: Rows,
    submission: Submission,
    notebook: Notebook,
    graded: Graded,
) -> NotebookNode:
    """Record a graded submission, by our command or nbgrader's own, and return its autograded notebook.

    The report is written first, then scores and comments, which the caller commits; what a person has written
    stays. The returned notebook says by which rules the very bytes in `notebook` were graded: its file has to
    be written last.
    """
    write_whole(submission.report, graded.report.to_json() + "\n")
    node = release.restored(notebook)
    judged = judge(release, node, notebook, graded.report)
    node.metadata["autograder"] = fingerprinted(release.rules, notebook, graded.report)
    allowance = Allowance()
    for cell in node.cells:
        number = cell.metadata.pop("autograder", {}).get("number")
        if cell.cell_type == "code" and number in graded.results:
            cell.outputs = list(_outputs(graded.results[number], allowance))
    before = {} if rows.new else read_answers(gradebook, release, submission, rows.grades, kept=True)
    enter(judged, rows.grades, before)
    for name, one in judged.items():
        rows.comments[checked_question(name) or name].auto_comment = one.comment
    write_answers(gradebook, rows.grades, judged, new=rows.new)
    return node


def fingerprinted(rules: str, notebook: Notebook, report: Report) -> dict[str, Any]:
    """Return what files say of grading: the report, and a digest of the rules and bytes that led to it."""
    return {"fingerprint": digest_of(rules, notebook), "report": report.as_dict()}


def judge(release: Release, node: NotebookNode, notebook: Notebook, report: Report) -> dict[str, Judged]:
    """Return score and comment for each graded cell; a written answer that was never begun is worth 0.

    Where the student added text cells, one of them may be the written answer, so a person looks at it.
    """
    unreadable = report.status is Status.UNREADABLE
    answers = digests(release, node, notebook, unreadable=unreadable)
    questions = {question.name: question for question in report.questions}
    judged = {}
    for name, question in questions.items():
        if question.verdict is not Verdict.UNGRADED:
            asked = str(question.verdict) if question.verdict in _FOR_A_PERSON else ""
            asked = str(report.status) if unreadable else asked
            digest = answers[check_id(name)]
            judged[check_id(name)] = Judged(question.score, comment(report, question), asked, digest)
    own_text = "own text" if release.has_own_text(node) else ""
    for cell in (cell for cell in node.cells if utils.is_grade(cell) and utils.is_solution(cell)):
        name, (score, _) = cell.metadata.nbgrader.grade_id, utils.determine_grade(cell)
        asked = str(report.status) if unreadable else own_text if score is not None else "written"
        no_response = _NO_RESPONSE if score == 0 else None
        words = comment(report, questions[name]) if unreadable else no_response
        judged[name] = Judged(score, words, asked, answers[name])
    return judged


def enter(judged: Mapping[str, Judged], grades: Mapping[str, Grade], before: Mapping[str, Answer]) -> None:
    """Put our scores into the rows of a submission; what a person gave stays, and often stays confirmed."""
    for name, one in judged.items():
        grade = grades[name]
        grade.auto_score = one.score
        grade.needs_manual_grade = needs_person(grade, one, before.get(name))


def comment(report: Report, question: QuestionReport) -> str:
    """Return how `question` stands, a hint, and the titles of the tests that did not pass."""
    if report.status is Status.UNREADABLE:
        text = f"The notebook could not be read: {report.message}. A person has to look at it."
    else:
        failed = (test for test in question.tests if test.verdict is not Verdict.PASSED)
        stands = standing(question.verdict, question.score, question.max_score)
        lines = [f"{stands.capitalize()}.", question.hint]
        lines += [f"- {test.verdict}: {test.title}" for test in failed]
        text = "\n".join(line for line in lines if line)
    return printable(text).translate(_PLAIN)


def _outputs(result: CellResult, allowance: Allowance) -> Iterator[NotebookNode]:
    """Yield what a cell has shown; it is validated once, with the whole notebook."""
    for output in result.outputs:
        if output.stream:
            yield _output("stream", name=output.stream, text=clean_text(output.text))
        elif forms := _forms(output, allowance):
            yield _output("display_data", metadata={}, data=forms)
    if result.error is not None:
        name, message = clean_text(result.error.type), clean_text(result.error.message)
        line = f"{name}: {message}" if message else name
        yield _output("error", ename=name, evalue=message, traceback=[line])


def _output(kind: str, **about: Any) -> NotebookNode:
    return from_dict({"output_type": kind, **about})


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
