"""Reads a notebook's cells as IPython does: their top-level statements, and the code inside magics."""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from tokenize import TokenError

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
    return (
        sum(len(code) * len(_ESCAPE.findall(code)) for code in codes if len(code) <= _MAX_MAGIC)
        > _MAX_READING
    )


def top_level(code: str, depth: int = 0) -> Iterator[ast.stmt]:
    """Yield a cell's top-level statements; a magic gives the statements inside it, an import one per name."""
    for statement in _parsed(code):
        inner = _magic(statement)
        if inner is not None and depth < _MAX_DEPTH:
            yield from top_level(inner, depth + 1)
        elif inner is not None:
            yield _HIDDEN
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            yield from _single_imports(statement)
        else:
            yield statement


def _parsed(code: str) -> list[ast.stmt]:
    """Return a cell's statements, or none where it is not Python: such a cell does not run either."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about a student's code are none of the grader's business
        try:
            return ast.parse(code).body
        except SyntaxError:
            pass  # its magics may be why
        except UNREADABLE:
            return []
        if len(code) > _MAX_MAGIC:
            return [_HIDDEN]
        try:
            return ast.parse(str(TransformerManager().transform_cell(code))).body
        except UNREADABLE:
            return []


def _magic(statement: ast.stmt) -> str | None:
    """Return the code that a magic such as `%time` or `%%capture` runs."""
    match getattr(statement, "value", None):
        case ast.Call(ast.Attribute(attr=name), args=[*_, ast.Constant(str(code))]) if name in MAGICS:
            return code
    return None


def _single_imports(statement: ast.Import | ast.ImportFrom) -> Iterator[ast.stmt]:
    """Yield an import once per name, so that following one name does not lead to the others."""
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            yield ast.ImportFrom(statement.module, [alias], statement.level)
        else:
            yield ast.Import([alias])
