"""Adds to nbgrader's formgrader the question, model answer, rubric and equal answers.

It also adds names to its lists, and keeps who saves a score. Feedback and releases are made elsewhere and
never see a model answer. What students wrote runs no script.
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

from autograder.course.code import pieces, rests_on
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.names import check_id, checked_question
from autograder.course.notebook import build_notebook
from autograder.course.source import BEGIN, END, Cell, Role
from autograder.errors import AutograderError, UsageError
from autograder.gradebook.comments import CommentBank
from autograder.gradebook.config import database
from autograder.gradebook.ledger import recording
from autograder.gradebook.rows import listed_by_id
from autograder.records.reports import recorded_reports
from autograder.records.tables import ANSWERS
from autograder.report.report import QuestionReport, Report, Status, Verdict, describe_unreadable
from autograder.report.safe_html import Allowance, render_code, render_markdown, render_template, render_text
from autograder.submission.students import Student

# On one line it is a block of HTML, in which the renderer that follows reads no Markdown; and it looks for no
# formulas where there are no dollars and backslashes. In the browser, all of these are letters again.
_AS_HTML = str.maketrans({"\n": "&#10;", "$": "&#36;", "\\": "&#92;"})
_PAGE = Path(__file__).with_suffix(".html")
_WRITTEN = "written"  # what the table of answers says of an answer that waits for a grader
_MAX_LINES = 20
Resources = dict[str, Any]
# How reports name what they found: `"torch.dot"`, `"the module numpy itself"`, `called mm`.
_FOUND = re.compile(r'"(?:the module )?(?:[\w.]+\.)?([\w@]+)(?: itself)?"|call(?:s|ed) (\w+)')
_FOR_STUDENTS = re.compile(r"^An instructor looks at this answer because of [^.]*\. ")
_REASONS = {
    "own text": "The answer's cell is as it was released, but this student wrote text in other cells, "
    "which are unfolded.",
    "grader error": "The autograder itself failed on this question. A score from before stays.",
    "": "The answer, or what it is worth, has changed since somebody graded it.",
}
_known_students = NbGraderAPI.get_students


class Given(NamedTuple):
    """What the gradebook has on one student's answer to a question."""

    grade: str
    comment: str | None
    submission: str  # of the notebook, as the formgrader's addresses name it
    student: str
    score: float | None  # by a person
    extra: float | None
    waits: bool
    digest: str | None = None  # of the answer for which it was graded
    asked: str | None = None


@dataclass(frozen=True)
class Asked:
    """A question that a person grades, in one student's notebook."""

    source: Cell  # the author's, with the model answer
    above: str  # the text of the lesson that asks it
    places: Sequence[int]  # of its graded cells in the notebook
    reason: str = ""  # why an instructor has to look, where the answer is not simply a written one
    report: QuestionReport | None = None  # of a question that tests grade
    lines: Sequence[tuple[str, str]] = ()  # the lines in question, each with its place
    answers: Sequence[Given] = ()  # of all students
    own: Given | None = None
    comments: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    has_pictures: bool = False  # which the text of the answer only names

    @property
    def model(self) -> str:
        """The author's answer."""
        if self.source.is_code:
            lines = self.source.text.split("\n")
            return "\n".join(line for line in lines if BEGIN not in line and END not in line)
        return self.source.model

    @property
    def rubric(self) -> str:
        """What a full written answer names, as a list; students can read the same in their notebook."""
        return "\n".join(f"- {thing}" for thing in self.source.rubric)

    @property
    def offer(self) -> float | None:
        """The score that the tests would give to a question that is held for an instructor."""
        is_held = self.report is not None and self.report.verdict is Verdict.REVIEW
        return self.report.score_by_tests if self.report is not None and is_held else None

    @property
    def waiting(self) -> int:
        """How many students' answers still wait for a grader."""
        return sum(one.waits for one in self.answers)

    @property
    def next_waiting(self) -> str:
        """The submission of the next student whose answer waits, in the formgrader's order; or empty."""
        here = "" if self.own is None else self.own.submission
        others = sorted(one.submission for one in self.answers if one.waits and one.submission != here)
        return next((other for other in others if other > here), others[0] if others else "")

    @property
    def alike(self) -> list[Given]:
        """The other students who wrote the same, letter for letter, if that is the whole answer."""
        own = self.own
        if own is None or own.asked != _WRITTEN or self.has_pictures:
            return []
        same = (one for one in self.answers if (one.digest, one.asked) == (own.digest, own.asked))
        return [one for one in same if one.grade != own.grade]

    @property
    def members(self) -> list[dict[str, Any]]:
        """What the page needs to give this student and those of `alike` the same score and comment."""
        return [
            {"grade": one.grade, "comment": one.comment, "extra": one.extra, "waits": one.waits}
            for one in (self.own, *self.alike)
            if one is not None
        ]


class CleanMarkdown(NbGraderPreprocessor):  # type: ignore[misc]
    """Replaces the text of a markdown cell by its cleaned HTML."""

    course = Unicode("", help="The course's folder.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Clean all cells, and escape the student's name, which the page shows as it stands here."""
        for key in ("student", "last_name", "first_name"):
            if isinstance(resources.get(key), str):
                resources[key] = escape(resources[key])
        self._allowance = Allowance()  # of the whole page
        around = [["", ""] for _ in nb.cells]
        try:
            if self.course:
                lay_out(load_course(Path(self.course)), nb, resources, around)
        except AutograderError as error:  # of an author; answers can be read all the same
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
        """Clean one cell; raw cells, which would be shown as HTML, become empty."""
        if cell.cell_type == "markdown":
            cleaned = render_markdown(cell, self._allowance, "mathml")
            cell.source = f"<div>{cleaned}</div>".translate(_AS_HTML)
        elif cell.cell_type == "raw":
            cell.source = ""
        return cell, resources


def lay_out(course: Course, node: NotebookNode, resources: Resources, around: list[list[str]]) -> None:
    """Write the HTML that comes before and after each cell; cells that no grader is asked about are folded.

    Where nobody is asked anything, nothing is folded.
    """
    (exercise,) = course.chosen([resources["assignment_id"]])
    with Gradebook(database(course), course.settings.course) as gradebook:
        asked = list(_asked(course, exercise, node, gradebook, resources))
    for one in asked:
        around[one.places[0]][0] += _rendered("question", one)
        around[one.places[-1]][1] += _rendered("tools", one)
    unfolded = {place for one in asked for place in one.places} | set(_own_texts(exercise, node))
    borders = [-1, *sorted(unfolded), len(node.cells)]
    for before, after in pairwise(borders if asked else ()):
        if (count := after - before - 1) > 0:
            around[before + 1][0] += _rendered("fold", count)
            around[after - 1][1] += _rendered("end of fold", count)


def _rendered(part: str, it: "Asked | int | str") -> Markup:
    own = {
        "markdown": lambda text: render_markdown(v4.new_markdown_cell(text), Allowance(), "mathml"),
        "code": lambda text: render_code(text, Allowance()),
        "text": render_text,
    }
    return render_template(_PAGE, part=part, it=it, **own)


def _asked(
    course: Course, exercise: Exercise, node: NotebookNode, gradebook: Gradebook, resources: Resources
) -> Iterator[Asked]:
    """Yield the questions that a person grades or has graded, in the notebook's order."""
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
        own = next(one for one in answers if one.submission == submission.id)
        is_unreadable = report is not None and report.status is Status.UNREADABLE
        if own.asked or (not is_unreadable and (is_written or own.waits)):
            places = [n for n, known in enumerate(names) if source.name in (known, checked_question(known))]
            hint = _hint(report, source.name)
            yield Asked(
                source, text_above(exercise.cells[:place]), places, _reason(own, hint),
                _tested(report, source.name),
                [] if is_written else _lines(exercise, node, source.name, hint),
                answers, own, bank.comments(exercise.name, source.name) if bank else {}, problem,
                any("attachment:" in node.cells[n].source for n in places),
            )  # fmt: skip


def _answers(gradebook: Gradebook, cell: str, commented: str | None) -> list[Given]:
    """Return what the gradebook has on all students' answers to the question with these cells."""
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
    return [Given(*row) for row in query]


def text_above(cells: Sequence[Cell]) -> str:
    """Return the text that asks the question after these cells: the last one, from its last heading on."""
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
        return f"This student's file {words}All questions have 0 points. Save a score here to confirm them."
    hints = (one.hint for one in report.questions if one.name == question) if report else ()
    hint = next(filter(None, hints), "") or (report.message if report else "")
    return _FOR_STUDENTS.sub("", hint)


def _tested(report: Report | None, question: str) -> QuestionReport | None:
    """Return the report on a question that tests grade, in a file that could be read."""
    if report is None or report.status is Status.UNREADABLE:
        return None
    return next((one for one in report.questions if one.name == question and one.tests), None)


def _reason(own: Given, hint: str) -> str:
    """Return why an instructor has to look; nothing for a written answer that was never graded."""
    if own.waits and own.score is not None:
        return _REASONS[""]
    if own.asked in (None, "", _WRITTEN):
        return ""
    return _REASONS.get(own.asked, "") or hint or f"The autograder says: {own.asked}."


def _lines(exercise: Exercise, node: NotebookNode, question: str, hint: str) -> list[tuple[str, str]]:
    """Return the lines of the cells on which an answer rests that spell what a report names.

    If none of these does, return those of all the student's code: some words count wherever they stand.
    """
    found = _FOUND.search(hint)
    if found is None:
        return []
    spelt = re.compile(rf"(?<!\w){re.escape(found[1] or found[2])}(?!\w)")
    given = exercise.given | {cell.text for cell in exercise.cells if cell.role is Role.CHECK}
    cells = [(place, cell.source) for place, cell in enumerate(node.cells, 1) if cell.cell_type == "code"]
    own = [(place, code) for place, code in cells if code not in given]
    rests = {piece.at for piece in rests_on(question, list(pieces(code for _, code in own)))[0]}
    lines = [
        (at in rests, f"cell {place}, line {number}", line)
        for at, (place, code) in enumerate(own)
        for number, line in enumerate(code.split("\n"), 1)
        if spelt.search(line)
    ]
    best = max((is_own for is_own, *_ in lines), default=False)
    return [(place, line) for is_own, place, line in lines if is_own is best][:_MAX_LINES]


def _own_texts(exercise: Exercise, node: NotebookNode) -> Iterator[int]:
    """Yield the places of the text cells that the student added, one of which may be an answer."""
    given = {"".join(cell["source"]).strip() for cell in build_notebook(exercise)["cells"]}
    for place, cell in enumerate(node.cells):
        is_own = "nbgrader" not in cell.metadata and cell.source.strip() not in given
        if cell.cell_type == "markdown" and is_own:
            yield place


def get_students(api: NbGraderAPI) -> list[dict[str, Any]]:
    """Return what nbgrader knows of each student; students.csv or the id tells names that it does not know.

    Who has handed in, but was never graded, is not in the gradebook yet, and the formgrader's lists would
    call all of these "None, None".
    """
    students: list[dict[str, Any]] = _known_students(api)
    people = dict[str, Student]()
    with suppress(UsageError):  # which grading tells
        people = listed_by_id(Path(api.coursedir.root))
    for student in students:
        known = student["last_name"], student["first_name"]
        if known == (None, None):
            known = people.get(student["id"], Student(student["id"], (f"{student['id']},",))).parts
        student["last_name"], student["first_name"] = known[0] or "", known[1] or ""
    return students


def install_hooks() -> None:
    """Change what nbgrader has no settings for: its lists show names, and the record keeps who saves a score.

    The formgrader's first page then does not warn that nbgrader's exchange is missing.
    """
    NbGraderAPI.get_students = get_students
    record_saves()
    hide_exchange_warning()


def hide_exchange_warning() -> None:
    """Leave out the formgrader's warning that there is no exchange: a course works without it.

    The list of assignments has no buttons for the exchange then, with or without the warning.
    """
    if (handlers := sys.modules.get("nbgrader.server_extensions.formgrader.handlers")) is None:
        return

    def render(handler: Any, name: str, **values: Any) -> Any:
        return handlers.BaseHandler.render(handler, name, **{**values, "exchange_missing": False})

    handlers.ManageAssignmentsHandler.render = render


def is_served() -> bool:
    """Whether this process is a server with the formgrader; other programs do not load its handlers."""
    return "nbgrader.server_extensions.formgrader.handlers" in sys.modules


def record_saves() -> None:
    """Let the formgrader's server keep who saves a score and when; other programs have no handlers."""
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
    """Return the name by which JupyterHub knows a user, or else the login name: a token is nobody's."""
    name = getattr(user, "username", None)
    if not name or str(getattr(user, "name", "")).startswith("Anonymous "):
        name = os.environ.get("JUPYTERHUB_USER")
    with suppress(OSError, KeyError):  # a container may have a user without a name
        name = name or getuser()
    return str(name or f"user {os.getuid()}")
