"""Reads the source of an exercise, a notebook as text, and says what is wrong with it by file and line."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.course.names import check_id
from autograder.errors import AutograderError

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_KEYS = {"solution", "check", "manual", "points", "title", "tags", "lines_to_next_cell"}


class SourceError(AutograderError):
    """What is wrong in an exercise's folder: the message says where, and what to do."""


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
    line: int = 0  # of the source's file, on which the text begins

    @property
    def is_code(self) -> bool:
        """Whether the notebook runs this cell."""
        return self.role not in (Role.TEXT, Role.MANUAL)

    @property
    def is_reference(self) -> bool:
        """Whether the cell is part of the trusted solution, which has neither checks nor demos."""
        return self.role in (Role.CODE, Role.SOLUTION)

    @property
    def grade_id(self) -> str:
        """The cell's id in nbgrader: the question's name, or for its check what `check_id` says."""
        return check_id(self.name) if self.role is Role.CHECK else self.name

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
    """Return the cells of the source at `path`; SourceError says what is wrong with it."""
    return _cells(path, path.read_text(encoding="utf-8"))


def defined_names(code: str) -> set[str]:
    """Return the functions, classes and variables that `code` defines at its top level."""
    names: set[str] = set()
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def parsed(path: Path, code: str, line: int = 1) -> ast.Module:
    """Return the syntax tree of `code`, which begins on this line of the file; SourceError if it has none."""
    try:
        return ast.parse(code)
    except SyntaxError as error:
        place = f"{path}:{line - 1 + (error.lineno or 1)}"
        raise SourceError(f"{place}: {error.msg}; it must be Python") from None
    except ValueError as error:
        raise SourceError(f"{path}:{line}: {error}; it must be Python") from None


@lru_cache(maxsize=32)
def _cells(path: Path, text: str) -> tuple[Cell, ...]:
    """Read each text only once, since nbgrader loads the course again for every submission."""
    import jupytext  # here, since it loads half of Jupyter, which most users of a course do without

    raw_cells = jupytext.reads(text, fmt="py:percent").cells
    lines = _first_lines(text, raw_cells)
    cells = tuple(_cell(path, raw, line) for raw, line in zip(raw_cells, lines, strict=True))
    for cell in cells:
        if cell.is_reference:
            parsed(path, cell.text, cell.line)
    _check_questions(path, cells)
    return cells


def _first_lines(text: str, raw_cells: Sequence[Any]) -> Iterator[int]:
    """Yield the line of the file on which each cell's text begins: the one after the cell's `# %%`."""
    lines = [*text.split("\n"), ""]
    line = 1
    for raw in raw_cells:
        first = raw.source.partition("\n")[0]
        following = range(line, len(lines))
        # Only a `# %%` that this cell follows is its own; another may stand inside a string.
        starts = (n for n in following if lines[n - 1].startswith("# %%") and first in lines[n])
        line = next(starts, line - 1) + 1
        yield line


def _cell(path: Path, raw: Any, line: int) -> Cell:
    metadata = dict(raw.metadata)
    place = f"{path}:{line - 1}: this cell"  # the line of its marker, which bears the keys
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
        role = Role.TEXT if markdown else Role.DEMO if demo else Role.CODE
        return Cell(role, raw.source, line=line)
    (role,) = roles
    if markdown != (role is Role.MANUAL):
        kind = "a markdown" if role is Role.MANUAL else "a code"
        raise SourceError(f"{place} is marked {role}; that takes {kind} cell")
    points = metadata.get("points", 0)
    if role is not Role.SOLUTION and not (isinstance(points, int | float) and points > 0):
        raise SourceError(f"{place} needs points above 0, such as points=2")
    return Cell(role, raw.source, str(metadata[role.value]), float(points), line)


def _check_questions(path: Path, cells: tuple[Cell, ...]) -> None:
    """Refuse a source whose solutions, checks and written answers do not belong together."""
    solutions = [cell for cell in cells if cell.role is Role.SOLUTION]
    for cell in [*solutions, *(cell for cell in cells if cell.role is Role.MANUAL)]:
        _check_answer(path, cell)
    for role in (Role.SOLUTION, Role.CHECK, Role.MANUAL):
        seen: set[str] = set()
        for cell in (cell for cell in cells if cell.role is role):
            if cell.name in seen:
                raise SourceError(f'{path}:{cell.line}: "{cell.name}" has two {role} cells; keep one')
            seen.add(cell.name)
    checks = [cell for cell in cells if cell.role is Role.CHECK]
    for cell in solutions:
        place = f"{path}:{cell.line}"
        if cell.name not in {check.name for check in checks}:
            mend = f'add a cell check="{cell.name}" points=1'
            raise SourceError(f'{place}: question "{cell.name}" has no check; {mend}')
        if cell.name not in defined_names(cell.text):
            raise SourceError(f'{place}: the solution cell of "{cell.name}" does not define {cell.name}')
    for check in checks:
        if check.name not in {cell.name for cell in solutions}:
            mend = "add one or delete the check"
            raise SourceError(f'{path}:{check.line}: check "{check.name}" has no solution cell; {mend}')


def _check_answer(path: Path, cell: Cell) -> None:
    """Refuse a question or written answer that cannot be cut out of the release, or named."""
    if cell.text.count(BEGIN) != cell.text.count(END) or BEGIN not in cell.text:
        raise SourceError(f'{path}:{cell.line}: "{cell.name}" needs its answer between "{BEGIN}" and "{END}"')
    if not cell.name.isidentifier():
        raise SourceError(f'{path}:{cell.line}: "{cell.name}" is no name; use letters, digits and _')
