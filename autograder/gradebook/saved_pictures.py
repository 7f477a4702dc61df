"""Finds the pictures that a student saved below cells that only draw, which grading does not run."""

from collections.abc import Collection, Iterator
from typing import Any

from nbformat import NotebookNode

from autograder.report.text import is_picture
from autograder.submission.notebook import Notebook, UnreadableError, parse_notebook

_MAX_PICTURES = 8  # of one cell


def saved_pictures(
    handed_in: Notebook, demos: Collection[str], node: NotebookNode
) -> dict[str, tuple[str, ...]]:
    """Return the pictures, in base64, by the id of the cell of the autograded notebook to which they belong.

    The file is a stranger's: only what is a picture is taken, and only below a cell that is still the same.
    """
    wanted = {
        cell.id: cell.source for cell in node.cells if cell.cell_type == "code" and cell.source in demos
    }
    if not wanted or handed_in.problem:
        return {}
    try:
        cells = parse_notebook(handed_in.content)["cells"]
    except UnreadableError:
        return {}
    found = ((f"cell-{number}", cell) for number, cell in enumerate(cells))
    return {
        name: tuple(_pictures(cell))[:_MAX_PICTURES]
        for name, cell in found
        if name in wanted and "".join(cell["source"]) == wanted[name]
    }


def _pictures(cell: dict[str, Any]) -> Iterator[str]:
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        match output:
            case {"data": {"image/png": str(picture)}} if is_picture(picture):
                yield picture
            case {"data": {"image/png": [*lines]}} if all(isinstance(line, str) for line in lines):
                if is_picture(picture := "".join(lines)):
                    yield picture
