"""Follows names through a notebook: which top-level statements a name rests on when it is used."""

import ast
import symtable
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograder.grading.magics import UNREADABLE, Found, statements
from autograder.grading.modules import star_binds
from autograder.grading.ran_cell import RanCell

_BINDING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign)
_MAX_SCOPED = 1_000_000  # functions in a statement times names in it: Python's tables may grow with that
_MAX_STARS = 50  # star imports, each of which is looked through for every name
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp)
_NAMED = (ast.Name, ast.arg, ast.Global, ast.Nonlocal, ast.alias, ast.ExceptHandler)


@dataclass(frozen=True, slots=True)
class Statement:
    """A top-level statement and the names that pass between it and the rest of the notebook."""

    number: int
    found: Found
    nodes: tuple[ast.AST, ...]  # of its tree, as ast.walk finds them, which takes longer than all else
    sets: frozenset[str]  # names it binds for certain
    touches: frozenset[str]  # names it may bind, or whose objects it may change
    reads: frozenset[str]  # names it takes from outside when it runs
    calls: frozenset[str]  # names its functions take from outside when they are called
    own: frozenset[str]  # names that are local to one of its functions

    @property
    def tree(self) -> ast.stmt:
        """The statement itself."""
        return self.found.tree

    @property
    def is_plain_function(self) -> bool:
        """Whether it is a function as it stands in its cell, without decorators."""
        return self.found.plain and isinstance(self.tree, ast.FunctionDef) and not self.tree.decorator_list

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
        self._stars = [statement for statement in statements if _is_star(statement.tree)]
        for statement in statements:
            for name in statement.sets | statement.touches:
                touched, starts = self._touched[name], self._starts[name]
                deleted = isinstance(statement.tree, ast.Delete) and statement.found.certain
                ends = name in statement.sets or deleted
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
            return self._stars_for(name, None, known), False
        start = self._starts[name][end - 1]
        given = self._given.get((name, start), start)
        fresh = touched[given:end]
        self._given[name, start] = max(end, given)
        bound = name in self._statements[touched[start]].sets
        stars = self._stars_for(name, touched[start] if bound else None, known)
        return [*stars, *(self._statements[number] for number in reversed(fresh))], bound

    def _stars_for(self, name: str, bound: int | None, known: int | None) -> list[Statement]:
        """Return the star imports that may have bound a name again, after the statement `bound` did.

        Where none did, that is all from modules which are not known here.
        """
        before = (star for star in self._stars if known is None or star.number < known)
        if bound is None:
            return [star for star in before if star_binds(star.tree, "")]
        return [star for star in before if star.number > bound and star_binds(star.tree, name)]


def read_statements(cells: Iterable[RanCell]) -> list[Statement] | None:
    """Return the top-level statements of the cells that ran, or None where they are too much to follow."""
    found = [statement for cell in cells for statement in statements(cell)]
    stars = sum(_is_star(statement.tree) for statement in found)
    walked = [tuple(ast.walk(statement.tree)) for statement in found]
    if stars > _MAX_STARS or any(map(_is_involved, walked)):
        return None
    imports = [one.tree for one in found if isinstance(one.tree, ast.Import | ast.ImportFrom)]
    modules = {alias.asname or alias.name.partition(".")[0] for tree in imports for alias in tree.names}
    each = zip(found, walked, strict=True)
    return [_statement(number, one, nodes, modules) for number, (one, nodes) in enumerate(each)]


def _statement(number: int, found: Found, nodes: tuple[ast.AST, ...], modules: Collection[str]) -> Statement:
    tree = found.tree
    if isinstance(tree, ast.Import | ast.ImportFrom):  # there may be thousands, and they need no tables
        names = frozenset(alias.asname or alias.name.partition(".")[0] for alias in tree.names) - {"*"}
        nothing = frozenset[str]()
        sets = names if found.certain else nothing
        return Statement(number, found, nodes, sets, names, nothing, nothing, nothing)
    try:
        top = symtable.symtable(ast.unparse(tree), "cell", "exec")
    except UNREADABLE:
        names = frozenset(node.id for node in nodes if isinstance(node, ast.Name))
        return Statement(number, found, nodes, frozenset(), names, names, names, frozenset())
    symbols = top.get_symbols()
    bound = _names(symbol for symbol in symbols if symbol.is_assigned() or symbol.is_imported())
    within = [symbol for table in _inner_tables(top) for symbol in table.get_symbols()]
    inner = [symbol for symbol in within if symbol.is_global()]
    reads = _names(symbol for symbol in symbols if symbol.is_referenced())
    calls = _names(symbol for symbol in inner if symbol.is_referenced())
    touched = _names(symbol for symbol in inner if symbol.is_assigned())
    touched |= _changed(nodes, modules) & (reads | calls)
    sets = bound if found.certain and _is_binding(tree) else frozenset[str]()
    own = _names(symbol for symbol in within if symbol.is_local())
    return Statement(number, found, nodes, sets, bound | touched, reads, calls, own)


def _is_involved(nodes: Sequence[ast.AST]) -> bool:
    """Whether a statement holds so many functions and names that Python's tables of them would be large."""
    scopes = sum(isinstance(node, (*_SCOPES, ast.DictComp, ast.GeneratorExp)) for node in nodes)
    names = sum(isinstance(node, _NAMED) for node in nodes)
    return scopes * names > _MAX_SCOPED


def _is_star(tree: ast.stmt) -> bool:
    return isinstance(tree, ast.ImportFrom) and tree.names[0].name == "*"


def _is_binding(tree: ast.stmt) -> bool:
    """Whether running the statement binds its names for certain."""
    return tree.value is not None if isinstance(tree, ast.AnnAssign) else isinstance(tree, _BINDING)


def _inner_tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    pending = table.get_children()
    while pending:
        child = pending.pop()
        yield child
        pending += child.get_children()


def _names(symbols: Iterable[symtable.Symbol]) -> frozenset[str]:
    return frozenset(symbol.get_name() for symbol in symbols)


def _changed(nodes: Iterable[ast.AST], modules: Collection[str]) -> frozenset[str]:
    """Return the names whose objects are written into: `table["f"] = ...`, `table.append(...)`.

    A call to a function of one of the `modules`, such as `torch.manual_seed(0)`, changes no such object.
    """
    found = set[str]()
    for node in nodes:
        match node:
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                found.add(_root(node))
            case ast.Expr(ast.Call(ast.Attribute(value=owner))) if _root(owner) not in modules:
                found.add(_root(owner))
            case ast.Call(ast.Name("setattr" | "delattr"), [owner, *_]):
                found.add(_root(owner))
    return frozenset(found)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
