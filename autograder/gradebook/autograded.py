"""Makes the notebook that nbgrader gets to see: the student's cells, with the exercise's metadata."""

import json
from copy import deepcopy
from typing import Any

from nbformat import NotebookNode, v4
from nbformat.v4.rwbase import split_lines, strip_transient

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import check_id
from autograder.gradebook.assignment import released
from autograder.report.text import is_picture
from autograder.submission.digest import rules
from autograder.submission.matching import RestoredCell, restore, seems_to_define
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError

# As nbformat writes notebooks.
_WRITING: dict[str, Any] = {"indent": 1, "sort_keys": True, "separators": (",", ": "), "ensure_ascii": False}
_MISSING_ID = "missing-"
_MISSING = "This cell was missing from the submission. It has been put back as it was released."


class Release:
    """An exercise as students get it, and a digest of the rules by which their answers are graded."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self.rules = rules(course, exercise)
        self._exercise = exercise
        self._node = released(exercise)
        graded = [cell for cell in self._node.cells if "nbgrader" in cell.metadata]
        self._graded = {cell.metadata.nbgrader.grade_id: cell for cell in graded}
        self._texts = {cell.source for cell in self._node.cells if "nbgrader" not in cell.metadata}
        self._given = {cell.source.strip() for cell in self._node.cells}

    def restored(self, notebook: Notebook) -> NotebookNode:
        """Return the submitted notebook with every graded cell, or the release if the file is unreadable."""
        try:
            submitted = notebook.cells
        except UnreadableError as error:
            node = deepcopy(self._node)
            unread = f"**The submitted file could not be read: {error}.**"
            note = f"{unread} What follows is the exercise as released."
            node.cells.insert(0, v4.new_markdown_cell(note, id="unreadable"))
            return node
        restored = restore(self._exercise.cells, submitted, self._still_there(submitted), self._texts)
        cells = [self._cell(cell) for cell in restored]
        return NotebookNode({**self._node, "metadata": deepcopy(self._node.metadata), "cells": cells})

    def has_own_text(self, node: NotebookNode) -> bool:
        """Whether the student added text cells: one of them may hold an answer."""
        texts = [c for c in node.cells if c.cell_type == "markdown" and "nbgrader" not in c.metadata]
        return any(cell.source.strip() not in self._given for cell in texts)

    def answers(self, node: NotebookNode) -> dict[str, str]:
        """Return the student's answer to each question in a restored notebook, by its graded cell's name.

        For a tested question it is the code that defines it. For a written one it is its cell, or the text
        around the cell where that is untouched. A cell that had to be put back is no answer.
        """
        own = [cell for cell in node.cells if cell.cell_type == "code" and "nbgrader" not in cell.metadata]
        found = {}
        for cell in (cell for cell in node.cells if "nbgrader" in cell.metadata):
            about, text = cell.metadata["nbgrader"], "" if cell.id.startswith(_MISSING_ID) else cell.source
            name = about["grade_id"]
            if about["solution"] and not about["grade"]:
                others = [other.source for other in own if seems_to_define(other.source, name)]
                found[check_id(name)] = "\0".join([text, *others])
            elif about["solution"] and name in self._graded:
                untouched = text.strip() in ("", self._graded[name].source.strip())
                found[name] = self._text_around(node, cell) if untouched else text
        return found

    def _text_around(self, node: NotebookNode, cell: NotebookNode) -> str:
        """Return the student's own text between the graded cells before and after `cell`."""
        graded = [index for index, other in enumerate(node.cells) if "nbgrader" in other.metadata]
        place = next(index for index in graded if node.cells[index] is cell)
        first = max((index for index in graded if index < place), default=-1) + 1
        last = min((index for index in graded if index > place), default=len(node.cells))
        texts = [other.source for other in node.cells[first:last] if other.cell_type == "markdown"]
        return "\0".join(text for text in texts if text.strip() not in self._given)

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


def _put_back(cell: NotebookNode) -> NotebookNode:
    """Return a released cell; where a comment changes nothing, it says that the cell was missing."""
    about = cell.metadata.nbgrader
    note = f"# {_MISSING}\n" if about.solution and not about.grade else ""
    return NotebookNode(deepcopy(cell), source=note + cell.source, id=f"{_MISSING_ID}{about.grade_id}"[:64])


def written(node: NotebookNode) -> str:
    """Return the text of a restored notebook's file, as `nbformat.writes` does, which first copies it."""
    return f"{json.dumps(strip_transient(split_lines(node)), **_WRITING)}\n"
