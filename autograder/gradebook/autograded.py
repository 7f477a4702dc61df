"""The notebook that nbgrader gets to see: the student's cells, with the exercise's metadata."""

from collections.abc import Mapping
from copy import deepcopy

from nbformat import NotebookNode, v4

from autograder.course.exercise import Exercise
from autograder.gradebook.assignment import released
from autograder.report.text import is_picture
from autograder.submission.matching import RestoredCell, restore
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError

_MISSING = "This cell was missing from the submission. It has been put back as it was released."
_PICTURE = "image/png"


class Release:
    """An exercise as students get it, and what they hand in made whole by it."""

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._node = released(exercise)
        cells = self._node.cells
        self._graded = {
            cell.metadata.nbgrader.grade_id: cell for cell in cells if "nbgrader" in cell.metadata
        }
        self._texts = {cell.source for cell in cells if "nbgrader" not in cell.metadata}
        self._given = {cell.source.strip() for cell in cells}

    def restored(self, notebook: Notebook) -> NotebookNode:
        """Return the notebook made whole; for a file that is none, the release with a word on it."""
        try:
            submitted = notebook.cells
        except UnreadableError as error:
            node = deepcopy(self._node)
            unread = f"**The submitted file could not be read: {error}.**"
            word = f"{unread} What follows is the exercise as released."
            node.cells.insert(0, v4.new_markdown_cell(word, id="unreadable"))
            return node
        restored = restore(self._exercise.cells, submitted, self._still_there(submitted), self._texts)
        cells = [_cell(cell, self._graded) for cell in restored]
        metadata = deepcopy(self._node.metadata)
        return NotebookNode({**self._node, "metadata": metadata, "cells": cells})

    def has_own_text(self, node: NotebookNode) -> bool:
        """Whether the student added text cells: one of them may hold an answer."""
        return any(
            cell.cell_type == "markdown"
            and "nbgrader" not in cell.metadata
            and cell.source.strip() not in self._given
            for cell in node.cells
        )

    def _still_there(self, submitted: tuple[NotebookCell, ...]) -> dict[str, int]:
        """Return which submitted cell still has the cell id of which graded one."""
        numbers = {cell.id: cell.number for cell in reversed(submitted) if cell.id}
        return {name: numbers[cell.id] for name, cell in self._graded.items() if cell.id in numbers}


def _cell(restored: RestoredCell, released: Mapping[str, NotebookNode]) -> NotebookNode:
    graded = released[restored.graded.grade_id] if restored.graded is not None else None
    if restored.submitted is None:
        assert graded is not None
        return _put_back(graded)
    number, text = restored.submitted.number, restored.submitted.text
    right = graded.source if graded is not None and graded.metadata.nbgrader.locked else text
    cell = _new(restored.submitted.kind, right, f"cell-{number}")
    if graded is not None:
        cell.metadata["nbgrader"] = deepcopy(graded.metadata.nbgrader)
    if right.strip() == text.strip():  # what an edited check shows does not belong to the one put back
        cell.metadata["autograder"] = {"number": number}
    if pictures := _pictures(restored.submitted):
        cell.attachments = pictures
    return cell


def _new(kind: str, source: str, name: str) -> NotebookNode:
    """Return a new cell; nbformat's own functions would hold each one against a schema."""
    cell = NotebookNode(cell_type=kind, id=name, metadata=NotebookNode(), source=source)
    if kind == "code":
        cell.update(execution_count=None, outputs=[])
    return cell


def _put_back(cell: NotebookNode) -> NotebookNode:
    """Return a released cell with a word on how it comes here, where that changes nothing."""
    about = cell.metadata.nbgrader
    note = f"# {_MISSING}\n" if about.solution and not about.grade else ""
    return NotebookNode(deepcopy(cell), source=note + cell.source, id=f"missing-{about.grade_id}"[:64])


def _pictures(cell: NotebookCell) -> dict[str, dict[str, str]]:
    """Return those attachments that can be looked at without harm, as the notebook format has them."""
    return {name: {_PICTURE: encoded} for name, encoded in cell.attachments if is_picture(encoded)}
