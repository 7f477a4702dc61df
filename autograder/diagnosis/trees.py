"""Rewrites Python's syntax trees. A new tree shares its unchanged nodes with the old tree."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

New = ast.AST | list[ast.stmt]  # the replacement of a node; a statement can become several statements
HOLE = "_hole_"  # the placeholder for the input of a step
_TOKEN = re.compile(r"\w+|[^\w\s]")
_CACHED_TREES = 2048  # the largest number of results in each cache of this module
_Tree = TypeVar("_Tree", bound=ast.AST)


def altered(node: _Tree, **parts: Any) -> _Tree:
    """Return a copy of a node with new values of these fields. This is faster than copy.copy."""
    changed = type(node).__new__(type(node))
    vars(changed).update(vars(node), **parts)
    return changed


def children(node: ast.AST) -> list[ast.AST]:
    """Return a node's children in the order of ast.iter_child_nodes."""
    nodes: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            nodes.append(value)
        elif isinstance(value, list):
            nodes += [item for item in value if isinstance(item, ast.AST)]
    return nodes


def walk(tree: ast.AST) -> list[ast.AST]:
    """Return the nodes of a tree in the order of ast.walk, but faster."""
    nodes = [tree]
    for node in nodes:
        nodes += children(node)
    return nodes


def rewritten(
    node: ast.AST, change: Callable[[ast.AST, ast.AST], New], near: Container[int] | None = None
) -> Any:
    """Return a tree in which `change` has rewritten each node, inner nodes first.

    `change` gets the original node and the node with its rewritten children. `near` limits rewriting to the
    nodes with these ids.
    """
    if near is not None and id(node) not in near:
        return node
    new_node = node
    for name in node._fields:
        new: object = (value := getattr(node, name, None))
        if isinstance(value, ast.AST):
            new = rewritten(value, change, near)
        elif isinstance(value, list):
            parts = [rewritten(one, change, near) if isinstance(one, ast.AST) else one for one in value]
            if any(one is not other for one, other in zip(parts, value, strict=True)):
                flat = [one for part in parts for one in (part if isinstance(part, list) else [part])]
                new = flat or [ast.Pass()]
        if new is not value:
            new_node = altered(node) if new_node is node else new_node
            setattr(new_node, name, new)
    return change(node, new_node)


def replaced(tree: ast.AST, new: Mapping[int, New], near: Container[int] | None = None) -> Any:
    """Return a tree in which the nodes with these ids are replaced."""
    return rewritten(tree, lambda old, unchanged: new.get(id(old), unchanged), near)


def with_values(tree: _Tree, values: Mapping[str, ast.expr]) -> _Tree:
    """Return a tree in which names, such as "x" and "self.key", are replaced by their values.

    A variable is replaced only where it is read.
    """

    def change(_: ast.AST, node: ast.AST) -> ast.AST:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                return values.get(name, node)
            case ast.Attribute(value=ast.Name("self"), attr=name) if f"self.{name}" in values:
                return altered(values[f"self.{name}"], ctx=node.ctx)
        return node

    return rewritten(tree, change)  # type: ignore[no-any-return]


@lru_cache(_CACHED_TREES)
def parents(tree: ast.AST) -> Mapping[int, Sequence[ast.AST]]:
    """Return the parents of each node of a tree, by the node's id. A shared node has several parents."""
    parents_by_id = defaultdict[int, list[ast.AST]](list)
    for node in walk(tree):
        for child in children(node):
            parents_by_id[id(child)].append(node)
    return parents_by_id


@lru_cache(_CACHED_TREES)
def by_type(tree: ast.AST) -> Mapping[type[ast.AST], Sequence[ast.AST]]:
    """Return the nodes of each type, in the order of `walk`."""
    nodes = defaultdict[type[ast.AST], list[ast.AST]](list)
    for node in walk(tree):
        nodes[type(node)].append(node)
    return nodes


def with_ancestors(tree: ast.AST, nodes: Iterable[ast.AST]) -> set[int]:
    """Return the ids of these nodes, and of all their ancestors in the tree."""
    ids, left = set[int](), [*nodes]
    above = parents(tree) if left else {}
    while left:
        if id(node := left.pop()) not in ids:
            ids.add(id(node))
            left += above.get(id(node), ())
    return ids


@lru_cache(_CACHED_TREES)
def text_of(node: ast.stmt) -> str:
    """Return a statement's text without docstrings. The texts of inner statements are cached."""
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return ast.unparse(node)
    body = [text_of(one) for one in node.body if not is_docstring(one)] or ["pass"]
    lines = "\n".join(body).replace("\n", "\n    ")
    fields = ((name, value) for name, value in ast.iter_fields(node) if name != "body")
    head = ((name, tuple(value) if isinstance(value, list) else value) for name, value in fields)
    return f"{_head(type(node).__name__, ('lineno', node.lineno), *head)}\n    {lines}"


@lru_cache(_CACHED_TREES)
def _head(kind: str, *fields: tuple[str, Any]) -> str:
    """Return the text of a function or class without its body. Few edits change it, so it is cached."""
    lists = {name: [*value] if isinstance(value, tuple) else value for name, value in fields}
    return ast.unparse(getattr(ast, kind)(**lists, body=[]))


def is_same_call(first: ast.AST, second: ast.AST) -> bool:
    """Whether both nodes are calls, with the same code for the called function."""
    if not isinstance(first, ast.Call) or not isinstance(second, ast.Call):
        return False
    return ast.unparse(first.func) == ast.unparse(second.func)


def path_to_difference(first: ast.AST, second: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield pairs of nodes that contain all differences of two trees, from the roots to the smallest pair."""
    yield first, second
    pairs = zip(children(first), children(second), strict=False)
    differ = [pair for pair in pairs if ast.dump(pair[0]) != ast.dump(pair[1])]
    if len(differ) == 1 and _dump_without_children(first) == _dump_without_children(second):
        yield from path_to_difference(*differ[0])


def _dump_without_children(tree: ast.AST) -> str:
    """Return a node's type and fields as text. A list becomes its length, and a child node becomes True."""
    fields = {name: len(value) if isinstance(value, list) else value for name, value in ast.iter_fields(tree)}
    plain = {name: isinstance(value, ast.AST) or value for name, value in fields.items()}
    return f"{type(tree).__name__} {plain}"


def is_docstring(node: ast.stmt) -> bool:
    """Whether a statement consists of a constant, such as a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@lru_cache(_CACHED_TREES)
def token_counts(node: ast.AST) -> Counter[str]:
    """Return how often each token occurs in the code. The placeholder HOLE is not counted."""
    counts = Counter(_TOKEN.findall(ast.unparse(node)))
    del counts[HOLE]
    return counts


def without_positions(tree: _Tree) -> _Tree:
    """Return a copy of a tree in which all line numbers are 0."""

    def change(_: ast.AST, node: ast.AST) -> ast.AST:
        return altered(node, lineno=0) if hasattr(node, "lineno") else node

    return rewritten(tree, change)  # type: ignore[no-any-return]


@lru_cache(_CACHED_TREES)
def parse_expression(text: str) -> ast.expr:
    """Return an expression that can be put into a student's code. Its line number is 0."""
    return without_positions(ast.parse(text, mode="eval")).body


def self_attribute(name: str) -> ast.Attribute:
    """Return the expression `self.NAME`."""
    return ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())


def names_in(tree: ast.AST, kind: type[ast.expr_context] = ast.expr_context) -> Iterator[str]:
    """Yield the names in a tree. `kind` can select only names that are read, or only assigned names."""
    for node in walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, kind):
            yield node.id


def token_distance(first: Counter[str], second: Counter[str]) -> int:
    """Return the number of tokens that only one of two counters has."""
    return (first - second).total() + (second - first).total()


def expression_count(tree: ast.AST) -> int:
    """Return the number of expressions in a tree: 3 for `a + b`."""
    return sum(isinstance(node, ast.expr) for node in walk(tree))


def position(node: ast.AST) -> tuple[int, ...]:
    """Return where a node begins and ends in the text: line, column, end line, end column; 0 if unknown."""
    return tuple(getattr(node, name, 0) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
