"""Finds the checks that stand inside a larger cell, as where somebody has joined the cells of a notebook."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from autograder.course.kit.cell import Cell
from autograder.course.kit.contents import QUESTIONS, Question

JOINED = (
    "has checks inside code cell {}, with other code: where one of them fails, what stands below it does not"
    " run, neither here nor in grading; give each check a cell of its own"
)


def cells_of(path: Path, number: int, saved: dict[str, Any]) -> list[Cell]:
    """Return a code cell, and behind it each check that stands whole inside it, as a cell of its own.

    The larger cell stays as it is: it runs with its checks, as in grading.
    """
    cell = Cell(path, number, saved)
    if cell.fingerprint in {question.check for question in QUESTIONS}:
        return [cell]
    inside = [_inside(path, cell, question) for question in QUESTIONS]
    checks = [check for check in inside if check]
    cell.is_joined = bool(checks)
    return [cell, *checks]


def mentions_check(cell: Cell, name: str) -> bool:
    """Whether a line of a cell says that the check of `name` begins there."""
    return bool(_heading(name).search(cell.code))


def _inside(path: Path, cell: Cell, question: Question) -> Cell | None:
    """Return the check of `question` that begins at a line of the cell, on the same lines, if it does."""
    heading = _heading(question.name).search(cell.code)
    if not heading:
        return None
    above, lines = cell.code[: heading.start()].count("\n"), cell.code[heading.start() :].split("\n")
    for end in range(1, len(lines) + 1):
        code = "\n" * above + "\n".join(lines[:end])
        found = Cell(path, cell.number, {"source": code}, f", check of {question.name}")
        if found.fingerprint == question.check:
            return found
    return None


def _heading(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?m)^# Check of {re.escape(name)}\b")
