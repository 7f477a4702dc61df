"""Finds the exercise's notebook in a folder, and says what to do where pytest has nothing to check."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from autograder.course.kit.contents import EXERCISE, QUESTIONS
from autograder.course.kit.notebook import Notebook, UnsolvedError


def in_order(folder: Path) -> list[Path]:
    """Return a folder's notebooks of this exercise, or all if none is of it, the one saved last first."""
    found = sorted(folder.glob("*.ipynb"), key=lambda path: (path.stat().st_mtime, path.stem == EXERCISE))
    return [path for path in found[::-1] if is_exercise(path)] or found[::-1]


def is_exercise(path: Path) -> bool:
    """Whether a notebook seems to be one of this exercise, by its name or by its checks."""
    with contextlib.suppress(UnsolvedError):
        return EXERCISE in path.stem or any(cell.checks for cell in Notebook(path).cells)
    return False


def missing(folder: Path) -> str:
    """Say what to do where pytest was given nothing in `folder` that it could check."""
    place = folder / f"{EXERCISE}.ipynb"
    if notebooks := in_order(folder):
        names = ", ".join(question.name for question in QUESTIONS)
        return f"nothing here goes by that name: {notebooks[0].name} has the questions {names}"
    for export in exports(folder):
        which = f"{export.name} is an export, which grading reads and pytest does not"
        return f"{which}: save the notebook itself as {place}"
    return f"no notebook here: save yours as {place} and run pytest in that folder"


def exports(folder: Path) -> Iterator[Path]:
    """Yield the Python files in a folder that seem to have been made of this exercise's notebook."""
    for path in sorted(folder.glob("*.py")):
        if path.name != "conftest.py":
            text = path.read_text(encoding="utf-8", errors="replace")
            if EXERCISE in path.stem or any(f"# Check of {question.name}" in text for question in QUESTIONS):
                yield path
