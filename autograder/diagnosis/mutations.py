"""Makes small mistakes in Python code: a wrong sign, name, number or bound.

Most changes are those of mutation testing: another operator, a number changed by one, a condition that is
always true or false, a statement or argument left out, two arguments swapped. Others are about tensors: other
slices, functions that are easily confused, results that are detached from the computation graph.
"""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from autograder.diagnosis.code import Scope, called_name
from autograder.diagnosis.tables import MUTANTS
from autograder.diagnosis.trees import altered

Change = tuple[ast.AST, ast.AST]  # a node and its replacement

ELSEWHERE = "device"  # an argument that is not changed, because grading uses only one device
# Functions that give the same result if two neighbouring arguments are swapped.
_COMMUTATIVE = frozenset(("add", "dot", "maximum", "minimum", "mul", "swapaxes", "transpose"))
_MODULES = {"torch", "nn", "F", "functional", "math", "self"}
_LOSSY_METHODS = ("detach", "float", "squeeze")  # methods that drop a result's gradient, dtype or shape
_CONSTANT = {"arange", "argmax", "ones", "ones_like", "size", "zeros", "zeros_like"}


def changes(node: ast.AST, scope: Scope) -> Iterator[Change]:
    """Yield the changes of one node: first the changes by the rules of MUTANTS, then those of `slips`."""
    replacements = (rule.at(node) for rule in MUTANTS.get(type(node), ()))
    yield from ((node, replacement) for replacement in replacements if replacement is not None)
    yield from slips(node, scope)


def slips(node: ast.AST, scope: Scope) -> Iterator[Change]:
    """Yield the changes that no rule can express: they depend on a name, a number or a position."""
    for of_kind in (_constants, _conditions_and_loops, _statements, _calls, _subscripts):
        yield from of_kind(node)
    if scope.takes_tensors:
        yield from _lossy_results(node)
    match node:
        case ast.Attribute(value=ast.Name("self"), attr=attr, ctx=ast.Load()) if attr in scope.attributes:
            yield node, altered(node, attr=_next_name(attr, scope.attributes))
        case ast.Name(id=name, ctx=ast.Load()) if name in scope.names:
            yield node, ast.Name(_next_name(name, scope.names), ast.Load())


def _lossy_results(node: ast.AST) -> Iterator[Change]:
    """Yield changes after which a result has no gradient, or has another shape or dtype."""
    match node:
        case ast.Assign(value=ast.BinOp() | ast.Call() as value) if not _is_constant_tensor(value):
            yield value, _method_call(value, "detach")
        case ast.Return(value=ast.expr() as value):
            for part in value.elts if isinstance(value, ast.Tuple) else [value]:
                yield from ((part, _method_call(part, name)) for name in _LOSSY_METHODS)


def _constants(node: ast.AST) -> Iterator[Change]:
    """Yield changes of numbers and truth values."""
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


def _conditions_and_loops(node: ast.AST) -> Iterator[Change]:
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
    """Yield changes of a call: leave out an argument, swap two, or replace the call by its input."""
    if not isinstance(node, ast.Call):
        return
    for index in range(len(node.args)):
        yield node, altered(node, args=node.args[:index] + node.args[index + 1 :])
    for index, keyword in enumerate(node.keywords):
        if keyword.arg != ELSEWHERE:
            yield node, altered(node, keywords=node.keywords[:index] + node.keywords[index + 1 :])
    swapped = () if called_name(node) in _COMMUTATIVE else pairwise(node.args)
    for index, (one, other) in enumerate(swapped):
        yield node, altered(node, args=[*node.args[:index], other, one, *node.args[index + 2 :]])
    if node.args and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        yield node, node.args[0]
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
        yield node, node.func.value


def _subscripts(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node, node.value
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for dimension, part in enumerate(parts):
            for other in _slice_variants(part):
                indices = [*parts[:dimension], other, *parts[dimension + 1 :]]
                index = ast.Tuple(indices, ast.Load()) if len(indices) > 1 else indices[0]
                yield node, altered(node, slice=index)


def _slice_variants(part: ast.expr) -> Iterator[ast.Slice]:
    """Yield copies of a slice, in which one part is left out or increased by 1."""
    if isinstance(part, ast.Slice):
        for name in ("lower", "upper", "step"):
            if isinstance(bound := getattr(part, name), ast.expr):
                yield altered(part, **{name: None})
                yield altered(part, **{name: ast.BinOp(bound, ast.Add(), ast.Constant(1))})


def _is_constant_tensor(node: ast.expr) -> bool:
    """Whether an expression contains a call whose result has no gradient."""
    return any(isinstance(part, ast.Call) and called_name(part) in _CONSTANT for part in ast.walk(node))


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in _MODULES


def _method_call(value: ast.expr, name: str) -> ast.Call:
    return ast.Call(ast.Attribute(value, name, ast.Load()), [], [])


def _next_name(name: str, names: Sequence[str]) -> str:
    return names[(names.index(name) + 1) % len(names)]
