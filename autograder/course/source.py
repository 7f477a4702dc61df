"""Reads an exercise's source, a notebook as text, and reports errors by file and line."""

import ast
import hashlib
import html
import json
import re
import struct
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field, replace
from enum import StrEnum
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from textwrap import indent
from typing import Any

from autograder.course.code import bound_names
from autograder.course.names import check_id
from autograder.course.yaml_lines import Document, DocumentError, Problem, read_document
from autograder.errors import AutograderError
from autograder.files import write_whole

_FIGURE = re.compile(r"!\[([^\]]*)\]\(([\w-]+\.(svg|png))\)")
_LOADED = re.compile(r"^# %load \.\./(\w+\.py)$", re.MULTILINE)
_KINDS = {"svg": "svg+xml", "png": "png"}
SUFFIXES = tuple(f".{kind}" for kind in _KINDS)
_PNG = b"\x89PNG\r\n\x1a\n"
_IN_A_METRE = 96 / 0.0254  # pixels, by which browsers measure


def with_figures(text: str, read: Callable[[str], bytes]) -> str:
    """Return a text with the figures in it that `read` gives by their names."""
    return _FIGURE.sub(lambda match: _image(match[1], read(match[2]), _KINDS[match[3]]), text)


def _image(words: str, figure: bytes, kind: str) -> str:
    told = html.escape(" ".join(words.split()))
    content = b64encode(figure).decode()
    return f'<img alt="{told}"{_width(figure)} src="data:image/{kind};base64,{content}">'


def _width(figure: bytes) -> str:
    """Return the attribute by which a PNG that says how fine it is comes out as large as it was drawn."""
    place = figure.find(b"pHYs", 0, figure.find(b"IDAT")) if figure.startswith(_PNG) else -1
    if place < 0:
        return ""
    (pixels,), (in_a_metre,) = (struct.unpack_from("!I", figure, at) for at in (16, place + 4))
    return f' width="{pixels * _IN_A_METRE / in_a_metre:.0f}"'


FOLDER = "build/sources"
_DEPTH = 3  # folders around a course's source: its own, solutions and the course's


def read_kept(path: Path, text: str) -> list[Any] | None:
    """Return what was kept of the source at `path` with this text; None where nothing was.

    Reading a source anew takes each command half a second. The kept file's name tells all on which the cells
    depend, so one that is there is right, and any other is deleted.
    """
    try:
        kept = json.loads(_place(path, text).read_text(encoding="utf-8"))
    except (OSError, ValueError, IndexError):
        return None
    return kept if isinstance(kept, list) else None


def keep(path: Path, text: str, cells: list[Any]) -> None:
    """Keep the cells of a source, in a course whose folder can be written to."""
    if len(path.parents) < _DEPTH or not (path.parents[2] / "course.yaml").is_file():
        return
    place = _place(path, text)
    with suppress(OSError):
        write_whole(place, json.dumps(cells))
        for other in place.parent.glob(f"{path.stem}-*.json"):
            if other != place:
                other.unlink(missing_ok=True)


def _place(path: Path, text: str) -> Path:
    digest = hashlib.sha256(f"{_reader()} {text}".encode("utf-8", "replace")).hexdigest()[:16]
    return path.parents[2] / FOLDER / f"{path.stem}-{digest}.json"


@cache
def _reader() -> str:
    """Return what tells one way of reading sources from another."""
    return f"{version('jupytext')} {hashlib.sha256(Path(__file__).read_bytes()).hexdigest()}"


BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_KEYS = {"solution", "check", "manual", "points", "title", "tags", "lines_to_next_cell"}


class SourceError(AutograderError):
    """Something is wrong in an exercise's folder; the message says what, where, and what to do."""


class Role(StrEnum):
    """What a cell of the source is for."""

    TEXT = "text"
    CODE = "code"
    SOLUTION = "solution"
    CHECK = "check"
    MANUAL = "manual"
    DEMO = "demo"


GRADED = (Role.SOLUTION, Role.CHECK, Role.MANUAL)  # what a key of the cell's marker says


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
        """The cell's id in nbgrader: the question's name, or what `check_id` makes of it for a check."""
        return check_id(self.name) if self.role is Role.CHECK else self.name

    def hidden(self) -> list[tuple[int, str]]:
        """Return the lines of the answer that students do not get, each with its place in the text."""
        lines, inside = [], False
        for number, line in enumerate(self.text.split("\n")):
            inside = (inside or BEGIN in line) and END not in line
            if inside and BEGIN not in line:
                lines.append((number, line))
        return lines

    @property
    def model(self) -> str:
        """The author's answer, of a written one without its rubric."""
        return self._answer_and_rubric()[0]

    @property
    def rubric(self) -> list[str]:
        """What a full written answer names, each with its points; students read it after they have written.

        It is the last paragraph of the model answer, if that is in parentheses, with `;` between the things.
        """
        text = " ".join(self._answer_and_rubric()[1].split()).rstrip(".")
        return [thing.strip() for thing in text.split(";") if thing.strip()]

    def _answer_and_rubric(self) -> tuple[str, str]:
        text = "\n".join(line for _, line in self.hidden()).strip()
        answer, _, last = text.rpartition("\n\n")
        has_rubric = self.role is Role.MANUAL and answer and last.startswith("(") and last.endswith(")")
        return (answer, last[1:-1]) if has_rubric else (text, "")

    def released(self) -> str:
        """Return the text with its solution cut out, as nbgrader's ClearSolutions would."""
        stub = "# YOUR CODE HERE\nraise NotImplementedError()" if self.is_code else "YOUR ANSWER HERE"
        lines, hidden = [], {number for number, _ in self.hidden()}
        for number, line in enumerate(self.text.split("\n")):
            if BEGIN in line:
                lines.append(indent(stub, line[: len(line) - len(line.lstrip())]))
            elif number not in hidden and END not in line:
                lines.append(line)
        return "\n".join(lines)


def read_source(path: Path) -> tuple[Cell, ...]:
    """Return the cells of the source at `path`, with what they show; SourceError says what is wrong."""
    source = _Source(read_text(path), path)
    return tuple(_with_files(path, cell) for cell in _cells(source))


def loaded(path: Path) -> list[Path]:
    """Return the files that demo cells of the source at `path` load from the folder of all exercises."""
    return [path.parents[1] / name for name in _LOADED.findall(read_text(path))] if path.is_file() else []


def _with_files(path: Path, cell: Cell) -> Cell:
    """Return a text cell with its figures in it, and a demo cell as the file that it loads, if any."""

    def read(name: str) -> bytes:
        try:
            return path.parent.joinpath(name).read_bytes()
        except FileNotFoundError:
            fix = "put it there, or name another file"
            raise SourceError(
                f"{path}:{cell.line}: this cell needs {name}, which is missing; {fix}"
            ) from None

    if cell.role is Role.DEMO and (load := _LOADED.fullmatch(f"# {cell.text}")):
        return replace(cell, text=read(f"../{load[1]}").decode().strip())
    return replace(cell, text=with_figures(cell.text, read)) if cell.role is Role.TEXT else cell


def fingerprint(code: str) -> str:
    """Return a short fingerprint of a cell's code, in which comments and blank lines do not count."""
    lines = (line.rstrip() for line in code.splitlines())
    kept = "\n".join(line for line in lines if line and not line.lstrip().startswith("#"))
    return hashlib.sha256(kept.encode("utf-8", "replace")).hexdigest()[:12]


def read_text(path: Path) -> str:
    """Return the text of an author's file; SourceError with the line where it is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SourceError(f"{path}:{line}: not UTF-8 text; save it as UTF-8") from None


def read_yaml(path: Path) -> Document:
    """Return an author's YAML file; SourceError says on which lines it is wrong."""
    try:
        return read_document(read_text(path))
    except DocumentError as error:
        raise wrong_lines(path, error.problems) from None


def wrong_lines(path: Path, problems: Iterable[Problem]) -> SourceError:
    """Return the error that names each problem in an author's file."""
    return SourceError("\n".join(f"{path}:{problem.line}: {problem.message}" for problem in problems))


def parsed(path: Path, code: str, line: int = 1) -> ast.Module:
    """Return the syntax tree of `code`, which begins on this line of the file; SourceError if it has none."""
    try:
        return ast.parse(code)
    except SyntaxError as error:
        line += (error.lineno or 1) - 1
        raise SourceError(f"{path}:{line}: {error.msg}; it must be Python") from None
    except ValueError as error:
        raise SourceError(f"{path}:{line}: {error}; it must be Python") from None


@dataclass(frozen=True)
class _Source:
    """A source's text, wherever it lies: copies of it have the same cells."""

    text: str
    path: Path = field(compare=False)


@lru_cache(maxsize=32)
def _cells(source: _Source) -> tuple[Cell, ...]:
    """Read each text only once, since nbgrader loads the course again for every submission.

    From one command to the next, the cells are kept on disk.
    """
    if (kept := read_kept(source.path, source.text)) is not None:
        return tuple(Cell(Role(role), *values) for role, *values in kept)
    cells = _read_cells(source.path, source.text)
    keep(source.path, source.text, [astuple(cell) for cell in cells])
    return cells


def _read_cells(path: Path, text: str) -> tuple[Cell, ...]:
    import jupytext  # here, since it loads half of Jupyter, which most users of a course do without

    raw_cells = jupytext.reads(text, fmt="py:percent").cells
    lines = _first_lines(text, raw_cells)
    cells = tuple(_cell(path, raw, line) for raw, line in zip(raw_cells, lines, strict=True))
    for cell in cells:
        if cell.is_reference:
            parsed(path, cell.text, cell.line)
    for cell, problem in _problems(cells):
        raise SourceError(f"{path}:{cell.line}: {problem}")
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
    place = f"{path}:{line - 1}: this cell"  # the line of its marker, which bears the keys
    if unread := raw.metadata.get("incorrectly_encoded_metadata"):
        fix = 'write text in quotes and points as a number, as in check="half" points=2'
        raise SourceError(f"{place} has keys that cannot be read, {unread}; {fix}")
    if unknown := sorted(set(raw.metadata) - _KEYS):
        fix = "use one of solution, check, manual, demo"
        raise SourceError(f'{place} has the unknown key "{unknown[0]}"; {fix}')
    role, *others = [role for role in GRADED if role in raw.metadata] or [_plain_role(raw)]
    if others:
        raise SourceError(f"{place} is both {role} and {others[0]}; make two cells of it")
    if role not in GRADED:
        return Cell(role, raw.source, line=line)
    if (raw.cell_type == "markdown") is not (role is Role.MANUAL):
        kind = "markdown" if role is Role.MANUAL else "code"
        raise SourceError(f"{place} is marked {role}; that takes a {kind} cell")
    points = raw.metadata.get("points", 0)
    if role is not Role.SOLUTION and not (isinstance(points, int | float) and 0 < points < 1e6):
        raise SourceError(f"{place} needs points above 0 and below a million, as in points=2")
    return Cell(role, raw.source, str(raw.metadata[role]), float(points), line)


def _plain_role(raw: Any) -> Role:
    if raw.cell_type == "markdown":
        return Role.TEXT
    return Role.DEMO if raw.metadata.get("title") == "demo" else Role.CODE


def _problems(cells: Iterable[Cell]) -> Iterator[tuple[Cell, str]]:
    """Yield each graded cell that cannot be cut out of the release, be named or be paired, and say why."""
    solutions, checks, manual = ([cell for cell in cells if cell.role is role] for role in GRADED)
    for cell in solutions + manual:
        if cell.text.count(BEGIN) != cell.text.count(END) or BEGIN not in cell.text:
            yield cell, f'"{cell.name}" needs its answer between "{BEGIN}" and "{END}"'
        elif not any(line.strip(" \t#") for _, line in cell.hidden()):
            yield cell, f'"{cell.name}" has nothing between "{BEGIN}" and "{END}"; move its answer there'
        if not (cell.name.isidentifier() and cell.name.isascii()):
            yield cell, f'"{cell.name}" is no name; use the letters a to z, digits and _'
    seen = set()
    for cell in solutions + checks + manual:
        if (cell.role, cell.name) in seen:
            yield cell, f'"{cell.name}" has two {cell.role} cells; keep one'
        seen.add((cell.role, cell.name))
    yield from _unpaired(solutions, checks)


def _unpaired(solutions: Sequence[Cell], checks: Sequence[Cell]) -> Iterator[tuple[Cell, str]]:
    for cell in solutions:
        if cell.name not in {check.name for check in checks}:
            yield cell, f'question "{cell.name}" has no check; add a cell check="{cell.name}" points=1'
        if cell.name not in bound_names(cell.text):
            yield cell, f'the solution cell of "{cell.name}" does not define {cell.name}'
    for check in checks:
        if check.name not in {cell.name for cell in solutions}:
            yield check, f'check "{check.name}" has no solution cell; add one or delete the check'
