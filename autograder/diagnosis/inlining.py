"""Simplifies code: a value that only the next statement uses is written there."""

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping

from autograder.diagnosis.code import stored

_SMALL = 8  # nodes of a value that is written wherever its name stands


def spelt_out(tree: ast.Module) -> ast.Module:
    """Return code in which small values that have a name, such as sizes, stand wherever the name did."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            known: dict[str, ast.expr] = {}
            times = Counter(stored(node))
            for statement in node.body:
                for name, value in _named(statement):
                    small = sum(isinstance(one, ast.expr) for one in ast.walk(value)) <= _SMALL
                    if small and times[name] == 1 and not isinstance(value, ast.Call):
                        known[name] = value
            for _ in range(2):
                node.body = [_PutAll(known).visit(statement) for statement in node.body]
    return ast.fix_missing_locations(tree)


def _named(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a statement gives to values; those of `b, t, c = x.shape` too."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(
            values
        ):
            pairs = zip(names, values, strict=True)
            yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(attr="shape") as value):
            for at, part in enumerate(names):
                if isinstance(part, ast.Name):
                    yield part.id, ast.Subscript(value, ast.Constant(at), ast.Load())


class _PutAll(ast.NodeTransformer):
    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self._known.get(node.id, node)) if isinstance(node.ctx, ast.Load) else node


def inlined(tree: ast.Module) -> ast.Module:
    """Return code of the same meaning, in which one expression holds what several statements did."""
    return _Inliner().visit(copy.deepcopy(tree))  # type: ignore[no-any-return]


class _Inliner(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = _shortened(node.body)
        return node


def _shortened(statements: list[ast.stmt]) -> list[ast.stmt]:
    at = 0
    while at + 1 < len(statements):
        joined = _joined(statements[at], statements[at + 1], statements[at + 2 :])
        if joined is None:
            at += 1
        else:
            statements = [*statements[:at], joined, *statements[at + 2 :]]
            at = max(at - 1, 0)
    return statements


def _joined(first: ast.stmt, second: ast.stmt, rest: list[ast.stmt]) -> ast.stmt | None:
    """Return two statements as one, or None where the value of the first is needed elsewhere too."""
    match first:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if isinstance(
            second, ast.Assign | ast.Return
        ):
            again = isinstance(second, ast.Assign) and _stores(second.targets, name)
            if _uses([second], name) != 1 or (not again and _uses(rest, name)):
                return None
            put = _Put(name, value)
            second.value = put.visit(second.value) if second.value is not None else None
            return second
    return None


def _uses(statements: list[ast.stmt], name: str) -> int:
    nodes = (node for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Name))
    return sum(node.id == name and isinstance(node.ctx, ast.Load) for node in nodes)


def _stores(targets: list[ast.expr], name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


class _Put(ast.NodeTransformer):
    def __init__(self, name: str, value: ast.expr) -> None:
        self._name, self._value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._value if node.id == self._name and isinstance(node.ctx, ast.Load) else node
