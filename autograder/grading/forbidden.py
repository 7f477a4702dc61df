"""Finds what a question forbids in a submission's code; a find asks a person to look, and proves nothing."""

import ast
from collections.abc import Collection, Iterable, Sequence

from autograder.grading.magics import MAGICS, involved
from autograder.grading.name_flow import NameFlow, Statement, read_statements

UNSEEN = "a definition that cannot be read"

_MATMUL = frozenset({"matmul", "rmatmul", "imatmul"})  # the methods behind the operator @
_DYNAMIC = {"exec", "eval", "compile", "globals", "locals", "vars", "__import__", "builtins", "__builtins__"}
_INSIDES = frozenset({"__dict__", "__globals__", "__builtins__", "__code__", "__import__"})
_SHELL = MAGICS | {
    *("run_cell", "user_ns", "ast_transformers", "input_transformers_post", "input_transformers_cleanup")
}
_BY_NAME = frozenset({"getattr", "attrgetter", "methodcaller", "__getattribute__"})
_MAX_CODE = 300_000  # characters of a notebook's code


def broken_rule(question: str, forbidden: Sequence[str], codes: Iterable[str]) -> str | None:
    """Return what `question` uses of `forbidden` anywhere in the code it rests on, or None.

    `codes` are the notebook's code cells, in the order in which they ran. Every name that the question's
    definition takes from outside is followed to where the notebook binds it, so a helper, an alias or an
    import hides nothing. A local variable may be called `sum`. Code that can bind any name or read any
    attribute without spelling it (exec, globals(), getattr with a computed name) counts as a use.
    """
    if not forbidden:
        return None
    codes, words = list(codes), frozenset(forbidden)
    if sum(map(len, codes)) > _MAX_CODE or involved(codes):
        return UNSEEN
    statements = read_statements(codes)
    flow = NameFlow(statements)
    pending, _ = flow.rest_on(question)
    if not pending:
        return UNSEEN
    pending += [statement for statement in statements if _binds_anything(statement)]
    seen = set[int]()
    while pending:
        statement = pending.pop()
        if statement.number in seen:
            continue
        seen.add(statement.number)
        if found := _use(statement.tree, words):
            return found
        for name, known in statement.names():
            fresh, bound = flow.rest_on(name, known)
            if name in words | _DYNAMIC and not bound:
                return name
            pending += fresh
    return None


def _binds_anything(statement: Statement) -> bool:
    """Whether a statement can bind any name of the notebook without spelling it."""
    attributes = (node.attr for node in ast.walk(statement.tree) if isinstance(node, ast.Attribute))
    return bool((statement.reads | statement.calls) & _DYNAMIC) or not _SHELL.isdisjoint(attributes)


def _use(tree: ast.stmt, words: frozenset[str]) -> str | None:
    """Return what of `words` a statement spells out, except for bare names, which the caller follows."""
    nodes = list(ast.walk(tree))
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    return next((found for node in nodes if (found := _found(node, words, called))), None)


def _found(node: ast.AST, words: Collection[str], called: Collection[ast.expr]) -> str | None:
    """Return what of `words` a node uses, or the name in it by which any attribute could be read."""
    match node:
        case ast.Call(ast.Name(function) | ast.Attribute(attr=function), arguments) if function in _BY_NAME:
            return _fetched(function, arguments[1:2] if function == "getattr" else arguments, words)
        case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()) if "@" in words:
            return "@"
        case ast.Import(aliases) if any(alias.name == "builtins" for alias in aliases):
            return "builtins"
        case ast.ImportFrom("builtins"):
            return "builtins"
        case ast.ImportFrom(names=aliases):
            return _first_word([alias.name for alias in aliases], words)
        case ast.Name(name) | ast.Attribute(attr=name) if name in _BY_NAME and node not in called:
            return name
        case ast.Attribute(attr=name, ctx=ast.Load()):
            return name if name in _INSIDES | _SHELL else _first_word([name], words)
    return None


def _fetched(function: str, arguments: Iterable[ast.expr], words: Collection[str]) -> str | None:
    """Return the word that getattr and its like fetch; where it is computed, the name of that function."""
    for argument in arguments:
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
            return function
        if found := _first_word(argument.value.split("."), words):
            return found
    return None


def _first_word(names: Iterable[str], words: Collection[str]) -> str | None:
    """Return the first name that is forbidden in any of its spellings: `dot`, `dot_`, `__matmul__`."""
    bare = ((name, name.strip("_")) for name in names)
    return next((name for name, word in bare if word in words or ("@" in words and word in _MATMUL)), None)
