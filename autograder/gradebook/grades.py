"""Writes a report's scores and comments into nbgrader's rows, and renders the graded notebook.

A digest of each answer is stored. So an instructor's score stays valid until the answer changes.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from typing import Any

import nbformat
from nbformat import NotebookNode, from_dict, v4
from nbformat.v4.rwbase import rejoin_lines
from nbgrader import utils
from nbgrader.api import Grade, SubmittedAssignment
from nbgrader.preprocessors import ClearSolutions, ComputeChecksums, LockCells
from sqlalchemy.orm import Session

from autograder.course.code import code_parts, dependencies
from autograder.course.exercise import Exercise
from autograder.course.names import check_id
from autograder.course.notebook import build_notebook, is_rubric, to_json
from autograder.gradebook.rows import by_cell
from autograder.grading.graded import CellResult, Output
from autograder.records.reports import Outputs
from autograder.records.tables import ANSWERS, replace_rows
from autograder.report.report import (
    QuestionReport,
    Report,
    Status,
    Verdict,
    choose_badge,
    describe_unreadable,
)
from autograder.report.safe_html import Allowance, render_html
from autograder.report.text import clean_text, is_picture, printable
from autograder.submission.matching import RestoredCell, in_exercise_form, restore
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError
from autograder.submission.submission import Submission

_MISSING_ID = "missing-"
_MISSING = "This cell was missing from the submission. It has been put back as it was released."
_NEED_REVIEW = (Verdict.REVIEW, Verdict.GRADER_ERROR)
_NO_RESPONSE = "No response."
# Replaces characters that would act as Markdown or HTML. nbgrader renders comments as Markdown, and hints in
# comments quote students' error messages.
_PLAIN = str.maketrans({"<": "\u2039", ">": "\u203a", "[": "\uff3b", "]": "\uff3d", "`": "'"})


def released(exercise: Exercise) -> NotebookNode:
    """Return the released notebook, with nbgrader's checksums."""
    node = nbformat.reads(to_json(build_notebook(exercise)), as_version=4)
    resources: dict[str, str] = {}
    for step in (LockCells(), ClearSolutions(), ComputeChecksums()):
        node, resources = step.preprocess(node, resources)
    return node


class Release:
    """The released notebook of an exercise. Cells that a submission lacks are restored from this notebook."""

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._node = released(exercise)
        graded = [cell for cell in self._node.cells if "nbgrader" in cell.metadata]
        self._graded = {cell.metadata.nbgrader.grade_id: cell for cell in graded}
        self._texts = {cell.source for cell in self._node.cells if "nbgrader" not in cell.metadata}
        self._given = {cell.source.strip() for cell in self._node.cells}

    def restored(self, notebook: Notebook) -> NotebookNode:
        """Return the submitted notebook, in which missing graded cells are restored.

        If the submitted file is unreadable, return the released notebook with a note.
        """
        try:
            submitted = in_exercise_form(self._exercise.cells, notebook.cells)
        except UnreadableError as error:
            node = deepcopy(self._node)
            unread = f"**The submitted file {describe_unreadable(str(error))}**"
            note = f"{unread} What follows is the exercise as released."
            node.cells.insert(0, v4.new_markdown_cell(note, id="unreadable"))
            return node
        restored = restore(self._exercise.cells, submitted, self._numbers_by_grade_id(submitted), self._texts)
        cells = [self._cell(cell) for cell in restored]
        return NotebookNode({**self._node, "metadata": deepcopy(self._node.metadata), "cells": cells})

    def has_own_text(self, node: NotebookNode) -> bool:
        """Whether the student added text cells. One of them may be an answer."""
        texts = [c for c in node.cells if c.cell_type == "markdown" and "nbgrader" not in c.metadata]
        return any(self._is_own(cell.source) for cell in texts)

    def _is_own(self, text: str) -> bool:
        return text.strip() not in self._given and not is_rubric(text)

    def answers(self, node: NotebookNode) -> dict[str, str]:
        """Return the student's answers in a restored notebook, by the name of the question's graded cell.

        The answer to a tested question is the question's cell and the cells on which its code depends. The
        answer to a written question is the question's cell. If the student has not changed this cell, the
        answer is the student's text around the cell. Attached pictures belong to a written answer. The text
        of a restored cell is not an answer.
        """
        codes = [cell for cell in node.cells if cell.cell_type == "code" and cell.source not in self._given]
        every_part = code_parts(cell.source for cell in codes)
        answers = {}
        for cell in (cell for cell in node.cells if "nbgrader" in cell.metadata):
            about, text = cell.metadata["nbgrader"], "" if cell.id.startswith(_MISSING_ID) else cell.source
            name = about["grade_id"]
            if about["solution"] and not about["grade"]:
                indices = sorted({part.at for part in dependencies(name, every_part)[0]})
                others = (codes[index].source for index in indices if codes[index] is not cell)
                answers[check_id(name)] = "\0".join([text, *others])
            elif about["solution"] and name in self._graded:
                is_unchanged = text.strip() in ("", self._graded[name].source.strip())
                answers[name] = self._text_around(node, cell) if is_unchanged else _with_pictures(cell, text)
        return answers

    def _text_around(self, node: NotebookNode, cell: NotebookNode) -> str:
        """Return the student's own text between the graded cells before and after `cell`."""
        graded = [index for index, other in enumerate(node.cells) if "nbgrader" in other.metadata]
        position = next(index for index in graded if node.cells[index] is cell)
        first = max((index for index in graded if index < position), default=-1) + 1
        last = min((index for index in graded if index > position), default=len(node.cells))
        texts = [other for other in node.cells[first:last] if other.cell_type == "markdown"]
        return "\0".join(_with_pictures(other, other.source) for other in texts if self._is_own(other.source))

    def _numbers_by_grade_id(self, submitted: tuple[NotebookCell, ...]) -> dict[str, int]:
        """Map the grade_id of a released cell to the number of the submitted cell with the same cell id."""
        numbers = {cell.id: cell.number for cell in reversed(submitted) if cell.id}
        return {name: numbers[cell.id] for name, cell in self._graded.items() if cell.id in numbers}

    def _cell(self, restored: RestoredCell) -> NotebookNode:
        graded = None if restored.graded is None else self._graded[restored.graded.grade_id]
        submitted = restored.submitted
        if submitted is None:
            return _put_back(graded)
        source = graded.source if graded is not None and graded.metadata.nbgrader.locked else submitted.text
        # nbformat's own functions are slow: they validate each cell against a schema.
        cell = NotebookNode(cell_type=submitted.kind, id=f"cell-{submitted.number}", source=source)
        cell.metadata = NotebookNode()
        if submitted.kind == "code":
            cell.update(execution_count=None, outputs=[])
        if graded is not None:
            cell.metadata["nbgrader"] = deepcopy(graded.metadata.nbgrader)
        # A locked cell is shown as released. If the student edited the cell, the cell's output is left out.
        if source.strip() == submitted.text.strip():
            cell.metadata["autograder"] = {"number": submitted.number}
        if pictures := {name: {"image/png": png} for name, png in submitted.attachments if is_picture(png)}:
            cell.attachments = pictures
        return cell


def _with_pictures(cell: NotebookNode, text: str) -> str:
    pictures = cell.get("attachments", {})
    return "\0".join([text, *(f"{name} {pictures[name]}" for name in sorted(pictures))])


def _put_back(cell: NotebookNode) -> NotebookNode:
    """Return a released cell that the submission lacks. In a code cell for an answer, add a note."""
    about = cell.metadata.nbgrader
    note = f"# {_MISSING}\n" if about.solution and not about.grade else ""
    return NotebookNode(deepcopy(cell), source=note + cell.source, id=f"{_MISSING_ID}{about.grade_id}"[:64])


def enter_scores(
    store: Session,
    row: SubmittedAssignment,
    release: Release,
    node: NotebookNode,
    notebook: Notebook,
    report: Report,
) -> None:
    """Write the report's scores and comments into nbgrader's rows. Instructors' scores and comments stay.

    `node` is the graded notebook. If the autograder failed on a question, its earlier score stays.
    """
    grades, comments = by_cell(row)
    questions = _graded_questions(node, report)
    ids = [grades[name].id for name in questions]
    former_answers = {
        answer.grade_id: answer
        for answer in store.execute(ANSWERS.select().where(ANSWERS.c.grade_id.in_(ids)))
    }
    texts, has_own_text = release.answers(node), release.has_own_text(node)
    answers = []
    for name, question in questions.items():
        grade, reason = grades[name], _review_reason(report, question, has_own_text=has_own_text)
        is_unreadable = report.status is Status.UNREADABLE
        digest = notebook.digest if is_unreadable else hashlib.sha256(texts[name].encode()).hexdigest()
        answer = {"grade_id": grade.id, "digest": digest, "asked": reason}
        grade.needs_manual_grade = _needs_review(grade, question.score, answer, former_answers.get(grade.id))
        if reason != Verdict.GRADER_ERROR or grade.auto_score is None:
            grade.auto_score = question.score
        comments[question.name].auto_comment = comment(report, question) or None
        answers.append(answer)
    replace_rows(store, ANSWERS, answers)


def _graded_questions(node: NotebookNode, report: Report) -> dict[str, QuestionReport]:
    """Return the report's questions by the names of their graded cells.

    A written answer that the student has not changed scores 0.
    """
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in node.cells if utils.is_grade(cell)}
    questions = {}
    for question in report.questions:
        if question.verdict is Verdict.UNGRADED:
            score, _ = utils.determine_grade(cells[question.name])
            questions[question.name] = replace(question, score=score)
        else:
            questions[check_id(question.name)] = question
    return questions


def _review_reason(report: Report, question: QuestionReport, *, has_own_text: bool) -> str:
    """Return the reason why an instructor has to check an answer, or "".

    Text cells that the student added may answer a written question whose own cell is unchanged. An unreadable
    file has to be checked only once, so only the first question of the exercise gets a reason.
    """
    if report.status is Status.UNREADABLE:
        return str(report.status) if question.name == report.questions[0].name else ""
    if question.verdict is not Verdict.UNGRADED:
        return str(question.verdict) if question.verdict in _NEED_REVIEW else ""
    if question.score is None:
        return "written"
    return "own text" if has_own_text else ""


def _needs_review(grade: Grade, score: float | None, answer: Mapping[str, str], former_answer: Any) -> bool:
    """Whether an instructor has to check an answer, considering earlier scores and checks.

    An instructor's score stays valid until the student's answer to this question changes. Other answers,
    tests and dates do not matter. An answer that waits for an instructor continues to wait.
    """
    is_same = former_answer is not None and former_answer.digest == answer["digest"]
    if grade.manual_score is not None:
        return bool(grade.needs_manual_grade) or not is_same
    if grade.extra_credit is not None and not is_same:
        return True
    is_checked = is_same and former_answer.asked == answer["asked"] and not grade.needs_manual_grade
    return bool(answer["asked"]) and not (is_checked and score is not None)


def render(release: Release, notebook: Notebook, outputs: Outputs) -> NotebookNode:
    """Return the graded notebook: the restored submission with the outputs of its cells."""
    node = release.restored(notebook)
    for cell in node.cells:
        number = cell.metadata.pop("autograder", {}).get("number")
        if cell.cell_type == "code" and number in outputs:
            cell.outputs = [from_dict(output) for output in outputs[number]]
    return node


def read_graded(submission: Submission) -> NotebookNode:
    """Return the graded notebook of a submission, or an empty node if it is missing or damaged."""
    with suppress(OSError, ValueError, AttributeError):
        if isinstance(notebook := json.loads(submission.autograded.read_bytes()), dict):
            return rejoin_lines(from_dict(notebook))
    return NotebookNode()


def outputs_of(results: Mapping[int, CellResult]) -> Outputs:
    """Return the outputs of each cell, without content that a browser could execute."""
    allowance = Allowance()
    return {number: list(_outputs(result, allowance)) for number, result in results.items()}


def comment(report: Report, question: QuestionReport) -> str:
    """Return the autograder's comment on a question: its result, a hint, and the tests that did not pass.

    A written answer gets a comment only if the student wrote nothing.
    """
    if report.status is Status.UNREADABLE:
        text = f"This file {describe_unreadable(report.message)}"
    elif question.verdict is Verdict.UNGRADED:
        return "" if question.score is None else _NO_RESPONSE
    else:
        failed = (test for test in question.tests if test.verdict is not Verdict.PASSED)
        result = choose_badge(question.verdict, question.score, question.max_score)
        lines = [f"{result.capitalize()}.", question.halves_in_words, question.hint]
        lines += [f"- {test.verdict}: {test.title}" for test in failed]
        text = "\n".join(line for line in lines if line)
    return printable(text).translate(_PLAIN)


def _outputs(result: CellResult, allowance: Allowance) -> Iterator[dict[str, Any]]:
    for output in result.outputs:
        if output.stream:
            yield {"output_type": "stream", "name": output.stream, "text": clean_text(output.text)}
        elif forms := _forms(output, allowance):
            yield {"output_type": "display_data", "metadata": {}, "data": forms}
    if result.error is not None:
        name, message = clean_text(result.error.type), clean_text(result.error.message)
        line = f"{name}: {message}" if message else name
        yield {"output_type": "error", "ename": name, "evalue": message, "traceback": [line]}


def _forms(output: Output, allowance: Allowance) -> dict[str, str]:
    """Return the representations of a displayed object that are safe in a browser, by media type."""
    harmless = {}
    for kind, form in output.data:
        if kind == "text/plain":
            harmless[kind] = clean_text(form)
        elif kind == "text/html":
            harmless[kind] = str(render_html(form, allowance))
        elif kind == "image/png" and is_picture(form):
            harmless[kind] = form
    return harmless
