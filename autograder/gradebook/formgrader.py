"""Adds the question, model answer, rubric and other students' equal answers to nbgrader's formgrader.

It also adds students' names to the formgrader's lists, and records who saves a score. Students' text is
cleaned, so it cannot run scripts. Feedback pages and releases contain no model answer.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from getpass import getuser
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup
from nbformat import NotebookNode, v4
from nbgrader.api import Comment, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.apps import NbGraderAPI
from nbgrader.preprocessors import NbGraderPreprocessor
from sqlalchemy import and_
from traitlets import Unicode

from autograder.course.code import code_parts, dependencies
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.names import check_id, checked_question
from autograder.course.notebook import build_notebook
from autograder.course.source import BEGIN, END, Cell, Role
from autograder.errors import AutograderError, UsageError
from autograder.gradebook.comments import CommentBank
from autograder.gradebook.ledger import recording
from autograder.records.database import gradebook_url
from autograder.records.reports import recorded_reports
from autograder.records.tables import ANSWERS
from autograder.report.report import QuestionReport, Report, Status, Verdict, describe_unreadable
from autograder.report.safe_html import Allowance, render_code, render_markdown, render_template, render_text
from autograder.submission.students import Student, listed_by_id

# Line breaks, dollars and backslashes become character references, so that nbconvert's Markdown renderer
# neither changes the HTML nor finds formulas in it. Browsers show the original characters.
_AS_HTML = str.maketrans({"\n": "&#10;", "$": "&#36;", "\\": "&#92;"})
_PAGE = Path(__file__).with_suffix(".html")
_WRITTEN = "written"  # the value of `GradebookAnswer.asked` for an answer that no test can grade
_MAX_LINES = 20
Resources = dict[str, Any]
# The forms in which hints name forbidden code: `"torch.dot"`, `"the module numpy itself"`, `called mm`.
_NAMED_CODE = re.compile(r'"(?:the module )?(?:[\w.]+\.)?([\w@]+)(?: itself)?"|call(?:s|ed) (\w+)')
_FOR_STUDENTS = re.compile(r"^An instructor (will look at|looks at) this answer( because of [^.]*)?\. ")
_REASONS = {
    "own text": "This student did not change the cell for the answer, but wrote text in other cells. "
    "This page shows the other cells.",
    "grader error": "The autograder itself failed on this question. An earlier score is kept.",
    "": "After an instructor graded this answer, the answer or the question's points changed.",
}
_get_nbgrader_students = NbGraderAPI.get_students


class GradebookAnswer(NamedTuple):
    """A student's answer to a question in the gradebook."""

    grade: str
    comment: str | None
    submission: str  # id of the notebook's row, which is part of the formgrader's addresses
    student: str
    score: float | None  # the grader's score
    extra: float | None
    waits: bool
    digest: str | None = None  # a digest of the graded answer
    asked: str | None = None  # the reason why an instructor has to check the answer


@dataclass(frozen=True)
class ManualQuestion:
    """A question in one student's notebook that a grader has to grade or has graded."""

    source: Cell  # the author's cell, with the model answer
    wording: str  # the text of the lesson that asks the question
    places: Sequence[int]  # indices of the question's graded cells in the notebook
    reason: str = ""  # why an instructor has to check the answer; empty for a new written answer
    report: QuestionReport | None = None  # the result of the tests, if there are any
    # The lines of code that `reason` refers to. Each line has a position such as "cell 3, line 2".
    lines: Sequence[tuple[str, str]] = ()
    answers: Sequence[GradebookAnswer] = ()  # the answers of all students
    answer: GradebookAnswer | None = None  # the answer of this student
    comments: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    has_pictures: bool = False  # whether the answer has attached pictures

    @property
    def model(self) -> str:
        """The author's answer."""
        if self.source.is_code:
            lines = self.source.text.split("\n")
            return "\n".join(line for line in lines if BEGIN not in line and END not in line)
        return self.source.model

    @property
    def rubric(self) -> str:
        """The rubric as a list. Students read the same list in their notebook."""
        return "\n".join(f"- {thing}" for thing in self.source.rubric)

    @property
    def offer(self) -> float | None:
        """The score by tests, as a suggestion for an answer that an instructor must check; otherwise None."""
        is_held = self.report is not None and self.report.verdict is Verdict.REVIEW
        return self.report.score_by_tests if self.report is not None and is_held else None

    @property
    def waiting(self) -> int:
        """The number of answers that wait for an instructor."""
        return sum(answer.waits for answer in self.answers)

    @property
    def next_waiting(self) -> str:
        """The id of the next submission whose answer waits for an instructor, or ""."""
        current = "" if self.answer is None else self.answer.submission
        waiting = (answer.submission for answer in self.answers if answer.waits)
        others = sorted(submission for submission in waiting if submission != current)
        return next((other for other in others if other > current), others[0] if others else "")

    @property
    def equal_answers(self) -> list[GradebookAnswer]:
        """The equal written answers of other students. Answers with pictures are not compared."""
        answer = self.answer
        if answer is None or answer.asked != _WRITTEN or self.has_pictures:
            return []
        key = answer.digest, answer.asked
        equal = (other for other in self.answers if (other.digest, other.asked) == key)
        return [other for other in equal if other.grade != answer.grade]

    @property
    def members(self) -> list[dict[str, Any]]:
        """The answer and `equal_answers`, for the button that saves one grade for all of them."""
        return [
            {"grade": each.grade, "comment": each.comment, "extra": each.extra, "waits": each.waits}
            for each in (self.answer, *self.equal_answers)
            if each is not None
        ]


class CleanMarkdown(NbGraderPreprocessor):  # type: ignore[misc]
    """Replaces the text of a Markdown cell by HTML that cannot run scripts."""

    course = Unicode("", help="The course's folder.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Clean all cells, and escape the student's name, which nbgrader's template does not escape."""
        for key in ("student", "last_name", "first_name"):
            if isinstance(resources.get(key), str):
                resources[key] = escape(resources[key])
        self._allowance = Allowance()  # limits the characters and the time of the whole page
        around = [["", ""] for _ in nb.cells]
        try:
            if self.course:
                lay_out(load_course(Path(self.course)), nb, resources, around)
        except AutograderError as error:  # an author's mistake; the page still shows the answers
            around[0][0] = _rendered("problem", str(error))
        for cell, html in zip(nb.cells, around, strict=True):
            cell.metadata["around"] = html
        return super().preprocess(nb, resources)  # type: ignore[no-any-return]

    def preprocess_cell(
        self,
        cell: NotebookNode,
        resources: Resources,
        index: int,  # noqa: ARG002 - nbconvert's signature
    ) -> tuple[NotebookNode, Resources]:
        """Clean a Markdown cell. Delete the text of a raw cell, because it would be shown as HTML."""
        if cell.cell_type == "markdown":
            cleaned = render_markdown(cell, self._allowance, "mathml")
            cell.source = f"<div>{cleaned}</div>".translate(_AS_HTML)
        elif cell.cell_type == "raw":
            cell.source = ""
        return cell, resources


def lay_out(course: Course, node: NotebookNode, resources: Resources, around: list[list[str]]) -> None:
    """Write into `around` the HTML before and after each cell.

    If the page has questions for a grader, cells that are neither answers nor the student's text are folded.
    """
    (exercise,) = course.chosen([resources["assignment_id"]])
    with Gradebook(gradebook_url(course.root), course.settings.course) as gradebook:
        questions = list(_manual_questions(course, exercise, node, gradebook, resources))
    for question in questions:
        around[question.places[0]][0] += _rendered("question", question)
        around[question.places[-1]][1] += _rendered("tools", question)
    unfolded = {place for question in questions for place in question.places}
    borders = [-1, *sorted(unfolded.union(_own_texts(exercise, node))), len(node.cells)]
    for before, after in pairwise(borders if questions else ()):
        if (count := after - before - 1) > 0:
            around[before + 1][0] += _rendered("fold", count)
            around[after - 1][1] += _rendered("end of fold", count)


def _rendered(part: str, it: "ManualQuestion | int | str") -> Markup:
    functions = {
        "markdown": lambda text: render_markdown(v4.new_markdown_cell(text), Allowance(), "mathml"),
        "code": lambda text: render_code(text, Allowance()),
        "text": render_text,
    }
    return render_template(_PAGE, part=part, it=it, **functions)


def _manual_questions(
    course: Course, exercise: Exercise, node: NotebookNode, gradebook: Gradebook, resources: Resources
) -> Iterator[ManualQuestion]:
    """Yield the questions that a grader has to grade or has graded, in the notebook's order."""
    names = [cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in node.cells]
    submission = gradebook.find_submission_notebook_by_id(resources["submission_id"])
    grades = {grade.name: grade for grade in submission.grades}
    cells = {comment.name: comment.cell_id for comment in submission.comments}
    report = recorded_reports(gradebook.db(), exercise.name, submission.student.id).get(submission.student.id)
    bank, problem = None, ""
    try:
        bank = CommentBank(course.root)
    except UsageError as error:
        problem = str(error)
    for place, source in enumerate(exercise.cells):
        is_written = source.role is Role.MANUAL
        name = source.name if is_written else check_id(source.name)
        if source.role not in (Role.MANUAL, Role.SOLUTION) or name not in grades:
            continue
        answers = _answers(gradebook, grades[name].cell_id, cells.get(source.name))
        answer = next(answer for answer in answers if answer.submission == submission.id)
        is_unreadable = report is not None and report.status is Status.UNREADABLE
        if answer.asked or (not is_unreadable and (is_written or answer.waits)):
            places = [at for at, cell in enumerate(names) if source.name in (cell, checked_question(cell))]
            hint = _hint(report, source.name)
            yield ManualQuestion(
                source, text_above(exercise.cells[:place]), places, _reason(answer, hint),
                _tested(report, source.name),
                [] if is_written else _lines(exercise, node, source.name, hint),
                answers, answer, bank.comments(exercise.name, source.name) if bank else {}, problem,
                any("attachment:" in node.cells[at].source for at in places),
            )  # fmt: skip


def _answers(gradebook: Gradebook, cell: str, commented: str | None) -> list[GradebookAnswer]:
    """Return all students' answers to a question.

    `cell` is the id of the question's graded cell. `commented` is the id of the cell with the comments.
    """
    query = (
        gradebook.db.query(
            Grade.id, Comment.id, SubmittedNotebook.id, SubmittedAssignment.student_id,
            Grade.manual_score, Grade.extra_credit, Grade.needs_manual_grade,
            ANSWERS.c.digest, ANSWERS.c.asked,
        )
        .select_from(Grade)
        .join(Grade.notebook)
        .join(SubmittedNotebook.assignment)
        .outerjoin(Comment, and_(Comment.notebook_id == Grade.notebook_id, Comment.cell_id == commented))
        .outerjoin(ANSWERS, ANSWERS.c.grade_id == Grade.id)
        .filter(Grade.cell_id == cell)
        .order_by(SubmittedAssignment.student_id)
    )  # fmt: skip
    return [GradebookAnswer(*row) for row in query]


def text_above(cells: Sequence[Cell]) -> str:
    """Return a question's wording, given the cells above its answer.

    It is the text of the last text cell, beginning at the last heading in it.
    """
    text = next((cell.text for cell in reversed(cells) if cell.role is Role.TEXT), "")
    lines, start, fenced = text.split("\n"), 0, False
    for number_, line in enumerate(lines):
        fenced ^= line.startswith("```")
        if re.match(r"#{1,6} ", line) and not fenced:
            start = number_
    return "\n".join(lines[start:])


def _hint(report: Report | None, question: str) -> str:
    if report and report.status is Status.UNREADABLE:
        words = describe_unreadable(report.message).removesuffix("Hand it in again.")
        return f"This student's file {words}All questions score 0. To confirm this, save 0 as the score."
    hints = (each.hint for each in report.questions if each.name == question) if report else ()
    hint = next(filter(None, hints), "") or (report.message if report else "")
    return _FOR_STUDENTS.sub("", hint)


def _tested(report: Report | None, question: str) -> QuestionReport | None:
    """Return the report on a question, or None if the question has no tests or the notebook is unreadable."""
    if report is None or report.status is Status.UNREADABLE:
        return None
    return next((each for each in report.questions if each.name == question and each.tests), None)


def _reason(answer: GradebookAnswer, hint: str) -> str:
    """Return the reason why an instructor has to check an answer, or "" for a new written answer."""
    if answer.waits and answer.score is not None:
        return _REASONS[""]
    if answer.asked in (None, "", _WRITTEN):
        return ""
    return _REASONS.get(answer.asked, "") or hint or f"The autograder says: {answer.asked}."


def _lines(exercise: Exercise, node: NotebookNode, question: str, hint: str) -> list[tuple[str, str]]:
    """Return the student's lines of code with the name that `hint` quotes, such as `dot` for "torch.dot".

    If cells on which the answer depends have such lines, return only those. Otherwise search all cells.
    """
    match = _NAMED_CODE.search(hint)
    if match is None:
        return []
    name = re.compile(rf"(?<!\w){re.escape(match[1] or match[2])}(?!\w)")
    released = exercise.given | {cell.text for cell in exercise.cells if cell.role is Role.CHECK}
    cells = [(place, cell.source) for place, cell in enumerate(node.cells, 1) if cell.cell_type == "code"]
    student_cells = [(place, code) for place, code in cells if code not in released]
    parts = code_parts(code for _, code in student_cells)
    needed = {part.at for part in dependencies(question, parts)[0]}
    lines = [
        (at in needed, f"cell {place}, line {number}", line)
        for at, (place, code) in enumerate(student_cells)
        for number, line in enumerate(code.split("\n"), 1)
        if name.search(line)
    ]
    has_needed = any(is_needed for is_needed, *_ in lines)
    return [(place, line) for is_needed, place, line in lines if is_needed is has_needed][:_MAX_LINES]


def _own_texts(exercise: Exercise, node: NotebookNode) -> Iterator[int]:
    """Yield the indices of the text cells that the student added. One of them may be an answer."""
    released = {"".join(cell["source"]).strip() for cell in build_notebook(exercise)["cells"]}
    for place, cell in enumerate(node.cells):
        is_own = "nbgrader" not in cell.metadata and cell.source.strip() not in released
        if cell.cell_type == "markdown" and is_own:
            yield place


def get_students(api: NbGraderAPI) -> list[dict[str, Any]]:
    """Return nbgrader's data on each student, with a name for every student.

    nbgrader has no name for a student who was never graded, and would show "None, None". Such a student gets
    the name in students.csv, or else the id.
    """
    students: list[dict[str, Any]] = _get_nbgrader_students(api)
    people = dict[str, Student]()
    with suppress(UsageError):  # `autograder grade` reports a damaged students.csv
        people = listed_by_id(Path(api.coursedir.root))
    for student in students:
        name = student["last_name"], student["first_name"]
        if name == (None, None):
            name = people.get(student["id"], Student(student["id"], (f"{student['id']},",))).parts
        student["last_name"], student["first_name"] = name[0] or "", name[1] or ""
    return students


def install_hooks() -> None:
    """Change parts of the formgrader for which nbgrader has no settings."""
    NbGraderAPI.get_students = get_students
    record_saves()
    hide_exchange_warning()


def hide_exchange_warning() -> None:
    """Hide the formgrader's warning of a missing exchange, which a course does not need."""
    if (handlers := sys.modules.get("nbgrader.server_extensions.formgrader.handlers")) is None:
        return

    def render(handler: Any, name: str, **values: Any) -> Any:
        return handlers.BaseHandler.render(handler, name, **{**values, "exchange_missing": False})

    handlers.ManageAssignmentsHandler.render = render


def is_served() -> bool:
    """Whether this process serves the formgrader: only then are the handlers imported."""
    return "nbgrader.server_extensions.formgrader.handlers" in sys.modules


def record_saves() -> None:
    """Make the formgrader add an audit line with the grader's name for each saved score."""
    handlers = sys.modules.get("nbgrader.server_extensions.formgrader.apihandlers")
    save = None if handlers is None else handlers.GradeHandler.put
    if save is None or hasattr(save, "recorded"):
        return

    @wraps(save)
    def put(handler: Any, grade_id: str) -> Any:
        root = Path(handler.coursedir.root)
        with recording(handler.gradebook.db(), root, grader_name(handler.current_user)):
            return save(handler, grade_id)

    put.recorded = True  # type: ignore[attr-defined]
    handlers.GradeHandler.put = put  # type: ignore[union-attr]


def grader_name(user: Any) -> str:
    """Return a user's name in JupyterHub, or else the login name of this process.

    Jupyter invents a name for users who log in with a token. That name is not used.
    """
    name = getattr(user, "username", None)
    if not name or str(getattr(user, "name", "")).startswith("Anonymous "):
        name = os.environ.get("JUPYTERHUB_USER")
    with suppress(OSError, KeyError):  # in a container, the user may have no name
        name = name or getuser()
    return str(name or f"user {os.getuid()}")
