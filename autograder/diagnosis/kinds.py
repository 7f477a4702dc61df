"""Infers the kinds of values, so that no edit divides a layer or transposes a number.

The kinds are "number", "switch" (True or False), "tensor" and "layer". A value of another kind, or of an
unclear one, may replace any value.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from autograder.diagnosis.trees import self_attribute

NUMBER, SWITCH, TENSOR, LAYER = "number", "switch", "tensor", "layer"
# Names of variables, and of attributes such as "self.key", with their kinds.
Kinds = frozenset[tuple[str, str]]
_ANNOTATIONS = {
    "int": NUMBER, "float": NUMBER, "bool": SWITCH, "Tensor": TENSOR, "torch.Tensor": TENSOR,
    "Tensor | None": TENSOR, "torch.Tensor | None": TENSOR,
}  # fmt: skip
# Methods that return a tensor when they are called on one.
_TENSOR_METHODS = frozenset((
    "transpose", "permute", "swapaxes", "view", "reshape", "flatten", "unflatten", "contiguous",
    "masked_fill", "softmax", "log_softmax", "exp", "sum", "mean", "unsqueeze", "squeeze", "triu", "tril",
    "float", "double", "bool", "long", "clone", "repeat_interleave", "cos", "sin", "cumsum", "matmul",
    "dropout", "normalize",
))  # fmt: skip
_TENSOR_ATTRIBUTES = frozenset(("T", "mT", "shape", "size", "dim", "ndim", "dtype", "device"))
_TAKE_SIZES = ("ones", "zeros", "arange", "view", "reshape")


def function_kinds(function: ast.FunctionDef | ast.AsyncFunctionDef, attributes: Kinds) -> Kinds:
    """Return the kinds of a function's arguments and variables, and those of the attributes."""
    kinds = {name: {kind} for name, kind in attributes}
    for argument in function.args.args:
        if argument.annotation is not None and (kind := _ANNOTATIONS.get(ast.unparse(argument.annotation))):
            kinds.setdefault(argument.arg, set()).add(kind)
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.For | ast.Expr | ast.comprehension):
            for target, assigned_kind in _assigned(node, _clear(kinds)):
                kinds.setdefault(ast.unparse(target), set()).add(assigned_kind or "")
    return _clear(kinds)


def attribute_kinds(node: ast.ClassDef) -> Kinds:
    """Return the kinds of the attributes that the methods of a class assign or register."""
    kinds: Kinds = frozenset()
    for function in node.body:
        if isinstance(function, ast.FunctionDef):
            in_function = function_kinds(function, kinds)
            kinds = frozenset(pair for pair in in_function if pair[0].startswith("self."))
    return kinds


def kinds_in(tree: ast.AST, kinds: Kinds = frozenset()) -> Kinds:
    """Return the kinds of the names in some code: those that are given, and those that their uses show."""
    kinds_by_name: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and (kind := kind_of(node, kinds)):
            kinds_by_name.setdefault(ast.unparse(node), set()).add(kind)
        for used, kind in _uses(node):
            kinds_by_name.setdefault(used.id, set()).add(kind)
    return _clear(kinds_by_name)


def kind_of_name(name: str, kinds: Kinds) -> str | None:
    """Return the kind of a variable, or of an attribute such as "self.key"; None if it is unclear."""
    return _mapping(kinds).get(name)


def kind_of(node: ast.AST, kinds: Kinds) -> str | None:
    """Return the kind of an expression's value, or None if it is unclear."""
    match node:
        case ast.Name(id=name):
            return kind_of_name(name, kinds)
        case ast.Attribute(value=value, attr=name):
            if isinstance(value, ast.Name) and value.id == "self":
                return kind_of_name(f"self.{name}", kinds)
            return NUMBER if name in ("inf", "pi") else kind_of(value, kinds) if name in ("T", "mT") else None
        case ast.Constant(value=int() | float() as value):
            return SWITCH if isinstance(value, bool) else NUMBER
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant() | ast.UnaryOp()):
            return NUMBER
        case ast.BinOp():
            return _kind_of_operation(node, kinds)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return kind_of(operand, kinds)
        case ast.Call():
            return _kind_of_result(node, kinds)
    return None


def fit(name: str, kinds: Kinds, other: str, other_kinds: Kinds) -> bool:
    """Whether two names, each with its own kinds, may replace each other."""
    return may_replace(kind_of_name(name, kinds), kind_of_name(other, other_kinds))


def may_replace(kind: str | None, other: str | None) -> bool:
    """Whether values of these kinds may replace each other: the kinds are equal, or one is unclear."""
    return kind is None or other is None or kind == other


def _kind_of_operation(node: ast.BinOp, kinds: Kinds) -> str | None:
    if isinstance(node.op, ast.MatMult):
        return TENSOR
    if isinstance(node.op, ast.FloorDiv | ast.Mod):
        return NUMBER
    sides = {kind_of(node.left, kinds), kind_of(node.right, kinds)}
    return TENSOR if TENSOR in sides else NUMBER if sides == {NUMBER} else None


def _kind_of_result(call: ast.Call, kinds: Kinds) -> str | None:
    """Return the kind of a call's result."""
    match call.func:
        case ast.Name("len" | "int") | ast.Attribute(value=ast.Name("math")):
            return NUMBER
        case ast.Attribute(attr="size") if call.args:
            return NUMBER
        case ast.Attribute(value=ast.Name("nn"), attr="Parameter"):
            return TENSOR
        case ast.Attribute(value=ast.Name("nn"), attr=name) | ast.Name(id=name) if name[:1].isupper():
            return LAYER
        case ast.Name() | ast.Attribute(value=ast.Name("self")) if kind_of(call.func, kinds) == LAYER:
            return TENSOR
        case ast.Attribute(attr=name) if name in _TENSOR_METHODS:
            return TENSOR
    return None


def _uses(node: ast.AST) -> Iterator[tuple[ast.Name, str]]:
    """Yield the names that a node uses as a tensor or as a number, each with this kind."""
    used, kind = list[ast.expr](), TENSOR
    match node:
        case ast.Attribute(value=value, attr=name) if name in _TENSOR_METHODS | _TENSOR_ATTRIBUTES:
            used = [value]
        case ast.BinOp(op=ast.MatMult(), left=left, right=right):
            used = [left, right]
        case ast.BinOp(op=ast.FloorDiv() | ast.Mod(), left=left, right=right):
            used, kind = [left, right], NUMBER
        case ast.Call(func=ast.Attribute(attr=name), args=sizes) if name in _TAKE_SIZES:
            used, kind = sizes, NUMBER
        case ast.Call(func=ast.Attribute(value=ast.Name("self")), args=inputs):
            used = inputs
        case ast.Call(func=ast.Attribute(value=ast.Name("torch" | "F"), attr=name), args=[first, *_]):
            used = [first] if name in _TENSOR_METHODS else []
    yield from ((one, kind) for one in used if isinstance(one, ast.Name) and one.id not in ("torch", "F"))


def _assigned(node: ast.AST, kinds: Kinds) -> Iterable[tuple[ast.expr, str | None]]:
    """Return the targets that a statement or a comprehension assigns, each with its kind."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
            return zip(targets, _kinds_of_elements(value, len(targets), kinds), strict=True)
        case ast.Assign(targets=[target], value=value):
            return [(target, kind_of(value, kinds))]
        case (
            ast.For(target=ast.Name() as name, iter=iterated)
            | ast.comprehension(target=ast.Name() as name, iter=iterated)
        ):
            return [(name, _kinds_of_elements(iterated, 1, kinds)[0])]
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(attr="register_buffer"), args=[ast.Constant(name), *_])
        ):
            return [(self_attribute(str(name)), TENSOR)]
    return []


def _kinds_of_elements(value: ast.expr, count: int, kinds: Kinds) -> list[str | None]:
    """Return the kinds of the first elements of a value that is unpacked or iterated."""
    match value:
        case ast.Attribute(attr="shape") | ast.Call(func=ast.Name("range")):
            return [NUMBER] * count
        case ast.Tuple(elts=elements) if len(elements) >= count:
            return [kind_of(element, kinds) for element in elements[:count]]
        case ast.GeneratorExp(elt=element) | ast.ListComp(elt=element):
            return [kind_of(element, kinds)] * count
    return [None] * count


def _clear(kinds: Mapping[str, set[str]]) -> Kinds:
    """Return the names that have a single kind."""
    single = ((name, next(iter(found))) for name, found in kinds.items() if len(found) == 1)
    return frozenset((name, kind) for name, kind in single if kind)


@lru_cache(1024)
def _mapping(kinds: Kinds) -> Mapping[str, str]:
    return dict(kinds)
