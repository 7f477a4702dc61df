"""Reads a notebook's cells as IPython does: their top-level statements, and the code inside magics."""

import ast
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from tokenize import TokenError
from warnings import catch_warnings

from IPython.core.inputtransformer2 import TransformerManager

MAGICS = frozenset({"run_line_magic", "run_cell_magic"})
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, RuntimeError, TokenError)
_HIDDEN = ast.parse("exec()").body[0]  # stands for code that takes too long to read: it could do anything
_MAX_MAGIC = 10_000  # characters of a cell with magics: IPython reads it again for each of them
_MAX_DEPTH = 4  # magics inside magics
_MAX_READING = 500_000  # characters that IPython reads for a whole notebook
_ESCAPE = re.compile(r"^[ \t]*[%!?,;/]|=[ \t]*[%!]|\?[ \t]*$", re.MULTILINE)


def involved(codes: Iterable[str]) -> bool:
    """Whether IPython would take too long to read these cells: each magic makes it read its cell again."""
    reading = sum(len(code) * len(_ESCAPE.findall(code)) for code in codes if len(code) <= _MAX_MAGIC)
    return reading > _MAX_READING


def top_level(code: str, depth: int = 0) -> Iterator[ast.stmt]:
    """Yield a cell's top-level statements: for a magic those inside it, for an import one for each name.

    An import is split so that following one of its names does not lead to the others.
    """
    for statement in _parsed(code):
        inner = _magic(statement)
        if inner is not None and depth < _MAX_DEPTH:
            yield from top_level(inner, depth + 1)
        elif inner is not None:
            yield _HIDDEN
        elif isinstance(statement, ast.Import):
            yield from (ast.Import([alias]) for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            module, level = statement.module, statement.level
            yield from (ast.ImportFrom(module, [alias], level) for alias in statement.names)
        else:
            yield statement


def _parsed(code: str) -> list[ast.stmt]:
    """Return a cell's statements, or none where it is not Python: such a cell does not run either."""
    with catch_warnings(action="ignore"), suppress(*UNREADABLE):  # a warning is none of the grader's business
        try:
            return ast.parse(code).body
        except SyntaxError:  # its magics may be why
            if len(code) > _MAX_MAGIC:
                return [_HIDDEN]
            return ast.parse(str(TransformerManager().transform_cell(code))).body
    return []


def _magic(statement: ast.stmt) -> str | None:
    """Return the code that a magic such as `%time` or `%%capture` runs."""
    match getattr(statement, "value", None):
        case ast.Call(ast.Attribute(attr=name), args=[*_, ast.Constant(str(code))]) if name in MAGICS:
            return code
    return None
