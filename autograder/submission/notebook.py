"""Reads a submitted notebook once: untrusted bytes become a tuple of cells, or are refused with a reason.

Colab writes a pasted picture into the text of a cell, as base64 with hundreds of thousands of characters. If
a text cell is too long, its pictures are moved into attachments, so that the text can be kept.
"""

import errno
import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from autograder.report.text import writable
from autograder.submission.script import cells_of_script

MAX_BYTES = 20 << 20
MAX_WITH_OUTPUTS = 50 << 20  # bytes; outputs are removed from notebooks between MAX_BYTES and this size
MAX_CELLS = 1000
MAX_CELL = 200_000  # characters of a code cell
MAX_TEXT = 200_000  # characters of a text cell
_MAX_PICTURES = 20
_PICTURE = re.compile(r"data:image/([\w.+-]{1,20});base64,([A-Za-z0-9+/=]+)")
_CUT = "\n\n(The rest of this cell is left out: it is too long.)"
_MAX_DIGITS = 400  # digits of an integer in the JSON
_KINDS = ("code", "markdown", "raw")
_SAVE = "open it in Jupyter and save it"
_READ = (
    "it must be the notebook itself (.ipynb), or its export as a script or text by Jupyter, Colab, "
    "Databricks, jupytext, marimo, Quarto, Spyder or VS Code"
)
_LANGUAGE = re.compile(rb'"language_info"\s*:\s*\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}')
_VERSION = re.compile(rb'"version"\s*:\s*"(\d{1,3})\.(\d{1,3})')

Attachments = tuple[tuple[str, str], ...]  # the name and the base64 text of each PNG picture, unchecked


class UnreadableError(Exception):
    """The file is not a notebook that can be graded. The message gives the reason and a remedy."""


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """One cell of a submission. `number` is its index among all cells."""

    number: int
    kind: str
    text: str
    name: str = ""  # the grade_id, if the cell has one
    id: str = ""  # the cell id of the notebook format
    attachments: Attachments = ()


@dataclass(frozen=True)
class Notebook:
    """The content of a submitted file, which is parsed when `cells` is first used.

    If the file could not be read, `problem` gives the reason.
    """

    content: bytes
    problem: str = ""

    @cached_property
    def digest(self) -> str:
        """A hash of the file's bytes or, if the file could not be read, of `problem`."""
        return hashlib.sha256(self.problem.encode() or self.content).hexdigest()

    @cached_property
    def cells(self) -> tuple[NotebookCell, ...]:
        """The cells. UnreadableError is raised if the file is not a readable notebook."""
        if self.problem:
            raise UnreadableError(self.problem)
        return cells_of(parse_notebook(self.content))

    @cached_property
    def python(self) -> tuple[int, int] | None:
        """The version of Python in the notebook's metadata, or None."""
        start = max(self.content.rfind(b'"language_info"'), 0)
        language_info = _LANGUAGE.match(self.content, start)
        version = _VERSION.search(language_info[0]) if language_info else None
        return (int(version[1]), int(version[2])) if version else None


def open_plain(path: Path | str, flags: int = 0, folder: int | None = None) -> IO[bytes]:
    """Open the regular file at `path`, which may be relative to the open folder `folder`.

    Raise OSError for anything else. With O_NONBLOCK, opening a pipe does not wait for a writer.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a plain file")
    return os.fdopen(descriptor, "rb")


@contextmanager
def open_folder(path: Path | str, flags: int = os.O_NOFOLLOW, parent: int | None = None) -> Iterator[int]:
    """Open the folder at `path`, which may be relative to the open folder `parent`. Yield its descriptor.

    By default, a symbolic link raises OSError. Files that are opened relative to the descriptor come from
    this folder, even if a student then puts another folder at `path`.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | flags, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read_notebook(path: Path) -> Notebook:
    """Read the file at `path`, without following a link or waiting for a pipe.

    If the file cannot be read, the result has a `problem`.
    """
    try:
        with open_plain(path, os.O_NOFOLLOW) as file:
            return Notebook(without_large_outputs(file.read(MAX_WITH_OUTPUTS + 1)))
    except OSError as error:
        if path.is_file() and not path.is_symlink():
            return Notebook(b"", f"cannot be opened: {error.strerror}")
    return Notebook(b"", "there is no notebook file of this name")


def without_large_outputs(content: bytes) -> bytes:
    """Return a notebook's content. If it is larger than MAX_BYTES and valid, remove the outputs."""
    if not MAX_BYTES < len(content) <= MAX_WITH_OUTPUTS:
        return content
    try:
        notebook = _read_json(content.decode("utf-8-sig"))
        for cell in notebook["cells"]:
            if "outputs" in cell:
                cell["outputs"] = []
        # A lone surrogate becomes \udXXX, its escape sequence in JSON.
        return json.dumps(notebook, ensure_ascii=False, allow_nan=False).encode(errors="backslashreplace")
    except (ValueError, KeyError, TypeError, RecursionError):
        return content


def parse_notebook(content: bytes) -> dict[str, Any]:
    """Return the JSON of a notebook in format 4. Older formats and scripts are converted.

    Raise UnreadableError for anything else.
    """
    if len(content) > MAX_BYTES:
        fix = "delete large pictures from its text cells"
        raise UnreadableError(f"it is larger than {MAX_BYTES >> 20} MB, even without outputs; {fix}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError(f"not UTF-8 text; {_SAVE}") from None
    if not text.strip():
        raise UnreadableError("the file is empty; save the notebook")
    script = cells_of_script(text)
    return _checked(_parsed(text) if script is None else {"nbformat": 4, "cells": script})


def cells_of(notebook: dict[str, Any]) -> tuple[NotebookCell, ...]:
    """Return the cells of a notebook that comes from `parse_notebook` or from the autograder itself."""
    return tuple(_cell(number, cell) for number, cell in enumerate(notebook["cells"]))


def _cell(number: int, cell: dict[str, Any]) -> NotebookCell:
    name = ""
    match cell:
        case {"metadata": {"nbgrader": {"grade_id": str(grade_id)}}}:
            name = writable(grade_id)
    identity = writable(cell["id"]) if isinstance(cell.get("id"), str) else ""
    kind, text = cell["cell_type"], writable("".join(cell["source"]))
    if kind == "code":
        return NotebookCell(number, kind, text, name, identity)
    text, pictures = without_pictures(text)
    attachments = (*_attachments(cell), *pictures) if kind == "markdown" else ()
    return NotebookCell(number, kind, text, name, identity, attachments)


def _attachments(cell: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name and the base64 text of each PNG picture that is attached to a text cell."""
    attachments = cell.get("attachments")
    for name, forms in attachments.items() if isinstance(attachments, dict) else ():
        match forms:
            case {"image/png": str(encoded)}:
                yield writable(name), writable(encoded)


def without_pictures(text: str) -> tuple[str, Attachments]:
    """Move the pictures of a text that is longer than MAX_TEXT into attachments; return both.

    If the text is still longer than MAX_TEXT without its pictures, it is cut.
    """
    if len(text) <= MAX_TEXT:
        return text, ()
    pictures: list[tuple[str, str]] = []

    def move(match: re.Match[str]) -> str:
        if match[1] != "png" or len(pictures) == _MAX_PICTURES:
            return "missing:picture"
        pictures.append((f"picture-{len(pictures) + 1}.png", match[2]))
        return f"attachment:{pictures[-1][0]}"

    text = _PICTURE.sub(move, text)
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + _CUT, tuple(pictures)


def _parsed(text: str) -> Any:
    try:
        return _read_json(text)
    except RecursionError:
        raise UnreadableError(f"nested too deeply to be a notebook; {_SAVE}") from None
    except json.JSONDecodeError as error:
        if text.lstrip()[:1] != "{":
            raise UnreadableError(f"not a notebook; {_READ}") from None
        position = f"line {error.lineno}, column {error.colno}"
        raise UnreadableError(f"not JSON ({position}), so the file may be incomplete; {_SAVE}") from None


def _read_json(text: str) -> Any:
    """Return the value of a JSON text. NaN, infinite numbers and very long integers become None.

    This does no harm: such numbers occur in outputs and metadata, which grading does not read.
    """
    return json.loads(text, parse_constant=lambda _: None, parse_int=_integer, parse_float=_float)


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MAX_DIGITS else None


def _float(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _checked(notebook: Any) -> dict[str, Any]:
    """Return a notebook in which each cell has a kind and a text, or raise UnreadableError."""
    if not isinstance(notebook, dict) or not notebook.keys() & {"nbformat", "cells"}:
        raise UnreadableError(f"JSON, but not a notebook; {_READ}")
    if notebook.get("nbformat") in (2, 3):
        return _checked(_upgraded(notebook))
    if notebook.get("nbformat", 4) != 4:
        raise UnreadableError("not a notebook of format 4; open it in Jupyter and save it again")
    cells = notebook.get("cells")
    present: list[Any] = [cell for cell in cells if cell is not None] if isinstance(cells, list) else [None]
    if not all(isinstance(cell, dict) for cell in present):
        raise UnreadableError(f"its entry `cells` is not a list of cells; {_SAVE}")
    if len(present) > MAX_CELLS:
        raise UnreadableError(f"it has more than {MAX_CELLS} cells; delete those that you do not need")
    return {**notebook, "cells": [_plain_cell(number, cell) for number, cell in enumerate(present, 1)]}


def _plain_cell(number: int, cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell with its kind and its text. A kind that Jupyter does not have becomes "raw"."""
    kind = cell["cell_type"] if cell.get("cell_type") in _KINDS else "raw"
    source = cell.get("source")
    lines = source if isinstance(source, list) else [source]
    if not all(line is None or isinstance(line, str) for line in lines):
        fix = "copy its content into a new cell, delete the old cell, and save the notebook"
        raise UnreadableError(f"cell {number} is damaged, because its content is not text; {fix}")
    text = "".join(filter(None, lines))
    if kind == "code" and len(text) > MAX_CELL:
        fix = "delete output or data that was pasted into the code"
        raise UnreadableError(f"cell {number} is longer than {MAX_CELL:,} characters; {fix}")
    return {**cell, "cell_type": kind, "source": text}


def _upgraded(notebook: dict[str, Any]) -> dict[str, Any]:
    import nbformat  # hardly any notebook needs it
    from traitlets.log import get_logger

    sheets = notebook.get("worksheets")
    sheets = [sheet for sheet in sheets if isinstance(sheet, dict)] if isinstance(sheets, list) else []
    cells = [sheet_cells for sheet in sheets if isinstance(sheet_cells := sheet.get("cells"), list)]
    if sum(map(len, cells)) > MAX_CELLS:  # checked here, because converting very many cells takes minutes
        raise UnreadableError(f"it has more than {MAX_CELLS} cells")
    log = get_logger()
    log.disabled = True  # nbformat would log parts of the file; the UnreadableError below is enough
    try:
        for cell in (cell for sheet in notebook.get("worksheets", ()) for cell in sheet["cells"]):
            cell["outputs"] = []  # grading does not read outputs, and damaged ones cannot be converted
        complete = nbformat.reader.reads(json.dumps({"metadata": {}} | notebook))
        upgraded: dict[str, Any] = dict(nbformat.convert(complete, 4))
        for cell in upgraded["cells"]:
            cell.pop("id", None)  # the conversion adds random ids, which differ each time
        return upgraded | {"nbformat_minor": 4}
    except Exception:  # a damaged file can raise anything
        fix = "open it in Jupyter and save it again"
        raise UnreadableError(f"it has an old format and is damaged; {fix}") from None
    finally:
        log.disabled = False
