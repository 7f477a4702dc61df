"""Finds what a question forbids in a submission's syntax tree; a find is for review, not proof."""

import ast
from collections.abc import Iterable, Mapping, Sequence

_OPERATORS: dict[str, type[ast.operator]] = {"@": ast.MatMult}
_DYNAMIC = frozenset({"exec", "eval", "compile", "__import__"})


def broken_rule(question: str, forbidden: Sequence[str], codes: Iterable[str]) -> str | None:
    """Return what `question` uses of `forbidden` anywhere in the code it rests on, or None.

    `codes` are the notebook's code cells. Whatever the question's definition mentions by name is followed
    into the other definitions of the notebook, so that a helper or an alias hides nothing.
    """
    definitions = _definitions(codes)
    pending, seen = [question], set[str]()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for node in definitions.get(name, ()):
            if found := _use(node, frozenset(forbidden)):
                return found
            pending += [child.id for child in ast.walk(node) if isinstance(child, ast.Name)]
    return None


def _definitions(codes: Iterable[str]) -> Mapping[str, list[ast.AST]]:
    """Return the statements that bind each top-level name."""
    definitions: dict[str, list[ast.AST]] = {}
    for code in codes:
        try:
            body = ast.parse(code).body
        except (SyntaxError, ValueError, RecursionError):
            continue
        for statement in body:
            for name in _bound(statement):
                definitions.setdefault(name, []).append(statement)
    return definitions


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _use(tree: ast.AST, forbidden: frozenset[str]) -> str | None:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)) if name in forbidden:
                return name
            case ast.ImportFrom(names=names) if found := [a.name for a in names if a.name in forbidden]:
                return found[0]
            case ast.Name(id=name) if name in forbidden | _DYNAMIC:
                return name
            case ast.BinOp(op=op) | ast.AugAssign(op=op):
                for symbol, kind in _OPERATORS.items():
                    if symbol in forbidden and isinstance(op, kind):
                        return symbol
    return None
