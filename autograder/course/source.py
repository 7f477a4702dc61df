"""Reads an exercise's source, which is a notebook as text, and reports errors with file and line.

The marker of a cell is the line `# %%` above it. It can have keys, as in `# %% check="half" points=2`.
"""

import ast
import hashlib
import html
import re
import struct
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from textwrap import indent

from autograder.course.code import bound_names
from autograder.course.names import check_id
from autograder.course.yaml_lines import Document, DocumentError, Problem, read_document
from autograder.errors import AutograderError

_FIGURE = re.compile(r"!\[([^\]]*)\]\(([\w-]+\.(svg|png))\)")
_LOADED = re.compile(r"^# %load \.\./(\w+\.py)$", re.MULTILINE)
_IMPORTED = re.compile(r"^(?:from|import)[ ]+(\w+)", re.MULTILINE)
_KINDS = {"svg": "svg+xml", "png": "png"}
SUFFIXES = tuple(f".{kind}" for kind in _KINDS)
_PNG = b"\x89PNG\r\n\x1a\n"
_PIXELS_PER_METRE = 96 / 0.0254  # in a browser, a pixel is 1/96 inch


def with_figures(text: str, read: Callable[[str], bytes]) -> str:
    """Replace each link to a figure in a text by the figure, whose bytes `read` returns."""
    return _FIGURE.sub(lambda match: _img_tag(match[1], read(match[2]), _KINDS[match[3]]), text)


def _img_tag(words: str, figure: bytes, kind: str) -> str:
    alternative = html.escape(" ".join(words.split()))
    content = b64encode(figure).decode()
    return f'<img alt="{alternative}"{_width_attribute(figure)} src="data:image/{kind};base64,{content}">'


def _width_attribute(figure: bytes) -> str:
    """Return the HTML attribute with the width of a PNG, or "" if the PNG does not state its resolution."""
    offset = figure.find(b"pHYs", 0, figure.find(b"IDAT")) if figure.startswith(_PNG) else -1
    if offset < 0:
        return ""
    (pixels,), (per_metre,) = (struct.unpack_from("!I", figure, at) for at in (16, offset + 4))
    return f' width="{pixels * _PIXELS_PER_METRE / per_metre:.0f}"'


BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_KEYS = {"solution", "check", "manual", "points", "tags"}
_MARKER = re.compile(r"# ?%%(?:[ ](.*))?")
_KIND = re.compile(r"\[(?:markdown|md)\]")
_OPTION = re.compile(r"""(\w+)=("[^"]*"|'[^']*'|\[[^\]]*\]|-?\d[\d.e]*)(?!\S)""")
_CLOSED = re.compile(r"""(\"{3}|'{3}).*?\1|^[ \t]*#[^\n]*""", re.DOTALL | re.MULTILINE)  # strings, comments
_OPEN = re.compile(r"""\"{3}|'{3}""")
_MAGIC = re.compile(r"^# (?=[%!]\w)", re.MULTILINE)  # jupytext writes magics as comments


class SourceError(AutograderError):
    """Something is wrong in an exercise's folder; the message gives the place, the problem and a fix."""


class Role(StrEnum):
    """The purpose of a cell of the source."""

    TEXT = "text"
    CODE = "code"
    SOLUTION = "solution"
    CHECK = "check"
    MANUAL = "manual"
    DEMO = "demo"


GRADED = (
    Role.SOLUTION,
    Role.CHECK,
    Role.MANUAL,
)  # the roles of graded cells; a cell's marker has its role as a key


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the source. `name` is its question, or "" for a cell that is not graded."""

    role: Role
    text: str
    name: str = ""
    points: float = 0.0
    line: int = 0  # the line of the source's file on which the text begins
    in_code: bool = False  # whether an instructor grades the cell and the answer is code

    @property
    def is_code(self) -> bool:
        """Whether the notebook runs this cell."""
        return self.in_code or self.role not in (Role.TEXT, Role.MANUAL)

    @property
    def is_reference(self) -> bool:
        """Whether the cell is part of the author's solution. Checks, texts and demos are not."""
        return self.in_code or self.role in (Role.CODE, Role.SOLUTION)

    @property
    def grade_id(self) -> str:
        """The cell's id in nbgrader: the question's name, or for a check its `check_id`."""
        return check_id(self.name) if self.role is Role.CHECK else self.name

    def hidden(self) -> list[tuple[int, str]]:
        """Return the hidden lines, which are the author's answer, each with its index in the text."""
        lines, inside = [], False
        for number, line in enumerate(self.text.split("\n")):
            inside = (inside or BEGIN in line) and END not in line
            if inside and BEGIN not in line:
                lines.append((number, line))
        return lines

    @property
    def model(self) -> str:
        """The author's answer, without the rubric of a written answer."""
        return self._answer_and_rubric()[0]

    @property
    def rubric(self) -> list[str]:
        """The items that a written answer must contain for full points, with their points. Students see them.

        The rubric is the last paragraph of the hidden lines, in parentheses, with `;` between the items.
        """
        text = " ".join(self._answer_and_rubric()[1].split()).rstrip(".")
        return [item.strip() for item in text.split(";") if item.strip()]

    def _answer_and_rubric(self) -> tuple[str, str]:
        text = "\n".join(line for _, line in self.hidden()).strip()
        answer, _, last = text.rpartition("\n\n")
        has_rubric = (
            self.role is Role.MANUAL
            and not self.in_code
            and answer
            and last.startswith("(")
            and last.endswith(")")
        )
        return (answer, last[1:-1]) if has_rubric else (text, "")

    def released(self) -> str:
        """Return the text with a stub in place of the solution, as nbgrader's ClearSolutions does."""
        stub = "# YOUR CODE HERE\nraise NotImplementedError()" if self.is_code else "YOUR ANSWER HERE"
        lines, hidden = [], {number for number, _ in self.hidden()}
        for number, line in enumerate(self.text.split("\n")):
            if BEGIN in line:
                lines.append(indent(stub, line[: len(line) - len(line.lstrip())]))
            elif number not in hidden and END not in line:
                lines.append(line)
        return "\n".join(lines)


def read_source(path: Path) -> tuple[Cell, ...]:
    """Return the cells of the source at `path`, with their figures and loaded files.

    If the source is invalid, raise SourceError with the line.
    """
    return tuple(_with_files(path, cell) for cell in _cells(read_text(path), path))


def loaded(path: Path) -> list[Path]:
    """Return the files in solutions/ that the source at `path` loads in demo cells."""
    return [path.parents[1] / name for name in _LOADED.findall(read_text(path))] if path.is_file() else []


def imported(path: Path) -> tuple[Path, ...]:
    """Return the modules in solutions/ that the file of tests at `path` imports, directly or indirectly."""
    imports = dict[Path, None]()
    pending = [path]
    while pending and (read := pending.pop()).is_file():
        modules = [path.parents[1] / f"{name}.py" for name in _IMPORTED.findall(read_text(read))]
        pending += [module for module in modules if module.is_file() and module not in imports]
        imports |= dict.fromkeys(pending)
    return tuple(imports)


def _with_files(path: Path, cell: Cell) -> Cell:
    """Return the cell with the contents of files: figures in a text cell, loaded code in a demo cell."""

    def read(name: str) -> bytes:
        try:
            return path.parent.joinpath(name).read_bytes()
        except FileNotFoundError:
            fix = "add the file, or name another file"
            raise SourceError(
                f"{path}:{cell.line}: this cell needs {name}, which is missing; {fix}"
            ) from None

    if cell.role is Role.DEMO and (load := _LOADED.fullmatch(f"# {cell.text}")):
        return replace(cell, text=read(f"../{load[1]}").decode().strip())
    return replace(cell, text=with_figures(cell.text, read)) if cell.role is Role.TEXT else cell


def fingerprint(code: str) -> str:
    """Return a short hash of a cell's code without comments, blank lines and trailing spaces."""
    lines = (line.rstrip() for line in code.splitlines())
    text = "\n".join(line for line in lines if line and not line.lstrip().startswith("#"))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def read_text(path: Path) -> str:
    """Return the text of an author's file; raise SourceError with the line if it is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SourceError(f"{path}:{line}: not UTF-8 text; save it as UTF-8") from None


def read_yaml(path: Path) -> Document:
    """Return the document in an author's YAML file, or raise SourceError with all wrong lines."""
    try:
        return read_document(read_text(path))
    except DocumentError as error:
        raise wrong_lines(path, error.problems) from None


def wrong_lines(path: Path, problems: Iterable[Problem]) -> SourceError:
    """Return an error that lists the problems in an author's file, with the line of each."""
    return SourceError("\n".join(f"{path}:{problem.line}: {problem.message}" for problem in problems))


def parsed(path: Path, code: str, line: int = 1) -> ast.Module:
    """Return the syntax tree of `code`, which begins on this line of the file.

    Raise SourceError with the line if the code is not Python.
    """
    try:
        return ast.parse(code)
    except SyntaxError as error:
        line += (error.lineno or 1) - 1
        raise SourceError(f"{path}:{line}: {error.msg}; correct the Python code") from None
    except ValueError as error:
        raise SourceError(f"{path}:{line}: {error}; correct the Python code") from None


@lru_cache(maxsize=32)
def _cells(text: str, path: Path) -> tuple[Cell, ...]:
    """Return the cells of a text. They are cached, because nbgrader loads the course for every submission."""
    cells = tuple(_cell(path, *part) for part in parts(text))
    for cell in cells:
        if cell.is_reference:
            parsed(path, cell.text, cell.line)
    for cell, problem in _problems(cells):
        raise SourceError(f"{path}:{cell.line}: {problem}")
    return cells


def parts(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield each cell: the line on which the text begins, the marker's text after `# %%`, and the text.

    The cells are the same as jupytext's. Jupytext is not used, because importing jupytext takes seconds. A
    marker inside a string does not begin a cell. The text before the first marker, such as jupytext's header,
    has line 1.
    """
    start, options, lines = 1, "", list[str]()
    for number, line in enumerate([*text.split("\n"), "# %%"], 1):
        marker = _MARKER.fullmatch(line)
        before = "\n".join(lines) if marker else ""
        if marker is None or (_OPEN.search(_CLOSED.sub("", before)) and not _KIND.search(options)):
            lines.append(line)
            continue
        if start > 1 or _CLOSED.sub("", before).strip():
            yield start, options, before.rstrip("\n")
        start, options, lines = number + 1, marker[1] or "", []


def marker_keys(place: str, options: str) -> tuple[dict[str, str], str]:
    """Return the keys of a cell's marker with their unquoted values, and the other words of the marker."""
    keys = {key: value.strip("\"'") for key, value in _OPTION.findall(options)}
    title = _KIND.sub("", _OPTION.sub("", options)).strip()
    if "=" in title:
        raise _unreadable(place, title)
    return keys, title


def _unreadable(place: str, title: str) -> SourceError:
    fix = 'put texts in quotes, but not the points, as in check="half" points=2'
    return SourceError(f'{place} has a marker with an unreadable part, "{title}"; {fix}')


def _cell(path: Path, line: int, options: str, text: str) -> Cell:
    place = f"{path}:{line - 1}: this cell"  # `line - 1` is the line of the marker, where the keys are
    (keys, title), is_text = marker_keys(place, options), bool(_KIND.search(options))
    roles = [role for role in GRADED if role in keys]
    if title and roles:
        raise _unreadable(place, title)
    if unknown := sorted(set(keys) - _KEYS):
        fix = "use one of solution, check, manual, demo"
        raise SourceError(f'{place} has the unknown key "{unknown[0]}"; {fix}')
    if len(roles) > 1:
        raise SourceError(f"{place} is both {roles[0]} and {roles[1]}; make two cells of it")
    text = re.sub(r"(?m)^# ?", "", text) if is_text else _MAGIC.sub("", text)
    if not roles:
        role = Role.TEXT if is_text else Role.DEMO if title == "demo" else Role.CODE
        return Cell(role, text, line=line)
    (role,) = roles
    if is_text and role is not Role.MANUAL:
        raise SourceError(f"{place} is marked {role}, so it must be a code cell")
    points = 0.0
    with suppress(ValueError):
        points = float(keys.get("points", 0))
    if role is not Role.SOLUTION and not 0 < points < 1e6:
        raise SourceError(f"{place} needs points above 0 and below a million, as in points=2")
    return Cell(role, text, keys[role], points, line, in_code=role is Role.MANUAL and not is_text)


def _problems(cells: Iterable[Cell]) -> Iterator[tuple[Cell, str]]:
    """Yield the cell and a message for each problem of a graded cell, such as a missing check."""
    solutions, checks, manual = ([cell for cell in cells if cell.role is role] for role in GRADED)
    for cell in solutions + manual:
        if cell.text.count(BEGIN) != cell.text.count(END) or BEGIN not in cell.text:
            yield cell, f'"{cell.name}" needs its answer between "{BEGIN}" and "{END}"'
        elif not any(line.strip(" \t#") for _, line in cell.hidden()):
            yield cell, f'"{cell.name}" has nothing between "{BEGIN}" and "{END}"; move its answer there'
        if not (cell.name.isidentifier() and cell.name.isascii()):
            yield cell, f'"{cell.name}" is not a valid name; use the letters a to z, digits and _'
    earlier = set()
    for cell in solutions + checks + manual:
        if (cell.role, cell.name) in earlier:
            yield cell, f'"{cell.name}" has two {cell.role} cells; keep one'
        earlier.add((cell.role, cell.name))
    yield from _unpaired(solutions, checks)


def _unpaired(solutions: Sequence[Cell], checks: Sequence[Cell]) -> Iterator[tuple[Cell, str]]:
    """Yield solutions that have no check or do not define their question, and checks without a solution."""
    for cell in solutions:
        if cell.name not in {check.name for check in checks}:
            yield cell, f'question "{cell.name}" has no check; add a cell check="{cell.name}" points=1'
        if cell.name not in bound_names(cell.text):
            yield cell, f'the solution cell of "{cell.name}" does not define {cell.name}'
    for check in checks:
        if check.name not in {cell.name for cell in solutions}:
            yield check, f'check "{check.name}" has no solution cell; add one or delete the check'
