"""The notebook that nbgrader gets to see: the student's cells, with the exercise's metadata."""

from pathlib import Path
from typing import Any

from nbformat import NotebookNode, v4

from autograder.cleaning import is_picture
from autograder.exercise import Exercise
from autograder.gradebook.assignment import released
from autograder.notebook import UnreadableError, cells_of, load_notebook
from autograder.restoration import Place, restore

_MISSING = "This cell was missing from the submission. It has been put back as it was released."
_PICTURE = "image/png"
_NEW = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell, "raw": v4.new_raw_cell}


def restored(exercise: Exercise, path: Path) -> NotebookNode:
    """Return the notebook at `path` made whole; for a file that is none, the release and a word on it."""
    node = released(exercise)
    try:
        notebook = load_notebook(path)
    except UnreadableError as error:
        warning = (
            f"**The submitted file could not be read: {error}.** What follows is the exercise as released."
        )
        node.cells.insert(0, v4.new_markdown_cell(warning, id="unreadable"))
        return node
    by_grade_id = {
        cell.metadata.nbgrader.grade_id: cell for cell in node.cells if "nbgrader" in cell.metadata
    }
    texts = {cell.source for cell in node.cells if "nbgrader" not in cell.metadata}
    places = restore(exercise.cells, cells_of(notebook), _still_there(notebook, by_grade_id), texts)
    node.cells = [_cell(place, by_grade_id, notebook) for place in places]
    return node


def _still_there(notebook: dict[str, Any], released: dict[str, NotebookNode]) -> dict[str, int]:
    """Return which submitted cell has the cell id of which graded one."""
    numbers = {
        cell["id"]: number
        for number, cell in reversed(list(enumerate(notebook["cells"])))
        if isinstance(cell.get("id"), str)
    }
    return {name: numbers[cell.id] for name, cell in released.items() if cell.id in numbers}


def _cell(place: Place, released: dict[str, NotebookNode], notebook: dict[str, Any]) -> NotebookNode:
    graded = released[place.graded.grade_id] if place.graded is not None else None
    if place.submitted is None:
        assert graded is not None
        return _put_back(graded)
    number, text = place.submitted.number, place.submitted.text
    cell = _NEW[place.submitted.kind](text, id=f"cell-{number}")
    if graded is not None:
        cell.metadata["nbgrader"] = graded.metadata.nbgrader
    # nbgrader puts a check back as it was released; what an edited one shows does not belong to it.
    if graded is None or not graded.metadata.nbgrader.locked or text.strip() == graded.source.strip():
        cell.metadata["autograder"] = {"number": number}
    if place.submitted.kind == "markdown" and (pictures := _attachments(notebook["cells"][number])):
        cell.attachments = pictures
    return cell


def _put_back(cell: NotebookNode) -> NotebookNode:
    """Return a released cell with a word on how it comes here, where that changes nothing."""
    about = cell.metadata.nbgrader
    note = f"# {_MISSING}\n" if about.solution and not about.grade else ""
    return NotebookNode(cell, source=note + cell.source, id=f"missing-{about.grade_id}"[:64])


def _attachments(cell: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the pictures that a markdown cell carries."""
    attachments = cell.get("attachments")
    return {
        name: {_PICTURE: forms[_PICTURE]}
        for name, forms in (attachments.items() if isinstance(attachments, dict) else ())
        if isinstance(forms, dict) and isinstance(forms.get(_PICTURE), str) and is_picture(forms[_PICTURE])
    }
