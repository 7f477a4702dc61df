"""Makes small edits of a student's code, the likeliest repairs first.

Values and steps of right answers are tried where the student's code has other ones or none. General changes
follow: another dimension, name, operator or bound, a step less, a result that is kept, two steps in the other
order. All of them are tried by the hidden tests, so it does not matter that most of them make no sense.
"""

import ast
import copy
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from autograder.diagnosis.code import Code, Edit, Place, Scope, called_name
from autograder.diagnosis.making import MOST_ADDED, Making, data_of, of_self
from autograder.diagnosis.mutations import changes
from autograder.diagnosis.pieces import (
    HOLE,
    Pieces,
    built,
    holds_place,
    operation,
    parsed,
)
from autograder.diagnosis.statements import blocks, moves, orders, statements, swaps

Maker = Callable[[Making, Place], Iterator[Edit]]
_DIMENSIONS = (-1, -2, 0, 1, 2, -3)
_TAKES_DIMENSIONS = frozenset((
    "softmax", "log_softmax", "sum", "mean", "max", "min", "amax", "amin", "argmax", "cat", "stack",
    "transpose", "swapaxes", "unsqueeze", "squeeze", "flatten", "unflatten", "permute", "cumsum", "size",
    "repeat_interleave", "norm", "std", "var", "log_sum_exp", "logsumexp", "split", "chunk", "movedim",
    "flip", "select", "narrow", "normalize",
))  # fmt: skip
_MOST_FOR_NOTHING = 8  # words and signs that may stand in the place of hardly any
_MOST_JOINT = 6  # places that one edit changes in the same way
_DIM_NAMES = ("dim", "axis", "dim0", "dim1")


def edits(code: Code, right: Pieces, most: int = 400) -> list[Edit]:
    """Return the changes to some code, the likeliest first; unlikely ones only where there are hardly any."""
    making = Making(right, right.compared(code))
    found = _made(making, code, _MAKERS)
    if len(found) < most:
        found += _made(making, code, (_general_steps,))
    return sorted([*found, *_joint(found)], key=lambda edit: edit.rank)


def _made(making: Making, code: Code, makers: Sequence[Maker]) -> list[Edit]:
    found = list[Edit]()
    for place in code.places():
        making.place = place
        for make in makers:
            found += make(making, place)
    return found


def _joint(found: Sequence[Edit]) -> Iterator[Edit]:
    """Yield changes that are made in the same way at several places of a function, as in three layers."""
    alike = defaultdict[tuple[object, ...], list[Edit]](list)
    for edit in found:
        if edit.recipe:
            alike[edit.recipe].append(edit)
    for several in alike.values():
        if len({id(edit.old) for edit in several}) > 1:
            yield from _in_one_way(several)


def _in_one_way(found: Sequence[Edit]) -> Iterator[Edit]:
    """Yield those of some edits together that change the same words."""
    alike = defaultdict[tuple[object, ...], dict[int, Edit]](dict)
    for edit in found:
        alike[tuple(frozenset(words.items()) for words in edit.words)][id(edit.old)] = edit
    for several in alike.values():
        one, *others = several.values()
        if others and len(others) < _MOST_JOINT:
            more = tuple((other.old, other.make) for other in others)
            yield replace(one, rank=one.rank + 0.2, size=one.size + 1, more=more)


def _values(making: Making, place: Place) -> Iterator[Edit]:
    """Yield the values that right answers have in the same place."""
    node = place.node
    if place.slot is None or not isinstance(node, ast.expr):
        return
    slots, size = dict.fromkeys([place.slot, *place.used]), making.words(node).total()
    slots |= {("range", "0"): None} if place.slot == ("range", "1") else {}
    for piece in dict.fromkeys(one for slot in slots for one in making.right.values.get(slot, ())):
        if isinstance(piece.tree, ast.Name) and piece.tree.id not in place.scope.names:
            continue
        if abs(piece.size - size) > MOST_ADDED:
            continue
        simple = isinstance(piece.tree, ast.Constant | ast.UnaryOp | ast.Name)
        rank = 1.0 + (0 if simple else 0.4) + (type(piece.tree) is not type(node)) * 0.8
        rank += isinstance(node, ast.Name) and not isinstance(piece.tree, ast.Name)  # better where it is made
        kind = _kind_of_value(place, piece.tree)
        room = 3 if place.slot[0] == "return" else _MOST_FOR_NOTHING
        if piece.size > room + 2 * size:
            continue  # that would be the answer itself
        for names, words in making.written(piece):
            make = partial(built, piece.tree, names)
            yield from making.sized(node, make, kind, rank, making.words(node), words)


def _kind_of_value(place: Place, tree: ast.expr) -> str:
    function, argument = place.slot or ("", "")
    if argument in _DIM_NAMES or (function in _TAKES_DIMENSIONS and _is_number(tree)):
        return "dimension"
    if isinstance(tree, ast.Name) and isinstance(place.node, ast.Name):
        return "name"
    if function == "for" or function == "range":
        return "bound"
    return "value"


def _is_number(tree: ast.expr) -> bool:
    inner = tree.operand if isinstance(tree, ast.UnaryOp) else tree
    return isinstance(inner, ast.Constant) and type(inner.value) is int


def _numbers(making: Making, place: Place) -> Iterator[Edit]:
    """Yield other dimensions, bounds, numbers and switches."""
    node = place.node
    if not isinstance(node, ast.expr) or isinstance(node, ast.UnaryOp) != _is_negative(node):
        return
    value: Any = _constant(node)
    function, argument = place.slot or ("", "")
    if isinstance(value, bool):
        yield from making.edit(node, ast.Constant(not value), "switch", 1.2)
    elif type(value) is int:
        is_dim = argument in _DIM_NAMES or function in _TAKES_DIMENSIONS
        kind, rank = ("dimension", 1.5) if is_dim else ("number", 1.8 if function == "[]" else 3.0)
        others = _DIMENSIONS if is_dim or function == "[]" else (value - 1, value + 1, 0, 1, 2)
        for number in (number for number in others if number != value):
            yield from making.edit(node, _number(number), kind, rank)
    elif isinstance(value, float):
        for part in (0.5, 2.0, 1.0, 0.0, -value, float("-inf")):
            if part != value:
                yield from making.edit(node, _number(part), "number", 2.5)


def _is_negative(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    )


def _constant(node: ast.expr) -> object:
    if _is_negative(node):
        value = node.operand.value  # type: ignore[attr-defined]
        return -value if isinstance(value, int | float) else None
    return node.value if isinstance(node, ast.Constant) else None


def _number(value: float) -> ast.expr:
    return parsed("float('-inf')" if value == float("-inf") else repr(value))


def _names(making: Making, place: Place) -> Iterator[Edit]:
    """Yield other names: arguments and variables of the function, attributes of the object."""
    match place.node:
        case ast.Name(id=name, ctx=ast.Load()) if name in place.scope.names:
            for other in place.scope.names:
                if other != name:
                    rank = 2.0 + (other not in place.scope.parameters) * 0.4
                    yield from making.edit(place.node, ast.Name(other, ast.Load()), "name", rank)
        case ast.Attribute(value=ast.Name("self"), attr=name, ctx=ast.Load()) if (
            name in place.scope.attributes
        ):
            for other in place.scope.attributes:
                if other != name:
                    yield from making.edit(place.node, of_self(other), "layer", 2.0)


def _unread(making: Making, place: Place) -> Iterator[Edit]:
    """Yield arguments that a function does not use, in the place of values and handed on by calls."""
    node = place.node
    for name in place.scope.unread:
        argument = ast.Name(name, ast.Load())
        if isinstance(node, ast.Name | ast.Subscript | ast.Attribute) and place.slot:
            yield from making.edit(node, argument, "unread", 1.0)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            made = copy.copy(node)
            made.args = [*node.args, argument]
            yield from making.edit(node, made, "unread", 0.9)


def _idioms(making: Making, place: Place) -> Iterator[Edit]:
    """Yield what is often meant by calls that do something else."""
    node = place.node
    match node:
        case ast.Call(func=ast.Call(func=ast.Attribute(attr="Dropout"), args=[rate]), args=[value]):
            made = ast.Call(_DROPOUT, [value, rate, of_self("training")], [])
            yield from making.of_size(node, made, "training", 1.0, 6)
        case ast.Call(func=ast.Attribute(attr="view" | "reshape"), args=[_, _, _, *_] as sizes):
            for at in range(1, len(sizes) - 1):
                made = copy.copy(node)
                made.args = [*sizes[:at], sizes[at + 1], sizes[at], *sizes[at + 2 :]]
                transposed = built(_steps_of(f"X.transpose({at}, {at + 1})")[0], {}, made)
                yield from making.of_size(node, transposed, "reshaped", 1.5, 6)
        case ast.Call(func=ast.Attribute(attr="repeat"), args=[*_, ast.Constant(value=int()) as times]):
            made = _called(node, "repeat_interleave")
            made.args, made.keywords = [times], [ast.keyword("dim", _number(-1))]
            yield from making.edit(node, made, "pairs", 1.5)
        case ast.Call(func=ast.Attribute(attr="cat"), args=[ast.Tuple([_, _]) | ast.List([_, _])]):
            yield from making.edit(node, built(_PAIRED, {}, _called(node, "stack")), "pairs", 1.6)
    match place.slot, node:
        case (_, "dropout_p"), ast.expr() if place.scope.in_class:
            yield from making.edit(node, built(_IN_TRAINING, {}, node), "training", 0.9)
        case (_, "attn_mask"), ast.expr():
            yield from making.edit(node, built(_OTHER_MASK, {}, node), "missing", 1.2)
        case ("exp", "0"), ast.expr():
            yield from making.of_size(node, built(_BELOW_ZERO, {}, node), "missing", 1.6, 6)


def _steps_of(*texts: str) -> tuple[ast.expr, ...]:
    return tuple(parsed(text.replace("X", HOLE)) for text in texts)


_DROPOUT, _PAIRED, _IN_TRAINING, _OTHER_MASK, _BELOW_ZERO = _steps_of(
    "nn.functional.dropout", "X.flatten(-2)", "X if self.training else 0.0", "None if X is None else ~X",
    "X - X.amax(dim=-1, keepdim=True)",
)  # fmt: skip


def _steps(making: Making, place: Place) -> Iterator[Edit]:
    """Yield a value on which a step of a right answer acts, or another step in the place of the student's."""
    node = place.node
    if not holds_place(place) or place.scope.function == "" or not isinstance(node, ast.expr):
        return
    base = 1.4 if (place.slot or ("",))[0] in _MAIN else 2.2
    inside, does, compared = data_of(node), operation(node), making.compared
    for piece in making.right.steps:
        is_missing = piece.does in compared.may_lack and does != piece.does
        is_missing &= not piece.calls or piece.does in compared.lacks
        rank = base + (piece.does not in compared.lacks) * 0.9
        is_other = inside is not None and does == piece.does
        if is_missing or is_other:
            for names, words in making.written(piece, 4):
                if is_missing:
                    make = partial(built, piece.tree, names, node)
                    yield from making.sized(node, make, "missing", rank, _NONE, words)
                if is_other and inside is not None:
                    make = partial(built, piece.tree, names, inside)
                    gone = making.words(node) - making.words(inside)
                    yield from making.sized(node, make, "step", base + 0.7, gone, words)


def _general_steps(making: Making, place: Place) -> Iterator[Edit]:
    """Yield a value on which some step acts that no right answer needs to have."""
    node = place.node
    if holds_place(place) and place.scope.function and isinstance(node, ast.expr):
        for extra in _GENERAL_STEPS:
            make = partial(built, extra, {}, node)
            yield from making.sized(node, make, "missing", 3.6, _NONE, _SOME)


_NONE, _SOME = Counter[str](), Counter(("(", ")", "step", "."))
_MAIN = frozenset(("return", "=", "MatMult", "softmax", "masked_fill", "dropout", "matmul"))


_GENERAL_STEPS = _steps_of(
    "X.transpose(-2, -1)", "X.transpose(1, 2)", "X.transpose(0, 1)", "~X", "-X",
    "X.bool()", "X.clone()", "X.contiguous()",
    "X.unsqueeze(-1)", "X.unsqueeze(1)", "X.unsqueeze(0)", "X.float()", "X.double()",
    "X + 1", "X - 1", "X[0]",
    "torch.softmax(X, dim=-1)", "X.mean(dim=-1)", "X ** 0.5", "tuple(X)", "torch.tensor(X)", "torch.stack(X)",
    "X.long()", "X.flatten(0, 1)", "nn.Parameter(X)", "nn.ModuleList(X)",
)  # fmt: skip


def _less(making: Making, place: Place) -> Iterator[Edit]:
    """Yield what is left without a step."""
    node = place.node
    if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", None), ast.Load | None):
        return
    rank = 1.2 if operation(node) in making.compared.has_more else 2.2
    left: list[ast.expr] = []
    match node:
        case ast.BinOp(left=one, right=other):
            left = [one, other]
        case ast.UnaryOp(operand=operand) if not _is_negative(node):
            left = [operand]
        case ast.Call(args=[first, *_]) if not isinstance(first, ast.Starred | ast.GeneratorExp):
            left = [first]
        case ast.Attribute(attr="T" | "mT" | "data"):
            left = [node.value]
    if (
        isinstance(node, ast.Call | ast.Subscript)
        and (data := data_of(node)) is not None
        and data not in left
    ):
        left.append(data)
    for at, part in enumerate(left):
        yield from making.edit(node, part, "too much", rank + 0.4 * at)


def _calls(making: Making, place: Place) -> Iterator[Edit]:
    """Yield calls with a keyword more or less, and of functions that right answers call instead."""
    node = place.node
    if not isinstance(node, ast.Call):
        return
    for keyword, tree, rank in _more_keywords(making, node, place):
        made = copy.copy(node)
        made.keywords = [*node.keywords, ast.keyword(keyword, tree)]
        yield from making.edit(node, made, "argument", rank)
    for one in node.keywords:
        made = copy.copy(node)
        made.keywords = [other for other in node.keywords if other is not one]
        yield from making.edit(node, made, "argument", 3.0)
    if called_name(node) in ("squeeze", "flatten", "unsqueeze") and not node.keywords and len(node.args) < 2:
        made = copy.copy(node)
        made.args = [*node.args, ast.Constant(0)]
        yield from making.edit(node, made, "argument", 1.8)
    known = {function for function, _ in making.right.values} | {"reshape"}
    for function in _ALIKE.get(called_name(node), ()):
        if isinstance(node.func, ast.Attribute) and function in known:
            yield from making.edit(node, _called(node, function), "function", 1.6)


def _more_keywords(making: Making, node: ast.Call, place: Place) -> Iterator[tuple[str, ast.expr, float]]:
    """Yield keywords that a call may lack, each with a value and a rank."""
    name, has = called_name(node), {keyword.arg for keyword in node.keywords}
    for (function, argument), found in making.right.values.items():
        if function == name and argument.isidentifier() and argument not in has:
            for piece in found:
                for names, _ in making.written(piece):
                    yield argument, built(piece.tree, names), 1.6
    extra = [("keepdim", "True")] if name in ("sum", "mean", "amax", "max", "norm") else []
    extra += [("bias", "False")] if name == "Linear" else []
    if name in ("zeros", "ones", "full", "empty", "eye", "arange", "tensor", "randn"):
        extra += [("dtype", f"{one}.dtype") for one in place.scope.parameters[:3]]
    extra += [("training", "self.training")] if name == "dropout" and place.scope.in_class else []
    for keyword, text in extra:
        if keyword not in has:
            yield keyword, parsed(text), 1.2


_ALIKE: dict[str, tuple[str, ...]] = {
    one: tuple(other for other in group.split() if other != one)
    for group in (
        "view reshape", "cat stack vstack hstack concat", "T mT", "triu tril", "sum mean",
        "masked_fill_ masked_fill", "add_ add", "mul_ mul", "sub_ sub", "div_ div",
        "repeat repeat_interleave expand",
        "zeros ones", "zeros_like ones_like empty_like",
        "ModuleList list", "max amax", "exp log", "softmax log_softmax softmax_", "std var", "append extend",
        "register_buffer register_parameter", "flatten reshape", "empty zeros",
    )
    for one in group.split()
}  # fmt: skip


def _called(node: ast.Call, name: str) -> ast.Call:
    made, function = copy.copy(node), copy.copy(node.func)
    function.attr = name  # type: ignore[attr-defined]
    made.func = function
    return made


def _general(making: Making, place: Place) -> Iterator[Edit]:
    """Yield the changes that make mutants, which turn back what the same changes have done."""
    known = Scope(in_class=place.scope.in_class)
    for part, other in changes(place.node, known) if place.scope.function else ():
        rank = 1.3 if type(part) is type(other) and isinstance(part, ast.BinOp | ast.Compare) else 3.0
        yield from making.edit(part, other, _general_kind(part, other), rank + isinstance(part, ast.stmt))


def _general_kind(part: ast.AST, other: ast.AST) -> str:
    match part, other:
        case ast.BinOp(op=one), ast.BinOp(op=two) if type(one) is type(two):
            return "order"  # its sides are exchanged
    return _KINDS.get(type(part), "place")


_KINDS: dict[type[ast.AST], str] = {
    ast.BinOp: "operator", ast.Compare: "comparison", ast.Subscript: "bound", ast.Call: "argument",
    ast.If: "condition", ast.BoolOp: "condition", ast.IfExp: "condition", ast.Constant: "number",
}  # fmt: skip

_MAKERS: tuple[Maker, ...] = (
    _values, _numbers, _names, _unread, _steps, _idioms, _less, _calls, orders, swaps, moves,
    statements, blocks, _general,
)  # fmt: skip
