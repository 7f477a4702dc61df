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
_CHARACTERS = 300  # the largest number of characters of an output that a message quotes


def kernel_problems(exercise: Exercise) -> Iterator[str]:
    """Yield a problem for each cell that fails in a kernel or writes to stderr, as warnings do."""
    cells = [cell for cell in exercise.cells if cell.is_code]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.text) for cell in cells])
    with TemporaryDirectory() as folder:
        if exercise.handout:
            shutil.copytree(exercise.folder / HANDOUT, folder, dirs_exist_ok=True)
        last, ended = _run(notebook, Path(folder))
    for number, (cell, run) in enumerate(zip(cells, notebook.cells, strict=True)):
        problems = [ended] if ended and number == last else map(_output_problem, run.outputs)
        for problem in filter(None, problems):
            message = f"in a kernel, this cell {problem}; fix the cell, since students would see this problem"
            yield f"{exercise.source}:{cell.line}: {message}"


def _run(notebook: nbformat.NotebookNode, folder: Path) -> tuple[int, str]:
    """Run all cells in the working directory `folder`, even those after a cell that raises an error.

    Return the index of the last cell that started, and the reason if the run ended early, else "".
    """
    started = [0]
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        allow_errors=True,
        on_cell_start=lambda cell_index, **_: started.append(cell_index),
        resources={"metadata": {"path": str(folder)}},
    )
    # For a slider, nbclient's handler uses the socket on which nbclient waits for the end of the cell. Then
    # nbclient sometimes misses the end, and waits until the timeout. Without the handler, the figure that the
    # slider controls is an ordinary output.
    client.comm_open_handlers.clear()
    ended = ""
    try:
        # torch uses only one thread, because other exercises run at the same time. The kernel's own output
        # does not help authors.
        client.execute(env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=DEVNULL, stderr=DEVNULL)
    except CellTimeoutError:
        ended = f"takes longer than {CELL_SECONDS} s"
    except DeadKernelError:
        ended = "ends the kernel"
    return started[-1], ended


def _output_problem(output: dict[str, Any]) -> str:
    """Return the problem of a cell that has this output, or an empty string."""
    match output:
        case {"output_type": "error", "ename": name, "evalue": message}:
            return one_line(f"fails: {name}: {message}", _CHARACTERS)
        case {"output_type": "stream", "name": "stderr", "text": text}:
            return one_line(f"writes to stderr: {text.strip()}", _CHARACTERS)
    return ""
