"""Finds what a question forbids in a submission's syntax trees; a find is for review, not proof."""

import ast
import symtable
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograder.grading.magics import MAGICS, UNREADABLE, involved, top_level

UNSEEN = "a definition that cannot be read"

_OPERATORS: dict[type[ast.operator], tuple[str, frozenset[str]]] = {
    ast.MatMult: ("@", frozenset({"matmul", "rmatmul", "imatmul"}))  # the symbol, and the methods behind it
}
_DYNAMIC = frozenset(
    {"exec", "eval", "compile", "globals", "locals", "vars", "__import__", "builtins", "__builtins__"}
)
_INSIDES = frozenset({"__dict__", "__globals__", "__builtins__", "__code__", "__import__"})
_SHELL = MAGICS | {
    *("run_cell", "user_ns", "ast_transformers", "input_transformers_post", "input_transformers_cleanup")
}
_BY_NAME = frozenset({"getattr", "attrgetter", "methodcaller", "__getattribute__"})
_BINDING = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Import, ast.ImportFrom, ast.Assign),
)
_MAX_CODE = 300_000  # characters of a notebook's code
_MAX_STATEMENTS = 25_000  # at its top level


def broken_rule(question: str, forbidden: Sequence[str], codes: Iterable[str]) -> str | None:
    """Return what `question` uses of `forbidden` anywhere in the code it rests on, or None.

    `codes` are the notebook's code cells, in the order in which they ran. Every name that the question's
    definition takes from outside is followed to where the notebook binds it, so that a helper, an alias or
    an import hides nothing; local variables are free to be called `sum`. What can bind any name or read
    any attribute unseen (exec, globals(), getattr with a computed name) counts as a use.
    """
    if not forbidden:
        return None
    codes, words = list(codes), frozenset(forbidden)
    if sum(map(len, codes)) > _MAX_CODE or involved(codes):
        return UNSEEN
    statements = _statements(codes)
    names = _Names(statements)
    pending, _ = names.rest_on(question)
    if not pending:
        return UNSEEN
    pending += [statement for statement in statements if statement.binds_anything]
    seen = set[int]()
    while pending:
        statement = pending.pop()
        if statement.number in seen:
            continue
        seen.add(statement.number)
        if found := _use(statement.tree, words):
            return found
        for name, known in statement.names():
            fresh, bound = names.rest_on(name, known)
            if name in words | _DYNAMIC and not bound:
                return name
            pending += fresh
    return None


@dataclass(frozen=True, slots=True)
class _Statement:
    """A top-level statement and the names that pass between it and the rest of the notebook."""

    number: int
    tree: ast.stmt
    sets: frozenset[str]  # names it binds for certain
    touches: frozenset[str]  # names it may bind, or whose objects it may change
    reads: frozenset[str]  # names it takes from outside when it runs
    calls: frozenset[str]  # names its functions take from outside when they are called

    def names(self) -> Iterator[tuple[str, int | None]]:
        """Yield each name taken from outside, and how many statements had run by then (None: all)."""
        for name in self.reads:
            yield name, self.number
        for name in self.calls:
            yield name, None

    @property
    def binds_anything(self) -> bool:
        """Whether this can bind any name of the notebook without spelling it."""
        shell = (node.attr for node in ast.walk(self.tree) if isinstance(node, ast.Attribute))
        return bool((self.reads | self.calls) & _DYNAMIC) or not _SHELL.isdisjoint(shell)


class _Names:
    """Which statements each name rests on; each is told once, so that telling all takes linear time."""

    def __init__(self, statements: Sequence[_Statement]) -> None:
        self._statements = statements
        self._touched: dict[
            str, list[int]
        ] = {}  # numbers of statements that bind a name or change its object
        self._starts: dict[str, list[int]] = {}  # where in that list what counts begins, as of each entry
        self._told: dict[tuple[str, int], int] = {}
        for statement in statements:
            for name in statement.sets | statement.touches:
                self._add(name, statement)

    def _add(self, name: str, statement: _Statement) -> None:
        touched, starts = self._touched.setdefault(name, []), self._starts.setdefault(name, [])
        ends = name in statement.sets or isinstance(statement.tree, ast.Delete)
        starts.append(len(touched) if ends else starts[-1] if starts else 0)
        touched.append(statement.number)

    def rest_on(self, name: str, known: int | None = None) -> tuple[list[_Statement], bool]:
        """Return what `name` rests on: the last to bind it for certain before `known`, and later touches.

        Those told before are left out; the second value says whether it is bound for certain.
        """
        touched = self._touched.get(name, [])
        end = len(touched) if known is None else bisect_left(touched, known)
        if not end:
            return [], False
        start = self._starts[name][end - 1]
        fresh = touched[max(start, self._told.get((name, start), 0)) : end]
        self._told[name, start] = max(end, self._told.get((name, start), 0))
        found = [self._statements[number] for number in reversed(fresh)]
        return found, name in self._statements[touched[start]].sets


def _statements(codes: Iterable[str]) -> list[_Statement]:
    trees = [tree for code in codes for tree in top_level(code)]
    if len(trees) > _MAX_STATEMENTS:
        return []
    imports = [tree for tree in trees if isinstance(tree, ast.Import | ast.ImportFrom)]
    modules = {alias.asname or alias.name.partition(".")[0] for tree in imports for alias in tree.names}
    return [_statement(number, tree, modules) for number, tree in enumerate(trees)]


def _statement(number: int, tree: ast.stmt, modules: Collection[str]) -> _Statement:
    try:
        top = symtable.symtable(ast.unparse(tree), "cell", "exec")
    except UNREADABLE:
        names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        return _Statement(number, tree, frozenset(), names, names, names)
    symbols = top.get_symbols()
    bound = _names(symbol for symbol in symbols if symbol.is_assigned() or symbol.is_imported())
    inner = [symbol for table in _inner_tables(top) for symbol in table.get_symbols() if symbol.is_global()]
    reads = _names(symbol for symbol in symbols if symbol.is_referenced())
    calls = _names(symbol for symbol in inner if symbol.is_referenced())
    touched = _names(symbol for symbol in inner if symbol.is_assigned())
    touched |= _changed(tree, modules) & (reads | calls)
    return _Statement(
        number, tree, bound if _is_binding(tree) else frozenset(), bound | touched, reads, calls
    )


def _is_binding(tree: ast.stmt) -> bool:
    """Whether running the statement binds its names for certain."""
    if isinstance(tree, ast.AnnAssign):
        return tree.value is not None
    return isinstance(tree, _BINDING)


def _inner_tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _inner_tables(child)


def _names(symbols: Iterable[symtable.Symbol]) -> frozenset[str]:
    return frozenset(symbol.get_name() for symbol in symbols)


def _changed(tree: ast.stmt, modules: Collection[str]) -> frozenset[str]:
    """Return the names whose objects are written into: `table["f"] = ...`, `table.append(...)`.

    `torch.manual_seed(0)` alone on its line changes nothing that a name of `modules` stands for.
    """
    found = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                found.add(_root(node))
            case ast.Expr(ast.Call(ast.Attribute(value=owner))) if _root(owner) not in modules:
                found.add(_root(owner))
    return frozenset(found)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _use(tree: ast.stmt, words: frozenset[str]) -> str | None:
    """Return what of `words` the statement spells out; bare names are the caller's to judge."""
    nodes = list(ast.walk(tree))
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        found = _fetched(node, words) or _operator(node, words) or _imported(node, words)
        if found := found or _attribute(node, words, called):
            return found
    return None


def _fetched(node: ast.AST, words: Collection[str]) -> str | None:
    """Return the word that getattr or its like fetches, or the function's name if the word is computed."""
    match node:
        case ast.Call(ast.Name(function) | ast.Attribute(attr=function), arguments) if function in _BY_NAME:
            for argument in arguments[1:2] if function == "getattr" else arguments:
                if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                    return function
                if found := _first_word(argument.value.split("."), words):
                    return found
    return None


def _operator(node: ast.AST, words: Collection[str]) -> str | None:
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _OPERATORS:
        symbol, _ = _OPERATORS[type(node.op)]
        return symbol if symbol in words else None
    return None


def _imported(node: ast.AST, words: Collection[str]) -> str | None:
    match node:
        case ast.ImportFrom(module=module, names=aliases):
            return module if module == "builtins" else _first_word([alias.name for alias in aliases], words)
        case ast.Import(names=aliases) if any(alias.name == "builtins" for alias in aliases):
            return "builtins"
    return None


def _attribute(node: ast.AST, words: Collection[str], called: Collection[ast.expr]) -> str | None:
    """Return the attribute that is read, if it is a word or leads to all attributes."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name) if name in _BY_NAME and node not in called:
            return name
        case ast.Attribute(attr=name, ctx=ast.Load()):
            return name if name in _INSIDES | _SHELL else _first_word([name], words)
    return None


def _first_word(names: Iterable[str], words: Collection[str]) -> str | None:
    return next((name for name in names if _is_word(name, words)), None)


def _is_word(name: str, words: Collection[str]) -> bool:
    """Whether an attribute is forbidden, in any of its spellings: `dot`, `dot_`, `__matmul__`."""
    bare = name.strip("_")
    return bare in words or any(
        symbol in words and bare in methods for symbol, methods in _OPERATORS.values()
    )
