"""Rewrites Python's syntax trees; a new tree shares with the old one all that stays as it is."""

import ast
import copy
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

New = ast.AST | list[ast.stmt]  # what stands in the place of a node; of a statement, several may
HOLE = "_hole_"  # a name that stands for what a step acts on
_TOKEN = re.compile(r"\w+|[^\w\s]")
_KEPT = 2048  # trees of which it is remembered what was asked before
_Tree = TypeVar("_Tree", bound=ast.AST)


def altered(node: _Tree, **parts: Any) -> _Tree:
    """Return a copy of a node with other parts."""
    made = copy.copy(node)
    vars(made).update(parts)
    return made


def rewritten(
    node: ast.AST, change: Callable[[ast.AST, ast.AST], New], near: Container[int] | None = None
) -> Any:
    """Return what becomes of a tree by a change at each of its nodes, the inner ones first.

    `change` gets a node and what its parts have made of it. If `near` is there, only nodes with these
    addresses change.
    """
    if near is not None and id(node) not in near:
        return node
    made = node
    for name, value in ast.iter_fields(node):
        new: object = value
        if isinstance(value, ast.AST):
            new = rewritten(value, change, near)
        elif isinstance(value, list):
            parts = [rewritten(one, change, near) if isinstance(one, ast.AST) else one for one in value]
            if any(one is not other for one, other in zip(parts, value, strict=True)):
                flat = [one for part in parts for one in (part if isinstance(part, list) else [part])]
                new = flat or [ast.Pass()]
        if new is not value:
            made = copy.copy(node) if made is node else made
            setattr(made, name, new)
    return change(node, made)


def replaced(tree: ast.AST, new: Mapping[int, New], near: Container[int] | None = None) -> Any:
    """Return a tree in which others stand in the place of the nodes with these addresses."""
    return rewritten(tree, lambda old, made: new.get(id(old), made), near)


def with_values(tree: _Tree, values: Mapping[str, ast.expr]) -> _Tree:
    """Return a tree with values in the place of names that are read, and of attributes such as "self.key"."""

    def change(_: ast.AST, made: ast.AST) -> ast.AST:
        match made:
            case ast.Name(id=name, ctx=ast.Load()):
                return values.get(name, made)
            case ast.Attribute(value=ast.Name("self"), attr=name) if f"self.{name}" in values:
                return altered(values[f"self.{name}"], ctx=made.ctx)
        return made

    return rewritten(tree, change)  # type: ignore[no-any-return]


@lru_cache(_KEPT)
def parents(tree: ast.AST) -> Mapping[int, Sequence[ast.AST]]:
    """Return the nodes around each node of a tree, by the address of this one; it may stand in several."""
    found = defaultdict[int, list[ast.AST]](list)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            found[id(child)].append(node)
    return found


@lru_cache(_KEPT)
def by_type(tree: ast.AST) -> Mapping[type[ast.AST], Sequence[ast.AST]]:
    """Return the nodes of a tree by their types."""
    found = defaultdict[type[ast.AST], list[ast.AST]](list)
    for node in ast.walk(tree):
        found[type(node)].append(node)
    return found


def around(tree: ast.AST, nodes: Iterable[ast.AST]) -> set[int]:
    """Return the addresses of some nodes of a tree, and of all nodes around them."""
    found, left = set[int](), [*nodes]
    above = parents(tree) if left else {}
    while left:
        if id(node := left.pop()) not in found:
            found.add(id(node))
            left += above.get(id(node), ())
    return found


@lru_cache(_KEPT)
def text_of(node: ast.stmt) -> str:
    """Write a statement as Python's unparser does, without docstrings; a function part by part."""
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return ast.unparse(node)
    body = [text_of(one) for one in node.body if not is_docstring(one)] or ["pass"]
    lines = "\n".join(body).replace("\n", "\n    ")
    return f"{ast.unparse(altered(node, body=[]))}\n    {lines}"


def way(one: ast.AST, other: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield two trees, and then their parts that hold all in which they differ, down to the smallest."""
    yield one, other
    parts = [[*ast.iter_child_nodes(tree)] for tree in (one, other)]
    differ = [pair for pair in zip(*parts, strict=False) if ast.dump(pair[0]) != ast.dump(pair[1])]
    if len(differ) == 1 and _sketch(one) == _sketch(other):
        yield from way(*differ[0])


def _sketch(tree: ast.AST) -> str:
    """Write a node without what its parts hold."""
    fields = dict(ast.iter_fields(tree))
    own = {name: len(value) if isinstance(value, list) else value for name, value in fields.items()}
    plain = {name: isinstance(value, ast.AST) or value for name, value in own.items()}
    return f"{type(tree).__name__} {plain}"


def is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a text, or another constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@lru_cache(_KEPT)
def words_of(node: ast.AST) -> Counter[str]:
    """Return the words and signs in some code, but for the hole."""
    found = Counter(_TOKEN.findall(ast.unparse(node)))
    del found[HOLE]
    return found


def placeless(tree: _Tree) -> _Tree:
    """Return a copy of some code that does not say where in a file it stands."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = 0
    return tree


@lru_cache(_KEPT)
def parsed(text: str) -> ast.expr:
    """Return an expression to put into a student's code; it does not say that it stands there already."""
    return placeless(ast.parse(text, mode="eval")).body


def of_self(name: str) -> ast.Attribute:
    """Return an attribute of self, to be read or called."""
    return ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())


def names_in(tree: ast.AST, kind: type[ast.expr_context] = ast.expr_context) -> Iterator[str]:
    """Yield the names in some code; of one kind, those that are read or those that are assigned."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, kind):
            yield node.id
