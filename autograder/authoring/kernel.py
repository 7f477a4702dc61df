"""Runs an exercise's notebook in a real kernel, as students do, and finds cells that fail or warn there."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib.font_manager  # noqa: F401 - builds the font cache, which a kernel would announce as a warning
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from autograder.course.exercise import HANDOUT, Exercise
from autograder.report.text import one_line

CELL_SECONDS = 300
_CHARACTERS = 300  # characters


def kernel_problems(exercise: Exercise) -> Iterator[str]:
    """Yield each cell that fails in a kernel or writes to stderr there, as warnings do, with its place."""
    cells = [cell for cell in exercise.cells if cell.is_code]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.text) for cell in cells])
    with TemporaryDirectory() as folder:
        if exercise.handout:
            shutil.copytree(exercise.folder / HANDOUT, folder, dirs_exist_ok=True)
        last, ended = _run(notebook, Path(folder))
    for number, (cell, run) in enumerate(zip(cells, notebook.cells, strict=True)):
        said = [ended] if ended and number == last else map(_said, run.outputs)
        for words in filter(None, said):
            problem = f"in a kernel, this cell {words}; students would see that too, so fix it"
            yield f"{exercise.source}:{cell.line}: {problem}"


def _run(notebook: nbformat.NotebookNode, folder: Path) -> tuple[int, str]:
    """Run all cells in `folder`, whatever they raise; return the last one's place, and what it ended by."""
    begun = [0]
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        allow_errors=True,
        on_cell_start=lambda cell_index, **_: begun.append(cell_index),
        resources={"metadata": {"path": str(folder)}},
    )
    # What a slider draws is then an output of its cell. nbclient would answer it on the socket where it waits
    # for the cell's end, and miss that end now and then until its time is up.
    client.comm_open_handlers.clear()
    ended = ""
    try:
        # Other exercises run beside this one; and what a kernel says of itself is of no use to an author.
        client.execute(env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=DEVNULL, stderr=DEVNULL)
    except CellTimeoutError:
        ended = f"takes longer than {CELL_SECONDS} s"
    except DeadKernelError:
        ended = "ends the kernel"
    return begun[-1], ended


def _said(output: dict[str, Any]) -> str:
    """Return what is wrong with a cell that shows this output, or nothing."""
    match output:
        case {"output_type": "error", "ename": name, "evalue": message}:
            return one_line(f"fails: {name}: {message}", _CHARACTERS)
        case {"output_type": "stream", "name": "stderr", "text": text}:
            return one_line(f"writes to stderr: {text.strip()}", _CHARACTERS)
    return ""
