"""Reads the percent source of an exercise and says, in the author's terms, what is wrong with it."""

import ast
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

import jupytext

from autograder.errors import AutograderError

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_KEYS = {"solution", "check", "manual", "points", "title", "tags", "lines_to_next_cell"}


class SourceError(AutograderError):
    """A fault in an exercise's folder, with its place and its mend."""


class Role(StrEnum):
    """What a cell of the source is for."""

    TEXT = "text"
    CODE = "code"
    SOLUTION = "solution"
    CHECK = "check"
    MANUAL = "manual"
    DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the source; `name` is the question it belongs to, or empty."""

    role: Role
    text: str
    name: str = ""
    points: float = 0.0

    @property
    def is_code(self) -> bool:
        """Whether the notebook runs this cell."""
        return self.role not in (Role.TEXT, Role.MANUAL)

    @property
    def grade_id(self) -> str:
        """The cell's id in nbgrader: the question's name, or `check-` before it."""
        return f"check-{self.name}" if self.role is Role.CHECK else self.name

    def released(self) -> str:
        """Return the text with its solution cut out, as nbgrader's ClearSolutions would."""
        stub = "# YOUR CODE HERE\nraise NotImplementedError()" if self.is_code else "YOUR ANSWER HERE"
        lines, hidden = [], False
        for line in self.text.split("\n"):
            if BEGIN in line:
                indent = line[: len(line) - len(line.lstrip())]
                lines += [indent + stub_line for stub_line in stub.split("\n")]
            hidden = (hidden or BEGIN in line) and END not in line
            if not hidden and END not in line:
                lines.append(line)
        return "\n".join(lines)


def read_source(path: Path) -> tuple[Cell, ...]:
    """Return the cells of the percent source at `path`; SourceError names any fault."""
    return _cells(path, path.read_text(encoding="utf-8"))


@lru_cache(maxsize=32)
def _cells(path: Path, text: str) -> tuple[Cell, ...]:
    """Read each text once: a course is loaded for every submission that nbgrader takes in."""
    notebook = jupytext.reads(text, fmt="py:percent")
    cells = tuple(_cell(path, number, raw) for number, raw in enumerate(notebook.cells, 1))
    _check_questions(path, cells)
    return cells


def defined_names(code: str) -> set[str]:
    """Return the functions, classes and variables that `code` defines at its top level."""
    names: set[str] = set()
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _cell(path: Path, number: int, raw: Any) -> Cell:
    metadata = dict(raw.metadata)
    place = f"{path}: cell {number}"
    if unknown := sorted(set(metadata) - _KEYS):
        raise SourceError(
            f'{place} has the unknown key "{unknown[0]}"; use one of solution, check, manual, demo'
        )
    roles = [role for role in (Role.SOLUTION, Role.CHECK, Role.MANUAL) if role.value in metadata]
    if len(roles) > 1:
        raise SourceError(f"{place} is both {roles[0]} and {roles[1]}; make two cells of it")
    markdown = raw.cell_type == "markdown"
    if not roles:
        demo = metadata.get("title") == "demo"
        return Cell(Role.TEXT if markdown else Role.DEMO if demo else Role.CODE, raw.source)
    (role,) = roles
    if markdown != (role is Role.MANUAL):
        kind = "a markdown" if role is Role.MANUAL else "a code"
        raise SourceError(f"{place} is marked {role}; that takes {kind} cell")
    points = metadata.get("points", 0)
    if role is not Role.SOLUTION and not (isinstance(points, int | float) and points > 0):
        raise SourceError(f"{place} needs points above 0, such as points=2")
    return Cell(role, raw.source, str(metadata[role.value]), float(points))


def _check_questions(path: Path, cells: tuple[Cell, ...]) -> None:
    solutions = [cell for cell in cells if cell.role is Role.SOLUTION]
    for cell in [*solutions, *(cell for cell in cells if cell.role is Role.MANUAL)]:
        if cell.text.count(BEGIN) != cell.text.count(END) or BEGIN not in cell.text:
            raise SourceError(f'{path}: "{cell.name}" needs its answer between "{BEGIN}" and "{END}"')
        if not cell.name.isidentifier():
            raise SourceError(f'{path}: "{cell.name}" is no name; use letters, digits and _')
    for role in (Role.SOLUTION, Role.CHECK, Role.MANUAL):
        names = [cell.name for cell in cells if cell.role is role]
        if repeated := {name for name in names if names.count(name) > 1}:
            raise SourceError(f'{path}: "{min(repeated)}" has two {role} cells; keep one')
    checked = {cell.name for cell in cells if cell.role is Role.CHECK}
    for cell in solutions:
        if cell.name not in checked:
            raise SourceError(
                f'{path}: question "{cell.name}" has no check; add a cell check="{cell.name}" points=1'
            )
        if cell.name not in defined_names(cell.text):
            raise SourceError(f'{path}: the solution cell of "{cell.name}" does not define {cell.name}')
    if orphans := checked - {cell.name for cell in solutions}:
        raise SourceError(f'{path}: check "{min(orphans)}" has no solution cell; add one or delete the check')
