"""Reads a submitted notebook strictly: a stranger's bytes in, plain cells or one clear refusal out."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.report.text import writable

MAX_BYTES = 20 << 20
MAX_CELLS = 1000
MAX_CELL = 200_000  # characters


class UnreadableError(Exception):
    """The file is no notebook that can be graded; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """One cell of a submission; `number` counts all cells from 0, `name` is its grade_id if it has one."""

    number: int
    kind: str
    text: str
    name: str = ""


def read_notebook(path: Path) -> tuple[NotebookCell, ...]:
    """Return the cells of the notebook at `path`, or raise UnreadableError."""
    return cells_of(load_notebook(path))


def load_notebook(path: Path) -> dict[str, Any]:
    """Return the notebook's JSON once it is sure to be one of format 4."""
    try:
        if path.is_symlink() or not path.is_file():
            raise UnreadableError("there is no notebook file of this name")
        if path.stat().st_size > MAX_BYTES:
            raise UnreadableError(f"larger than {MAX_BYTES >> 20} MB; clear all outputs and save again")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError("not UTF-8 text; save it from Jupyter") from None
    except OSError as error:
        raise UnreadableError(f"cannot be opened: {error.strerror}") from None
    if not text.strip():
        raise UnreadableError("the file is empty")
    return _checked(_parsed(text))


def cells_of(notebook: dict[str, Any]) -> tuple[NotebookCell, ...]:
    """Return the cells of a notebook that `load_notebook` has checked."""
    return tuple(
        NotebookCell(number, cell["cell_type"], _text(cell["source"]), _grade_id(cell))
        for number, cell in enumerate(notebook["cells"])
    )


def _grade_id(cell: dict[str, Any]) -> str:
    match cell:
        case {"metadata": {"nbgrader": {"grade_id": str(name)}}}:
            return name
    return ""


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise UnreadableError("nested too deeply to be a notebook") from None
    except json.JSONDecodeError as error:
        raise UnreadableError(
            f"not JSON (line {error.lineno}, column {error.colno}); save it from Jupyter"
        ) from None
    except ValueError:
        raise UnreadableError("holds a number that JSON does not allow") from None


def _checked(notebook: Any) -> dict[str, Any]:
    if not isinstance(notebook, dict) or "nbformat" not in notebook:
        raise UnreadableError("JSON, but not a notebook")
    if notebook["nbformat"] != 4:
        raise UnreadableError("not a notebook of format 4; open it in Jupyter and save it again")
    cells = notebook.get("cells")
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise UnreadableError("its cells are not a list of cells")
    if len(cells) > MAX_CELLS:
        raise UnreadableError(f"has more than {MAX_CELLS} cells")
    for number, cell in enumerate(cells, 1):
        if cell.get("cell_type") not in ("code", "markdown", "raw"):
            raise UnreadableError(f"cell {number} is neither code, markdown nor raw")
        source = cell.get("source")
        if not isinstance(source, str) and not (
            isinstance(source, list) and all(isinstance(line, str) for line in source)
        ):
            raise UnreadableError(f"cell {number} has no text")
        if len(_text(source)) > MAX_CELL:
            raise UnreadableError(f"cell {number} is longer than {MAX_CELL:,} characters")
    return notebook


def _text(source: str | list[str]) -> str:
    text = source if isinstance(source, str) else "".join(source)
    return writable(text)


def _refuse_constant(name: str) -> float:
    raise ValueError(name)
