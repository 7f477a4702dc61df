"""Makes edits of statements: keep a result, reorder steps, add what is missing, rename."""

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from rapidfuzz import fuzz

from autograder.diagnosis.code import ALWAYS_THERE, Edit, Place
from autograder.diagnosis.making import Making, data_of, of_self
from autograder.diagnosis.mutations import ONE_SIDED
from autograder.diagnosis.pieces import HOLE, built, operation, parsed, placeless


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
            yield from making.edit(node, _swap(inner, deep, _swap(node, inner, deep)), "order", 1.4)
    for body in _bodies(node):
        for one, other in pairwise(body):
            yield from _exchanged(making, one, other)
            yield from making.edit(other, ast.Pass(), "order", 3.4, (one, [other, one]))
            if isinstance(other, ast.For) and isinstance(one, ast.Assign):
                loop = copy.copy(other)
                loop.body = [one, *other.body]
                yield from making.of_size(one, ast.Pass(), "in the loop", 1.8, 2, (other, loop))


def swaps(making: Making, place: Place) -> Iterator[Edit]:
    """Yield two neighbours that have changed places: arguments, parts of a tuple, sides of a product."""
    node = place.node
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if isinstance(node.ctx, ast.Load):
            name = "elts"
        case ast.Call(args=parts):
            name = "args"
        case ast.BinOp(left=one, right=other) if isinstance(node.op, ONE_SIDED):
            yield from making.edit(node, ast.BinOp(other, node.op, one), "order", 1.7)
            return
        case _:
            return
    for at, (one, other) in enumerate(pairwise(parts)):
        if not (isinstance(one, ast.Constant) and isinstance(other, ast.Constant)):
            made = copy.copy(node)
            setattr(made, name, [*parts[:at], other, one, *parts[at + 2 :]])
            yield from making.edit(node, made, "order", 1.8)


def moves(making: Making, place: Place) -> Iterator[Edit]:
    """Yield a step that acts at another place of the same function: a mask, a dropout, a norm, a factor."""
    node = place.node
    if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
        return
    values = [one for one in ast.walk(node) if isinstance(one, ast.Call | ast.BinOp)]
    for step in values:
        inside = data_of(step)
        if inside is None or operation(step) in _NO_STEPS:
            continue
        around = copy.copy(step)
        template = _swap(around, inside, ast.Name(HOLE, ast.Load()))
        within = {id(one) for one in ast.walk(step)}
        for target in values:
            if id(target) not in within and not any(one is step for one in ast.walk(target)):
                make = partial(built, template, {}, target)
                yield from making.moved(step, inside, target, make)


_NO_STEPS = frozenset(
    ("MatMult", "Add", "[]", "zeros", "arange", "append", "range", "len", "Linear", "super", "")
)


def _exchanged(making: Making, one: ast.stmt, other: ast.stmt) -> Iterator[Edit]:
    """Yield w = g(s); v = f(w) for w = f(s); v = g(w): two steps in the other order."""
    match one, other:
        case ast.Assign(targets=[ast.Name(id=name)], value=first), (
            ast.Assign(value=second) | ast.Return(value=ast.expr() as second)
        ):
            inside, deep = data_of(first), data_of(second)
            if inside is not None and isinstance(deep, ast.Name) and deep.id == name:
                new_first, new_second = _swap(second, deep, inside), _swap(first, inside, deep)
                yield from making.edit(first, new_first, "order", 1.4, (second, new_second))


def _swap(outer: ast.expr, old: ast.expr, new: ast.expr) -> ast.expr:
    """Return an expression with another one in the place of its part."""
    if outer is old:
        return new
    made = copy.copy(outer)
    for name, value in ast.iter_fields(outer):
        if value is old:
            setattr(made, name, new)
        elif isinstance(value, list) and any(part is old for part in value):
            setattr(made, name, [new if part is old else part for part in value])
        elif isinstance(value, ast.Attribute) and value.value is old:
            function = copy.copy(value)
            function.value = new
            setattr(made, name, function)
    return made


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse"):
        body = getattr(node, name, None)
        if isinstance(body, list) and body and not isinstance(node, ast.ClassDef | ast.Module):
            yield body


_MODULES = ("torch", "nn", "F", "nn.functional", "torch.nn.functional", "self", "plt")


def statements(making: Making, place: Place) -> Iterator[Edit]:
    """Yield results that are kept or added up, and statements that are left out."""
    node = place.node
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as owner)) as call
        ) if ast.unparse(owner) not in _MODULES:
            target = copy.copy(owner)
            target.ctx = ast.Store()
            yield from making.edit(node, ast.Assign([target], call, lineno=0), "discarded", 1.0)
            yield from making.edit(node, ast.Pass(), "too much", 2.5)
        case ast.Expr(value=ast.Call(args=[ast.Name() as first, *_]) as call):
            yield from making.edit(
                node, ast.Assign([ast.Name(first.id, ast.Store())], call, lineno=0), "discarded", 1.2
            )
            yield from making.edit(node, ast.Pass(), "too much", 2.5)
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            made = ast.BinOp(ast.Name(name, ast.Load()), op, value)
            yield from making.edit(node, ast.Assign([node.target], made, lineno=0), "in place", 1.2)
            yield from making.edit(node, ast.Pass(), "too much", 2.6)
            yield from making.edit(node, ast.Assign([node.target], value, lineno=0), "in place", 3.0)
        case ast.Assign(targets=[ast.Name() | ast.Subscript() as target], value=value):
            yield from making.edit(node, ast.Pass(), "too much", 2.8)
            added = copy.copy(target)
            yield from making.edit(node, ast.AugAssign(added, ast.Add(), value), "sum", 2.6)
            if isinstance(value, ast.Name):
                yield from making.edit(value, parsed(f"{value.id}.clone()"), "copy", 1.3)
        case ast.Assign(targets=[ast.Attribute(value=ast.Name("self"), attr=name)], value=value):
            yield from making.edit(node, ast.Pass(), "too much", 2.8)
            yield from _buffers(making, node, name, value)
        case ast.Assign():
            yield from making.edit(node, ast.Pass(), "too much", 2.8)


def _buffers(making: Making, node: ast.stmt, name: str, value: ast.expr) -> Iterator[Edit]:
    """Yield a buffer in the place of a plain attribute, or of a parameter that is none."""
    match value:
        case ast.Call(func=ast.Attribute(attr="Parameter"), args=[inner, *_]):
            value = inner
        case ast.Constant() | ast.Call(func=ast.Attribute(value=ast.Name("nn"))):
            return
    if making.place.scope.function == "__init__":
        call = ast.Call(of_self("register_buffer"), [ast.Constant(name), value], [])
        yield from making.of_size(node, ast.Expr(call), "buffer", 1.4, 4)


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
            loop = copy.copy(node)
            loop.body = first or [ast.Pass()]
            yield from making.edit(node, [loop, last], "return in the loop", 0.9)
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name)) as raised):
            for other in making.right.errors - {name}:
                made = copy.copy(raised)
                made.func = ast.Name(other, ast.Load())
                yield from making.edit(raised, made, "error", 0.9)
        case ast.ClassDef():
            yield from _misspelt_methods(making, node)
            yield from _renamed_layers(making, node, place)
        case ast.FunctionDef():
            yield from _missing(making, node)
            yield from _aliased(making, node)


def _missing(making: Making, node: ast.FunctionDef) -> Iterator[Edit]:
    """Yield the function with a statement of a right answer put in: a check of arguments first of all."""
    own = {ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.stmt)}
    known = {one.arg for one in node.args.args} | {
        one.id for one in ast.walk(node) if isinstance(one, ast.Name)
    }
    for statement in making.right.statements.get(node.name, ()):
        read = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)} - ALWAYS_THERE - {"self"}
        if ast.unparse(statement) in own or not read <= known:
            continue
        first = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
        if isinstance(statement, ast.If):
            lacks = any(isinstance(one, ast.Raise) for one in ast.walk(node))
            make = partial(_with_check, node, statement, int(first))
            yield Edit(node, make, "missing check", 1.3 + lacks, _OF_CHECK)
        else:
            for before in node.body[first:]:
                rank = 1.8 if isinstance(statement, ast.Expr) else 3.0
                yield from making.edit(before, [statement, before], "missing statement", rank)


def _with_check(node: ast.FunctionDef, check: ast.stmt, at: int) -> ast.FunctionDef:
    made = copy.copy(node)
    made.body = [*node.body[:at], check, *node.body[at:]]
    return made


_OF_CHECK = 8  # the size of an edit that puts in a check


def _misspelt_methods(making: Making, node: ast.ClassDef) -> Iterator[Edit]:
    """Yield methods that get the name which theirs is nearly."""
    for method in (one for one in node.body if isinstance(one, ast.FunctionDef)):
        for name in ("__init__", "forward"):
            if method.name != name and _alike(method.name, name) > _SLIP:
                made = copy.copy(method)
                made.name = name
                yield from making.edit(method, made, "method name", 0.5)


def _renamed_layers(making: Making, node: ast.ClassDef, place: Place) -> Iterator[Edit]:
    """Yield the class with other names for attributes where right answers have them all otherwise."""
    own = place.scope.attributes
    for known in making.right.attributes.get(node.name, ()):
        strange = [name for name in own if name not in known]
        missing = [name for name in known if name not in own]
        pairs = {name: max(missing, key=partial(_alike, name)) for name in strange} if missing else {}
        close = {name: other for name, other in pairs.items() if _alike(name, other) > _CLOSE}
        for renamed in [close, *({name: other} for name, other in close.items())]:
            if renamed and len(set(renamed.values())) == len(renamed):
                names = {f"self.{name}": f"self.{other}" for name, other in renamed.items()}
                gone = Counter(renamed.keys())
                make = partial(built, node, names)  # type: ignore[arg-type]
                yield from making.sized(node, make, "renamed", 0.8, gone, Counter(renamed.values()))


def _alike(one: str, other: str) -> float:
    return fuzz.ratio(one.lower().replace("_", ""), other.lower().replace("_", ""))


_CLOSE = 60  # of 100
_SLIP = 85  # for a method's name


def _aliased(making: Making, node: ast.FunctionDef) -> Iterator[Edit]:
    """Yield the function with a copy of each argument made at its beginning."""
    first = node.body[0]
    for argument in node.args.args:
        if argument.arg != "self":
            text = f"{argument.arg} = {argument.arg}.clone()"
            yield from making.edit(first, [placeless(ast.parse(text)).body[0], first], "changed input", 3.3)
