"""Makes small changes to one place of Python code, like a slip: a wrong sign, name, number or bound.

The choice of changes follows what mutation testing has found useful: other operators, numbers one off,
conditions that always or never hold, statements left out, arguments left out or swapped. Code that computes
with tensors adds its own: dimensions, slices, functions that are easily taken for each other, and results
that are cut off from what made them.
"""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from autograder.diagnosis.code import Scope, called_name
from autograder.diagnosis.tables import MUTANTS
from autograder.diagnosis.trees import altered

Change = tuple[ast.AST, ast.AST]  # a part of the code, and what stands in its place

ELSEWHERE = "device"  # an argument that changes nothing where all tensors are on one device, as in grading
# Functions whose arguments may stand in this order or the other.
_EITHER_WAY = frozenset(("add", "dot", "maximum", "minimum", "mul", "swapaxes", "transpose"))
_MODULES = {"torch", "nn", "F", "functional", "math", "self"}
_AT_THE_END = ("detach", "float", "squeeze")  # methods by which a result loses what it should keep
_CONSTANT = {"arange", "argmax", "ones", "ones_like", "size", "zeros", "zeros_like"}


def changes(node: ast.AST, scope: Scope) -> Iterator[Change]:
    """Yield the changes at this one node, but for those below it: first those of the table of mutants."""
    made = ((node, rule.at(node)) for rule in MUTANTS.get(type(node), ()))
    yield from ((one, other) for one, other in made if other is not None)
    yield from slips(node, scope)


def slips(node: ast.AST, scope: Scope) -> Iterator[Change]:
    """Yield the changes that no pattern can say: they depend on a name, a number or a position."""
    for of_kind in (_constants, _choices, _statements, _calls, _subscripts):
        yield from of_kind(node)
    if scope.takes_tensors:
        yield from _losses(node)
    match node:
        case ast.Attribute(value=ast.Name("self"), attr=attr, ctx=ast.Load()) if attr in scope.attributes:
            yield node, altered(node, attr=_next(attr, scope.attributes))
        case ast.Name(id=name, ctx=ast.Load()) if name in scope.names:
            yield node, ast.Name(_next(name, scope.names), ast.Load())


def _losses(node: ast.AST) -> Iterator[Change]:
    """Yield values that are cut off from what made them, and results of another shape or dtype."""
    match node:
        case ast.Assign(value=ast.BinOp() | ast.Call() as value) if not _is_constant(value):
            yield value, _method(value, "detach")
        case ast.Return(value=ast.expr() as value):
            for part in value.elts if isinstance(value, ast.Tuple) else [value]:
                yield from ((part, _method(part, name)) for name in _AT_THE_END)


def _constants(node: ast.AST) -> Iterator[Change]:
    """Yield other numbers and truth values; texts and None are left as they are."""
    others: tuple[Any, ...] = ()
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            others = (-value + 1, -value - 1)
        case ast.Constant(value=bool() as value):
            others = (not value,)
        case ast.Constant(value=int() as value):
            others = (value + 1, value - 1)
        case ast.Constant(value=float() as value):
            others = (value + 1, value - 1, 2 * value)
    yield from ((node, ast.Constant(other)) for other in others)


def _choices(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.If() | ast.While():
            yield from ((node.test, ast.Constant(value)) for value in (True, False))
        case ast.For() | ast.comprehension():
            yield node.iter, ast.Tuple([], ast.Load())


def _statements(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Raise | ast.Return):
        yield node, ast.Pass()
    if isinstance(node, ast.AugAssign):
        yield node, ast.Assign([node.target], node.value, lineno=0)


def _calls(node: ast.AST) -> Iterator[Change]:
    """Yield calls with arguments left out or swapped, of another function, and what is left without it."""
    if not isinstance(node, ast.Call):
        return
    for place in range(len(node.args)):
        yield node, altered(node, args=node.args[:place] + node.args[place + 1 :])
    for place, keyword in enumerate(node.keywords):
        if keyword.arg != ELSEWHERE:
            yield node, altered(node, keywords=node.keywords[:place] + node.keywords[place + 1 :])
    swapped = () if called_name(node) in _EITHER_WAY else pairwise(node.args)
    for place, (one, other) in enumerate(swapped):
        yield node, altered(node, args=[*node.args[:place], other, one, *node.args[place + 2 :]])
    if node.args and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        yield node, node.args[0]
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
        yield node, node.func.value


def _subscripts(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node, node.value
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for place, part in enumerate(parts):
            for other in _slices(part):
                several = [*parts[:place], other, *parts[place + 1 :]]
                index = ast.Tuple(several, ast.Load()) if len(several) > 1 else several[0]
                yield node, altered(node, slice=index)


def _slices(part: ast.expr) -> Iterator[ast.Slice]:
    """Yield a slice with each of its bounds left out, and with each of them one further."""
    if isinstance(part, ast.Slice):
        for name in ("lower", "upper", "step"):
            if isinstance(bound := getattr(part, name), ast.expr):
                yield altered(part, **{name: None})
                yield altered(part, **{name: ast.BinOp(bound, ast.Add(), ast.Constant(1))})


def _is_constant(node: ast.expr) -> bool:
    """Whether an expression makes a tensor through which no gradient flows."""
    return any(isinstance(part, ast.Call) and called_name(part) in _CONSTANT for part in ast.walk(node))


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in _MODULES


def _method(value: ast.expr, name: str) -> ast.Call:
    return ast.Call(ast.Attribute(value, name, ast.Load()), [], [])


def _next(name: str, names: Sequence[str]) -> str:
    return names[(names.index(name) + 1) % len(names)]
