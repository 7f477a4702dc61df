"""The top-level statements of a notebook, the names that each binds and uses, and what a name rests on."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.submission.readable import readable

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
_ASSIGNED_MAGIC = re.compile(r"=[ \t]*[%!].*$", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")
_BINDING = re.compile(r"^[^=(\n]*(?<![!<>:])=(?!=)|\b(?:def|class|import|as|for|global)\b.*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Piece:
    """A top-level statement, or a cell that cannot be parsed, of which words where names are bound count."""

    tree: ast.stmt | None
    bound: frozenset[str]  # names of the notebook
    named: frozenset[str]  # all names in it


def pieces(codes: Iterable[str]) -> list[Piece]:
    """Return the pieces of a notebook's code cells; magics count as nothing."""
    codes = list(codes)
    is_readable = readable(codes)
    found = list[Piece]()
    for code in codes:
        body = parsed(code) if is_readable else None
        if body is None:
            bound = frozenset(_WORD.findall(" ".join(_BINDING.findall(code))))
            found.append(Piece(None, bound, frozenset(_WORD.findall(code))))
        found += [Piece(statement, bindings(statement), _named(statement)) for statement in body or ()]
    return found


def parsed(code: str) -> list[ast.stmt] | None:
    """Return a cell's statements, with `pass` or None for each magic; None where it is no Python."""
    plain = _ASSIGNED_MAGIC.sub("= None", _MAGIC.sub(r"\1pass", code))
    for text in (code, plain):
        try:
            return ast.parse(text).body
        except UNREADABLE:
            continue
    return None


def rests_on(name: str, found: Sequence[Piece]) -> tuple[list[Piece], set[str]]:
    """Return the pieces that a name leads to, each once, and every name in them."""
    binding = defaultdict[str, list[int]](list)
    for number, piece in enumerate(found):
        for one in piece.bound:
            binding[one].append(number)
    seen, followed, pending = set[str](), dict[int, None](), [name]
    while pending:
        for number in binding.pop(pending.pop(), ()):
            if number not in followed:
                followed[number] = None
                pending += found[number].named - seen
                seen |= found[number].named
    return [found[number] for number in followed], seen


def bindings(statement: ast.stmt) -> frozenset[str]:
    """Return the notebook's names that a statement binds, without those that are local to a function."""
    nodes = list(ast.walk(statement))
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        return frozenset(shared | {statement.name})
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    imported = {
        alias.asname or alias.name.partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return frozenset(stored | imported | defined)


def _named(statement: ast.stmt) -> frozenset[str]:
    """Return the names in a statement, without what are a function's or a method's own arguments."""
    if isinstance(statement, ast.ClassDef):
        around = [*statement.decorator_list, *statement.bases, *statement.keywords]
        return _names(around).union(*map(_named, statement.body))
    if not isinstance(statement, ast.FunctionDef):
        return _names([statement])
    around = [statement.args, *statement.decorator_list, *filter(None, [statement.returns])]
    inside = [node for part in statement.body for node in ast.walk(part)]
    shared = {name for node in inside if isinstance(node, ast.Global) for name in node.names}
    own = {node.arg for node in ast.walk(statement.args) if isinstance(node, ast.arg)} - shared
    return _names(statement.body) - own | _names(around)


def _names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(node.id for one in nodes for node in ast.walk(one) if isinstance(node, ast.Name))
