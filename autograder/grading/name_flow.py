"""Follows names through a notebook: which top-level statements a name rests on when it is used."""

import ast
import symtable
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograder.grading.magics import UNREADABLE, top_level

_BINDING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign)
_MAX_STATEMENTS = 25_000  # at a notebook's top level


@dataclass(frozen=True, slots=True)
class Statement:
    """A top-level statement and the names that pass between it and the rest of the notebook."""

    number: int
    tree: ast.stmt
    sets: frozenset[str]  # names it binds for certain
    touches: frozenset[str]  # names it may bind, or whose objects it may change
    reads: frozenset[str]  # names it takes from outside when it runs
    calls: frozenset[str]  # names its functions take from outside when they are called

    def names(self) -> Iterator[tuple[str, int | None]]:
        """Yield each name taken from outside, and how many statements had run by then (None: all)."""
        yield from ((name, self.number) for name in self.reads)
        yield from ((name, None) for name in self.calls)


class NameFlow:
    """Finds the statements that a name rests on, and each of them once, so that following all is linear."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._touched = defaultdict[str, list[int]](list)  # by name: what binds it or changes its object
        self._starts = defaultdict[str, list[int]](list)  # for each entry there: the first that still counts
        self._given = dict[tuple[str, int], int]()  # by name and start: how far entries were given already
        for statement in statements:
            for name in statement.sets | statement.touches:
                touched, starts = self._touched[name], self._starts[name]
                ends = name in statement.sets or isinstance(statement.tree, ast.Delete)
                starts.append(len(touched) if ends else starts[-1] if starts else 0)
                touched.append(statement.number)

    def rest_on(self, name: str, known: int | None = None) -> tuple[list[Statement], bool]:
        """Return what `name` rests on, as far as the first `known` statements go, but nothing twice.

        That is the last statement to bind it for certain, and all that touched it later. The second value
        says whether there is such a binding.
        """
        touched = self._touched.get(name, [])
        end = len(touched) if known is None else bisect_left(touched, known)
        if not end:
            return [], False
        start = self._starts[name][end - 1]
        given = self._given.get((name, start), start)
        fresh = touched[given:end]
        self._given[name, start] = max(end, given)
        bound = name in self._statements[touched[start]].sets
        return [self._statements[number] for number in reversed(fresh)], bound


def read_statements(codes: Iterable[str]) -> list[Statement]:
    """Return the top-level statements of a notebook's cells; none where there are too many to follow."""
    trees = [tree for code in codes for tree in top_level(code)]
    if len(trees) > _MAX_STATEMENTS:
        return []
    imports = [tree for tree in trees if isinstance(tree, ast.Import | ast.ImportFrom)]
    modules = {alias.asname or alias.name.partition(".")[0] for tree in imports for alias in tree.names}
    return [_statement(number, tree, modules) for number, tree in enumerate(trees)]


def _statement(number: int, tree: ast.stmt, modules: Collection[str]) -> Statement:
    try:
        top = symtable.symtable(ast.unparse(tree), "cell", "exec")
    except UNREADABLE:
        names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        return Statement(number, tree, frozenset(), names, names, names)
    symbols = top.get_symbols()
    bound = _names(symbol for symbol in symbols if symbol.is_assigned() or symbol.is_imported())
    inner = [symbol for table in _inner_tables(top) for symbol in table.get_symbols() if symbol.is_global()]
    reads = _names(symbol for symbol in symbols if symbol.is_referenced())
    calls = _names(symbol for symbol in inner if symbol.is_referenced())
    touched = _names(symbol for symbol in inner if symbol.is_assigned())
    touched |= _changed(tree, modules) & (reads | calls)
    return Statement(number, tree, bound if _is_binding(tree) else frozenset(), bound | touched, reads, calls)


def _is_binding(tree: ast.stmt) -> bool:
    """Whether running the statement binds its names for certain."""
    return tree.value is not None if isinstance(tree, ast.AnnAssign) else isinstance(tree, _BINDING)


def _inner_tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _inner_tables(child)


def _names(symbols: Iterable[symtable.Symbol]) -> frozenset[str]:
    return frozenset(symbol.get_name() for symbol in symbols)


def _changed(tree: ast.stmt, modules: Collection[str]) -> frozenset[str]:
    """Return the names whose objects are written into: `table["f"] = ...`, `table.append(...)`.

    A call to a function of one of the `modules`, such as `torch.manual_seed(0)`, changes no such object.
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
