"""Turns a report into scores and comments for nbgrader's rows, and renders the graded notebook.

The digest of each answer is stored, so that regrading asks an instructor only about new answers.
"""

import hashlib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import nbformat
from nbformat import NotebookNode, from_dict, v4
from nbgrader import utils
from nbgrader.api import Grade, SubmittedAssignment
from nbgrader.preprocessors import ClearSolutions, ComputeChecksums, LockCells
from sqlalchemy.orm import Session

from autograder.course.code import pieces, rests_on
from autograder.course.exercise import Exercise
from autograder.course.names import check_id, checked_question
from autograder.course.notebook import build_notebook, is_rubric, to_json
from autograder.gradebook.rows import by_cell
from autograder.grading.graded import CellResult, Output
from autograder.records.reports import Outputs
from autograder.records.tables import ANSWERS, replace_rows
from autograder.report.report import QuestionReport, Report, Status, Verdict, describe_unreadable, standing
from autograder.report.safe_html import Allowance, render_html
from autograder.report.text import clean_text, is_picture, printable
from autograder.submission.matching import RestoredCell, in_exercise_form, restore
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError

_MISSING_ID = "missing-"
_MISSING = "This cell was missing from the submission. It has been put back as it was released."
_FOR_A_PERSON = (Verdict.REVIEW, Verdict.GRADER_ERROR)
_NO_RESPONSE = "No response."
# Hints quote the student's own error messages, and nbgrader renders comments as markdown with HTML.
_PLAIN = str.maketrans({"<": "\u2039", ">": "\u203a", "[": "\uff3b", "]": "\uff3d", "`": "'"})


def released(exercise: Exercise) -> NotebookNode:
    """Return the notebook that students get, with nbgrader's checksums."""
    node = nbformat.reads(to_json(build_notebook(exercise)), as_version=4)
    resources: dict[str, str] = {}
    for step in (LockCells(), ClearSolutions(), ComputeChecksums()):
        node, resources = step.preprocess(node, resources)
    return node


class Release:
    """An exercise as students get it, with which submitted notebooks are made whole."""

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._node = released(exercise)
        graded = [cell for cell in self._node.cells if "nbgrader" in cell.metadata]
        self._graded = {cell.metadata.nbgrader.grade_id: cell for cell in graded}
        self._texts = {cell.source for cell in self._node.cells if "nbgrader" not in cell.metadata}
        self._given = {cell.source.strip() for cell in self._node.cells}

    def restored(self, notebook: Notebook) -> NotebookNode:
        """Return the submitted notebook with every graded cell, or the release if the file is unreadable."""
        try:
            submitted = in_exercise_form(self._exercise.cells, notebook.cells)
        except UnreadableError as error:
            node = deepcopy(self._node)
            unread = f"**The submitted file {describe_unreadable(str(error))}**"
            note = f"{unread} What follows is the exercise as released."
            node.cells.insert(0, v4.new_markdown_cell(note, id="unreadable"))
            return node
        restored = restore(self._exercise.cells, submitted, self._still_there(submitted), self._texts)
        cells = [self._cell(cell) for cell in restored]
        return NotebookNode({**self._node, "metadata": deepcopy(self._node.metadata), "cells": cells})

    def has_own_text(self, node: NotebookNode) -> bool:
        """Whether the student added text cells: one of them may hold an answer."""
        texts = [c for c in node.cells if c.cell_type == "markdown" and "nbgrader" not in c.metadata]
        return any(self._is_own(cell.source) for cell in texts)

    def _is_own(self, text: str) -> bool:
        """Whether a text cell is the student's own, rather than released with this exercise."""
        return text.strip() not in self._given and not is_rubric(text)

    def answers(self, node: NotebookNode) -> dict[str, str]:
        """Return the student's answer to each question in a restored notebook, by its graded cell's name.

        For a tested question it is its cell, and the others on which its code rests. For a written one it is
        its cell, or the text around the cell where that is untouched, with pictures. A cell that had to be
        put back is no answer.
        """
        codes = [cell for cell in node.cells if cell.cell_type == "code" and cell.source not in self._given]
        every = pieces(cell.source for cell in codes)
        found = {}
        for cell in (cell for cell in node.cells if "nbgrader" in cell.metadata):
            about, text = cell.metadata["nbgrader"], "" if cell.id.startswith(_MISSING_ID) else cell.source
            name = about["grade_id"]
            if about["solution"] and not about["grade"]:
                others = (codes[at] for at in sorted({piece.at for piece in rests_on(name, every)[0]}))
                found[check_id(name)] = "\0".join([text, *(one.source for one in others if one is not cell)])
            elif about["solution"] and name in self._graded:
                untouched = text.strip() in ("", self._graded[name].source.strip())
                found[name] = self._text_around(node, cell) if untouched else _with_pictures(cell, text)
        return found

    def _text_around(self, node: NotebookNode, cell: NotebookNode) -> str:
        """Return the student's own text between the graded cells before and after `cell`."""
        graded = [index for index, other in enumerate(node.cells) if "nbgrader" in other.metadata]
        place = next(index for index in graded if node.cells[index] is cell)
        first = max((index for index in graded if index < place), default=-1) + 1
        last = min((index for index in graded if index > place), default=len(node.cells))
        texts = [other for other in node.cells[first:last] if other.cell_type == "markdown"]
        own = (other for other in texts if self._is_own(other.source))
        return "\0".join(_with_pictures(other, other.source) for other in own)

    def _still_there(self, submitted: tuple[NotebookCell, ...]) -> dict[str, int]:
        """Return the numbers of the submitted cells that still have a graded cell's id, by its grade_id."""
        numbers = {cell.id: cell.number for cell in reversed(submitted) if cell.id}
        return {name: numbers[cell.id] for name, cell in self._graded.items() if cell.id in numbers}

    def _cell(self, restored: RestoredCell) -> NotebookNode:
        graded = None if restored.graded is None else self._graded[restored.graded.grade_id]
        submitted = restored.submitted
        if submitted is None:
            return _put_back(graded)
        source = graded.source if graded is not None and graded.metadata.nbgrader.locked else submitted.text
        # nbformat's own functions would hold each cell against a schema.
        cell = NotebookNode(cell_type=submitted.kind, id=f"cell-{submitted.number}", source=source)
        cell.metadata = NotebookNode()
        if submitted.kind == "code":
            cell.update(execution_count=None, outputs=[])
        if graded is not None:
            cell.metadata["nbgrader"] = deepcopy(graded.metadata.nbgrader)
        if (
            source.strip() == submitted.text.strip()
        ):  # the output of an edited check is not the released one's
            cell.metadata["autograder"] = {"number": submitted.number}
        if pictures := {name: {"image/png": png} for name, png in submitted.attachments if is_picture(png)}:
            cell.attachments = pictures
        return cell


def _with_pictures(cell: NotebookNode, text: str) -> str:
    pictures = cell.get("attachments", {})
    return "\0".join([text, *(f"{name} {pictures[name]}" for name in sorted(pictures))])


def _put_back(cell: NotebookNode) -> NotebookNode:
    """Return a released cell; where a comment changes nothing, it says that the cell was missing."""
    about = cell.metadata.nbgrader
    note = f"# {_MISSING}\n" if about.solution and not about.grade else ""
    return NotebookNode(deepcopy(cell), source=note + cell.source, id=f"{_MISSING_ID}{about.grade_id}"[:64])


@dataclass(frozen=True, slots=True)
class Judged:
    """What grading says on one graded cell."""

    score: float | None
    comment: str | None
    asked: str  # why an instructor has to look; empty where nobody has to
    digest: str  # of the student's answer to this very question


def enter_scores(store: Session, row: SubmittedAssignment, judged: Mapping[str, Judged]) -> None:
    """Put scores and comments into nbgrader's rows; what a person has written stays."""
    grades, comments = by_cell(row)
    ids = [grades[name].id for name in judged]
    answers = {
        answer.grade_id: answer
        for answer in store.execute(ANSWERS.select().where(ANSWERS.c.grade_id.in_(ids)))
    }
    for name, answer in judged.items():
        grade = grades[name]
        grade.needs_manual_grade = _needs_person(grade, answer, answers.get(grade.id))
        if answer.asked != Verdict.GRADER_ERROR or grade.auto_score is None:
            grade.auto_score = answer.score  # after a failure of ours, an earlier score stays
        comments[checked_question(name) or name].auto_comment = answer.comment
    rows = [{"grade_id": grades[name].id, "digest": a.digest, "asked": a.asked} for name, a in judged.items()]
    replace_rows(store, ANSWERS, rows)


def render(release: Release, notebook: Notebook, outputs: Outputs) -> NotebookNode:
    """Return the graded notebook, in which each cell has its outputs by its number in the submission."""
    node = release.restored(notebook)
    for cell in node.cells:
        number = cell.metadata.pop("autograder", {}).get("number")
        if cell.cell_type == "code" and number in outputs:
            cell.outputs = [from_dict(output) for output in outputs[number]]
    return node


def outputs_of(results: Mapping[int, CellResult]) -> Outputs:
    """Return what each cell showed, without what could run in a page."""
    allowance = Allowance()
    return {number: list(_outputs(result, allowance)) for number, result in results.items()}


def _needs_person(grade: Grade, judged: Judged, before: Any) -> bool:
    """Whether an instructor has to look at a question, after what one may have decided before.

    What a person gave stays confirmed until the student's answer to this question changes, whatever else
    has: other answers, tests, dates. What waits for a person goes on waiting.
    """
    same = before is not None and before.digest == judged.digest
    if grade.manual_score is not None:
        return bool(grade.needs_manual_grade) or not same
    if grade.extra_credit is not None and not same:
        return True
    settled = before is not None and same and before.asked == judged.asked and not grade.needs_manual_grade
    return bool(judged.asked) and not (settled and judged.score is not None)


def judge(release: Release, node: NotebookNode, notebook: Notebook, report: Report) -> dict[str, Judged]:
    """Return score and comment for each graded cell; a written answer that was never begun is worth 0.

    Where the student added text cells, one of them may be the written answer, so a person looks at it. An
    unreadable file is worth 0, and an instructor looks at it once, as the answer to the first question.
    """
    if report.status is Status.UNREADABLE:
        return _judge_unreadable(release, node, notebook, report)
    answers = {
        name: hashlib.sha256(text.encode()).hexdigest() for name, text in release.answers(node).items()
    }
    judged = {}
    for question in report.questions:
        if question.verdict is not Verdict.UNGRADED:
            asked = str(question.verdict) if question.verdict in _FOR_A_PERSON else ""
            name = check_id(question.name)
            judged[name] = Judged(question.score, comment(report, question), asked, answers[name])
    own_text = "own text" if release.has_own_text(node) else ""
    for cell in (cell for cell in node.cells if utils.is_grade(cell) and utils.is_solution(cell)):
        name, (score, _) = cell.metadata.nbgrader.grade_id, utils.determine_grade(cell)
        asked = own_text if score is not None else "written"
        judged[name] = Judged(score, _NO_RESPONSE if score == 0 else None, asked, answers[name])
    return judged


def _judge_unreadable(
    release: Release, node: NotebookNode, notebook: Notebook, report: Report
) -> dict[str, Judged]:
    cells = release.answers(node).keys()
    names = [one.name if one.name in cells else check_id(one.name) for one in report.questions]
    words = comment(report, report.questions[0])
    return {
        name: Judged(0.0, words, "" if place else str(report.status), notebook.digest)
        for place, name in enumerate(names)
    }


def comment(report: Report, question: QuestionReport) -> str:
    """Return how `question` stands, a hint, and the titles of the tests that did not pass."""
    if report.status is Status.UNREADABLE:
        text = f"This file {describe_unreadable(report.message)}"
    else:
        failed = (test for test in question.tests if test.verdict is not Verdict.PASSED)
        stands = standing(question.verdict, question.score, question.max_score)
        lines = [f"{stands.capitalize()}.", question.halves_in_words, question.hint]
        lines += [f"- {test.verdict}: {test.title}" for test in failed]
        text = "\n".join(line for line in lines if line)
    return printable(text).translate(_PLAIN)


def _outputs(result: CellResult, allowance: Allowance) -> Iterator[dict[str, Any]]:
    """Yield what a cell has shown; it is validated once, with the whole notebook."""
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
    """Return those forms of a shown object that can be looked at without harm."""
    kept = {}
    for kind, form in output.data:
        if kind == "text/plain":
            kept[kind] = clean_text(form)
        elif kind == "text/html":
            kept[kind] = str(render_html(form, allowance))
        elif kind == "image/png" and is_picture(form):
            kept[kind] = form
    return kept
