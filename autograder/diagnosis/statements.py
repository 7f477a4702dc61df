"""Makes edits of statements: keep a result, reorder steps, add what is missing, rename."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from rapidfuzz import fuzz

from autograder.diagnosis.code import ALWAYS_THERE, MODULES, Place
from autograder.diagnosis.making import MOST_ADDED, OF_SIZE, Edit, Making, returned
from autograder.diagnosis.pieces import data_of, operation
from autograder.diagnosis.trees import (
    HOLE,
    altered,
    is_docstring,
    names_in,
    of_self,
    parsed,
    placeless,
    replaced,
    with_values,
    words_of,
)


def orders(making: Making, place: Place) -> Iterator[Edit]:
    """Yield two steps in the other order: nested ones, and those of two statements."""
    node = place.node
    if place.scope.function == "__init__":
        for one, other in pairwise(node.body if isinstance(node, ast.FunctionDef) else ()):
            yield from making.edit(other, ast.Pass(), "order", 1.2, (one, [other, one]))
        return
    if isinstance(node, ast.Call | ast.BinOp) and (inner := data_of(node)) is not None:
        deep = data_of(inner) if isinstance(inner, ast.Call | ast.BinOp | ast.Subscript) else None
        if deep is not None:
            outer = replaced(node, {id(inner): deep})
            yield from making.edit(node, replaced(inner, {id(deep): outer}), "order", 1.4)
    bodies = [getattr(node, name, None) for name in ("body", "orelse")]
    for body in bodies if not isinstance(node, ast.ClassDef) else ():
        for one, other in pairwise(body if isinstance(body, list) else ()):
            yield from _exchanged(making, one, other)
            yield from making.edit(other, ast.Pass(), "order", 3.4, (one, [other, one]))
            if isinstance(other, ast.For) and isinstance(one, ast.Assign):
                loop = altered(other, body=[one, *other.body])
                yield from making.edit(one, ast.Pass(), "in the loop", 1.8, (other, loop), size=2)


def _exchanged(making: Making, one: ast.stmt, other: ast.stmt) -> Iterator[Edit]:
    """Yield w = g(s); v = f(w) for w = f(s); v = g(w): two steps in the other order."""
    match one, other:
        case ast.Assign(targets=[ast.Name(id=name)], value=first), (
            ast.Assign(value=second) | ast.Return(value=ast.expr() as second)
        ):
            inside, deep = data_of(first), data_of(second)
            if inside is not None and isinstance(deep, ast.Name) and deep.id == name:
                new_first, new_second = (
                    replaced(second, {id(deep): inside}),
                    replaced(first, {id(inside): deep}),
                )
                yield from making.edit(first, new_first, "order", 1.4, (second, new_second))


def moves(_: Making, place: Place) -> Iterator[Edit]:
    """Yield a step that acts at another place of the same function: a mask, a dropout, a norm, a factor."""
    node = place.node
    if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
        return
    values = [one for one in ast.walk(node) if isinstance(one, ast.Call | ast.BinOp)]
    for step in values:
        inside = data_of(step)
        if inside is None or operation(step) in _NO_STEPS:
            continue
        size = (words_of(step) - words_of(inside)).total()
        template = replaced(step, {id(inside): ast.Name(HOLE, ast.Load())})
        within = {id(one) for one in ast.walk(step)}
        for target in values if size <= MOST_ADDED else ():
            if id(target) not in within and not any(one is step for one in ast.walk(target)):
                make = partial(with_values, template, {HOLE: target})
                rank = 2.3 + OF_SIZE * size / 2
                yield Edit(step, returned(inside), "order", rank, size, more=((target, make),))


_NO_STEPS = frozenset(
    ("MatMult", "Add", "[]", "zeros", "arange", "append", "range", "len", "Linear", "super", "")
)


def statements(making: Making, place: Place) -> Iterator[Edit]:
    """Yield results that are kept or added up."""
    node = place.node
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as owner)) as call
        ) if ast.unparse(owner) not in (*MODULES, "nn.functional", "torch.nn.functional", "self", "plt"):
            target = altered(owner, ctx=ast.Store())
            yield from making.edit(node, ast.Assign([target], call, lineno=0), "discarded", 1.0)
        case ast.Expr(value=ast.Call(args=[ast.Name() as first, *_]) as call):
            made = ast.Assign([altered(first, ctx=ast.Store())], call, lineno=0)
            yield from making.edit(node, made, "discarded", 1.2)
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            made = ast.Assign([node.target], ast.BinOp(ast.Name(name, ast.Load()), op, value), lineno=0)
            yield from making.edit(node, made, "in place", 1.2)
        case ast.Assign(targets=[ast.Name() | ast.Subscript() as target], value=value):
            yield from making.edit(node, ast.AugAssign(altered(target), ast.Add(), value), "sum", 2.6)
            if isinstance(value, ast.Name):
                yield from making.edit(value, parsed(f"{value.id}.clone()"), "copy", 1.3)
        case ast.Assign(targets=[ast.Attribute(value=ast.Name("self"), attr=name)], value=value):
            yield from _buffers(making, node, name, value)


def _buffers(making: Making, node: ast.stmt, name: str, value: ast.expr) -> Iterator[Edit]:
    """Yield a buffer in the place of a plain attribute, or of a parameter that is none."""
    match value:
        case ast.Call(func=ast.Attribute(attr="Parameter"), args=[inner, *_]):
            value = inner
        case ast.Constant() | ast.Call(func=ast.Attribute(value=ast.Name("nn"))):
            return
    if making.place.scope.function == "__init__":
        call = ast.Call(of_self("register_buffer"), [ast.Constant(name), value], [])
        yield from making.edit(node, ast.Expr(call), "buffer", 1.4, size=4)


def blocks(making: Making, place: Place) -> Iterator[Edit]:
    """Yield blocks taken apart, statements put in, another error raised, layers with other names."""
    node = place.node
    match node:
        case ast.If():
            yield from making.edit(node, node.body, "condition", 2.8)
            yield from making.edit(node, node.orelse or ast.Pass(), "condition", 2.8)
        case ast.With():
            yield from making.edit(node, node.body, "too much", 1.2)
        case ast.For(body=[*first, ast.Return() as last]):
            loop = altered(node, body=first or [ast.Pass()])
            yield from making.edit(node, [loop, last], "return in the loop", 0.9)
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name)) as raised):
            for other in sorted(making.right.errors - {name}):
                made = altered(raised, func=ast.Name(other, ast.Load()))
                yield from making.edit(raised, made, "error", 0.9)
        case ast.ClassDef():
            yield from _misspelt_methods(making, node)
            yield from _renamed_layers(making, node, place)
        case ast.FunctionDef():
            yield from _missing(making, node)
            for name in place.scope.parameters:
                copied = placeless(ast.parse(f"{name} = {name}.clone()")).body[0]
                yield from making.edit(node.body[0], [copied, node.body[0]], "changed input", 3.3)


def _missing(making: Making, node: ast.FunctionDef) -> Iterator[Edit]:
    """Yield the function with a statement of a right answer put in: a check of arguments first of all."""
    inside = [one for one in ast.walk(node) if isinstance(one, ast.stmt)]
    own, known = {ast.unparse(one) for one in inside}, {one.arg for one in node.args.args} | {*names_in(node)}
    first = int(is_docstring(node.body[0]))
    for statement in making.right.statements.get(node.name, ()):
        read = {*names_in(statement)} - ALWAYS_THERE - {"self"}
        if ast.unparse(statement) in own or not read <= known:
            continue
        if isinstance(statement, ast.If):
            rank = 1.3 + any(isinstance(one, ast.Raise) for one in inside)
            made = altered(node, body=[*node.body[:first], statement, *node.body[first:]])
            yield from making.edit(node, made, "missing check", rank, size=8)
        else:
            rank = 1.8 if isinstance(statement, ast.Expr) else 3.0
            for before in node.body[first:]:
                yield from making.edit(before, [statement, before], "missing statement", rank)


def _misspelt_methods(making: Making, node: ast.ClassDef) -> Iterator[Edit]:
    """Yield methods that get the name which theirs is nearly."""
    for method in (one for one in node.body if isinstance(one, ast.FunctionDef)):
        for name in ("__init__", "forward"):
            if method.name != name and _alike(method.name, name) > _SLIP:
                yield from making.edit(method, altered(method, name=name), "method name", 0.5)


def _renamed_layers(making: Making, node: ast.ClassDef, place: Place) -> Iterator[Edit]:
    """Yield the class with other names for attributes where right answers have them all otherwise."""
    own = place.scope.attributes
    for known in making.right.attributes.get(node.name, ()):
        missing = [name for name in known if name not in own]
        strange = [name for name in own if name not in known] if missing else []
        pairs = {name: max(missing, key=partial(_alike, name)) for name in strange}
        close = {name: other for name, other in pairs.items() if _alike(name, other) > _CLOSE}
        for renamed in [close, *({name: other} for name, other in close.items())]:
            if renamed and len(set(renamed.values())) == len(renamed):
                names = {f"self.{name}": of_self(other) for name, other in renamed.items()}
                gone, come = Counter(renamed.keys()), Counter(renamed.values())
                yield from making.sized(node, partial(with_values, node, names), "renamed", 0.8, gone, come)


def _alike(one: str, other: str) -> float:
    return fuzz.ratio(one.lower().replace("_", ""), other.lower().replace("_", ""))


_CLOSE = 60  # of 100
_SLIP = 85  # for a method's name
