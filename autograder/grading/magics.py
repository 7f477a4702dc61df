"""Reads a notebook's cells as IPython does: their top-level statements, and the code inside magics."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from tokenize import TokenError
from warnings import catch_warnings

from autograder.grading.ran_cell import RanCell

MAGICS = frozenset({"run_line_magic", "run_cell_magic"})
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, RuntimeError, TokenError)
_RUNNING = frozenset({"capture", "prun", "time", "timeit"})  # they run Python code, which stands in them
# These bind no name and load no code of the submission. What a worker refuses, such as bash, is among them.
_HARMLESS = """
    ! HTML SVG autoawait autoreload bash cat cd colors conda config debug dirs doctest_mode env file hist
    history html javascript js latex ls lsmagic mamba markdown matplotlib more notebook page pdb pfile pinfo
    pinfo2 pip popd pprint precision psearch psource pushd pwd pycat quickref reset reset_selective sc script
    set_env sh svg sx system unload_ext uv who who_ls whos writefile xdel xmode
"""
_HARMLESS_EXTENSIONS = frozenset({"autoreload", "line_profiler", "memory_profiler", "tensorboard"})
_OPTIONS = re.compile(r"\A(?:\s*--?[A-Za-z][\w-]*(?:\s+\d+)?(?=\s|\Z))+")  # of a magic: -n 10 -r3 --no-stdout
_MAX_MAGIC = 10_000  # characters of a cell with magics: IPython reads it again for each of them
_MAX_DEPTH = 4  # magics inside magics
_MAX_READING = 500_000  # characters that IPython reads for a whole notebook
_ESCAPE = re.compile(r"^[ \t]*[%!?,;/]|=[ \t]*[%!]|\?[ \t]*$", re.MULTILINE)
_BLANK_START = re.compile(r"\A\s*\n")


@dataclass(frozen=True, slots=True)
class Found:
    """A statement at a notebook's top level, and the cell that it stands in."""

    tree: ast.stmt
    cell: int
    certain: bool = True  # whether it ran for certain, and to its end
    plain: bool = True  # whether it stands in the cell itself, and not inside a magic


def involved(codes: Iterable[str]) -> bool:
    """Whether IPython would take too long to read these cells: each magic makes it read its cell again."""
    reading = sum(len(code) * len(_ESCAPE.findall(code)) for code in codes if len(code) <= _MAX_MAGIC)
    return reading > _MAX_READING


def statements(cell: RanCell) -> Iterator[Found]:
    """Yield the statements of a cell that ran, as far as it came; those inside magics among them.

    Where the cell failed, it is the worker that says where, and it may lie: then none of the cell's
    statements is certain. The same holds inside magics, since some of them swallow errors.
    """
    trees = _parsed(cell.code) or []
    lines = [tree.lineno for tree in trees]
    for tree in trees:
        if cell.failed_at and tree.lineno > cell.failed_at:
            return
        certain = cell.failed_at is None
        inner = list(_inside(tree, 0))
        if tree.lineno == cell.failed_at and lines.count(tree.lineno) == 1 and _loads(tree, inner):
            continue  # what could not be loaded has done nothing
        for statement in inner or split(tree):
            yield Found(statement, cell.number, certain and not inner, not inner)


def _loads(tree: ast.stmt, inner: Sequence[ast.stmt]) -> bool:
    """Whether a statement does no more than to load code: an import, or a magic that cannot be read."""
    return isinstance(tree, ast.Import | ast.ImportFrom) or any(map(_is_hidden, inner))


def split(tree: ast.stmt) -> Iterator[ast.stmt]:
    """Yield a statement; an import gives one for each name, so that following one leads to no other."""
    match tree:
        case ast.Import(names=aliases):
            yield from (ast.copy_location(ast.Import([alias]), tree) for alias in aliases)
        case ast.ImportFrom(module, aliases, level):
            yield from (ast.copy_location(ast.ImportFrom(module, [alias], level), tree) for alias in aliases)
        case _:
            yield tree


def harmless(call: ast.AST) -> bool:
    """Whether a node calls a magic that can neither bind a name nor run code of the submission."""
    match call:
        case ast.Call(ast.Attribute(attr=attr), args=[ast.Constant(name), ast.Constant(str(line)), *_]):
            return attr in MAGICS and (
                name in _HARMLESS.split() or (name == "load_ext" and line.strip() in _HARMLESS_EXTENSIONS)
            )
    return False


def _inside(tree: ast.stmt, depth: int) -> Iterator[ast.stmt]:
    """Yield the statements that a magic runs; none where `tree` calls no magic."""
    call = getattr(tree, "value", None)
    match call:
        case ast.Call(ast.Attribute(attr=attr), args=[ast.Constant(name), *rest]) if attr in MAGICS:
            if harmless(call):
                yield ast.copy_location(ast.Pass(), tree)
            elif name not in _RUNNING or depth >= _MAX_DEPTH:
                yield _hidden()
            else:
                codes = [_OPTIONS.sub("", str(code.value)) for code in rest if isinstance(code, ast.Constant)]
                # What stands beside timeit and prun is code, and what stands beside the others is not.
                for code in codes if name in ("prun", "timeit") else codes[-1:]:
                    for statement in _hidden_if_unread(_parsed(code)):
                        yield from list(_inside(statement, depth + 1)) or split(statement)


def _parsed(code: str) -> list[ast.stmt] | None:
    """Return the statements of some code, or None where it is not Python: such code does not run either.

    Lines are counted as IPython counts them, without the blank ones at the beginning.
    """
    code = _BLANK_START.sub("", code)
    with catch_warnings(action="ignore"), suppress(*UNREADABLE):  # a warning is none of the grader's business
        try:
            return ast.parse(code).body
        except SyntaxError:  # its magics may be why
            if len(code) > _MAX_MAGIC:
                return [_hidden()]
            from IPython.core.inputtransformer2 import TransformerManager  # seldom needed, and slow to load

            return ast.parse(str(TransformerManager().transform_cell(code))).body
    return None


def _hidden_if_unread(trees: list[ast.stmt] | None) -> list[ast.stmt]:
    return [_hidden()] if trees is None else trees


def _is_hidden(tree: ast.stmt) -> bool:
    return ast.dump(tree) == ast.dump(_hidden())


def _hidden() -> ast.stmt:
    """Return a statement that stands for code that cannot be read here: it could do anything."""
    return ast.parse("exec()").body[0]
