"""Makes small edits of a student's code, the likeliest repairs first.

Values and steps of right answers are tried where the student's code has other ones or none, and what a rule
of the catalogue undoes. General changes follow: another dimension, name, operator or bound, a step less, a
result that is kept, steps and statements in another order. All of them are tried by the hidden tests, so it
does not matter that most of them make no sense.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from typing import Any

from autograder.diagnosis.code import MODULES, Code, Place, Scope, called_name, is_signed, names_of
from autograder.diagnosis.mutations import slips
from autograder.diagnosis.patterns import Rule
from autograder.diagnosis.pieces import (
    MOST_ADDED,
    MOST_NAMES,
    OF_OTHERS,
    OF_SIZE,
    Edit,
    Making,
    Pieces,
    data_of,
    holds_place,
    operation,
    returned,
    ways,
)
from autograder.diagnosis.tables import EDITS, MUTANTS, STEPS
from autograder.diagnosis.trees import (
    HOLE,
    altered,
    by_type,
    is_docstring,
    names_in,
    of_self,
    parsed,
    replaced,
    way,
    with_values,
    words_of,
)

Maker = Callable[[Making, Place], Iterator[Edit]]
_DIMENSIONS = (-1, -2, 0, 1, 2, -3)
_TAKES_DIMENSIONS = frozenset((
    "softmax", "log_softmax", "sum", "mean", "max", "min", "amax", "amin", "argmax", "cat", "stack",
    "transpose", "swapaxes", "unsqueeze", "squeeze", "flatten", "unflatten", "permute", "cumsum", "size",
    "repeat_interleave", "norm", "std", "var", "log_sum_exp", "logsumexp", "split", "chunk", "movedim",
    "flip", "select", "narrow", "normalize",
))  # fmt: skip
_TRANSPOSE = ("transpose", "swapaxes")  # whose two dimensions a table changes together: equal ones do nothing
_CASTS = frozenset(("to", "float", "double", "type_as", "half"))
_MOST_FOR_NOTHING = 8  # words and signs that may stand in the place of hardly any
_MOST_JOINT = 6  # places that one edit changes in the same way
_DIM_NAMES = ("dim", "axis", "dim0", "dim1")


def edits(code: Code, right: Pieces) -> list[Edit]:
    """Return the changes to some code, the likeliest first: those of what no right answer has."""
    compared = right.compared(code)
    found = [
        edit
        for place in code.places
        for make in _MAKERS
        for edit in make(Making(right, compared, place), place)
    ]
    if code.casts:  # whoever casts back what was cast goes round the mistake
        found = [edit for edit in found if edit.kind != "missing" or edit.does not in _CASTS]
    return _ranked([*found, *_joint(found)], code, right)


def edits_by_rules(views: Sequence[Code], right: Pieces) -> list[Edit]:
    """Return what the rules of the catalogue undo in some code, in several writings that they may know."""
    ranked, seen = list[Edit](), set[tuple[object, ...]]()
    for code in views:
        makings = [Making(right, right.compared(code), place) for place in code.places]
        found = [edit for one in makings for edit in _by_catalogue(one, one.place)]
        found = [edit for edit in (*found, *_by_several_rules(code, right)) if _position(edit) not in seen]
        seen |= {_position(edit) for edit in found}
        ranked += _ranked([*found, *_joint(found)], code, right)
    return ranked


def _position(edit: Edit) -> tuple[object, ...]:
    """Return where an edit is made, and what it undoes or makes."""
    place = (getattr(edit.old, name, 0) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
    return edit.misconception, edit.kind, *place


def _ranked(found: Sequence[Edit], code: Code, right: Pieces) -> list[Edit]:
    """Return edits by their ranks; what right answers have as well is edited later."""
    unfamiliarity, at_node = right.unfamiliarity(code), Counter[tuple[int, str]]()
    ranked = []
    for edit in sorted(found, key=lambda edit: edit.rank):
        value = unfamiliarity.get(id(edit.old), 1.0)
        late = 0.0 if edit.kind in _OF_NAMES else _FAMILIAR * (1 - value)
        late += _FURTHER * at_node[id(edit.old), edit.kind]
        at_node[id(edit.old), edit.kind] += 1
        ranked.append(replace(edit, rank=edit.rank + late, is_suspicious=value > 0, within=code))
    return sorted(ranked, key=lambda edit: edit.rank)


_FAMILIAR = 0.8  # added to the rank of an edit in an expression that right answers have, too
_FURTHER = 0.03  # added to the rank for each likelier edit of the same kind at the same node
# Outlines do not show what these edits change.
_OF_NAMES = frozenset(("name", "unread", "missing", "statement", "order", "swapped", "copy", "buffer"))


def _joint(found: Sequence[Edit]) -> Iterator[Edit]:
    """Yield changes that are made in the same way at several places of a function, as in three layers."""
    alike = defaultdict[tuple[object, ...], dict[int, Edit]](dict)
    for edit in found:
        if edit.recipe:
            alike[edit.recipe][id(edit.old)] = edit
    for one, *others in (several.values() for several in alike.values()):
        if 0 < len(others) < _MOST_JOINT:
            more = tuple((other.old, other.make) for other in others)
            yield replace(one, rank=one.rank + 0.2, size=one.size + 1, more=more)


def _values(making: Making, place: Place) -> Iterator[Edit]:
    """Yield the values that right answers have in the same place."""
    node = place.node
    if place.slot is None or not isinstance(node, ast.expr) or place.slot[0] in _TRANSPOSE:
        return
    slots, size = dict.fromkeys([place.slot, *place.used]), words_of(node).total()
    slots |= {("range", "0"): None} if place.slot == ("range", "1") else {}
    # More would be the answer itself.
    room = 2 * size + (3 if place.slot[0] == "return" else _MOST_FOR_NOTHING)
    for piece in dict.fromkeys(one for slot in slots for one in making.right.values.get(slot, ())):
        if isinstance(piece.tree, ast.Name) and piece.tree.id not in place.scope.names:
            continue
        if place.slot == ("[]", "1") and not isinstance(node, type(piece.tree) | ast.Constant | ast.Name):
            continue
        is_around = (
            isinstance(node, ast.Name) and node.id in piece.names and not isinstance(piece.tree, ast.Name)
        )
        if is_around or size - MOST_ADDED <= piece.size <= min(room, size + MOST_ADDED):
            simple = isinstance(piece.tree, ast.Constant | ast.UnaryOp | ast.Name)
            rank = (
                1.0
                + (0 if simple else 0.4)
                + (type(piece.tree) is not type(node)) * (0.2 if is_around else 0.6)
            )
            # A value is better put where it is made than in the place of its name.
            rank += isinstance(node, ast.Name) and not isinstance(piece.tree, ast.Name)
            kind = _kind_of_value(place, piece.tree)
            for names, words in ways(piece, place.scope):
                make = partial(piece.written, names)
                yield from making.sized(node, make, kind, rank, words_of(node), words)


def _kind_of_value(place: Place, tree: ast.AST) -> str:
    function, argument = place.slot or ("", "")
    if argument in _DIM_NAMES or (function in _TAKES_DIMENSIONS and type(_constant(tree)) is int):
        return "dimension"
    if isinstance(tree, ast.Name) and isinstance(place.node, ast.Name):
        return "name"
    return "bound" if function in ("for", "range") else "value"


def _numbers(making: Making, place: Place) -> Iterator[Edit]:
    """Yield other dimensions, bounds, numbers and switches."""
    node, value = place.node, _constant(place.node)
    function, argument = place.slot or ("", "")
    if isinstance(value, bool):
        yield from making.edit(node, ast.Constant(not value), "switch", 1.2)
    elif isinstance(value, int) and function not in _TRANSPOSE:
        is_dim = argument in _DIM_NAMES or function in _TAKES_DIMENSIONS
        kind, rank = ("dimension", 1.5) if is_dim else ("number", 1.8 if function == "[]" else 3.0)
        others = _DIMENSIONS if is_dim or function == "[]" else (value - 1, value + 1, 0, 1, 2)
        for number in (number for number in others if number != value):
            yield from making.edit(node, parsed(repr(number)), kind, rank)
    elif isinstance(value, float):
        for part in (0.5, 2.0, 1.0, 0.0, -value):
            if part != value:
                yield from making.edit(node, parsed(repr(part)), "number", 2.5)
        yield from making.edit(node, parsed("float('-inf')"), "number", 2.5)


def _constant(node: ast.AST) -> Any:
    """Return the value of a constant, or of a negative number."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Constant(value=value):
            return value
    return None


def _names(making: Making, place: Place) -> Iterator[Edit]:
    """Yield the names of other arguments and variables of the function."""
    scope = place.scope
    match place.node:
        case ast.Name(id=name, ctx=ast.Load()) if name in scope.names:
            for other in scope.names:
                if other != name and _may_stand(other, place):
                    rank = 2.0 + (other not in scope.parameters) * 0.1
                    yield from making.edit(place.node, ast.Name(other, ast.Load()), "name", rank)
        case ast.Attribute(value=ast.Name("self"), attr=attribute, ctx=ast.Load()):
            for other in scope.attributes if attribute in scope.attributes else ():
                if other != attribute:
                    yield from making.edit(place.node, of_self(other), "name", 2.2)


def _unread(making: Making, place: Place) -> Iterator[Edit]:
    """Yield arguments that a function does not use, in the place of values and handed on by calls."""
    node = place.node
    if (
        isinstance(node, ast.Attribute)
        and ast.unparse(node.value) == "self"
        and isinstance(node.ctx, ast.Load)
    ):
        for name in place.scope.unread_attributes:
            yield from making.edit(node, of_self(name), "unread", 0.9)
    for name in place.scope.unread:
        argument = ast.Name(name, ast.Load())
        if (
            isinstance(node, ast.Name | ast.Subscript | ast.Attribute)
            and place.slot
            and _may_stand(name, place)
        ):
            yield from making.edit(node, argument, "unread", 1.0)
            if place.slot == ("=", "") and name not in place.scope.parameters:
                yield from making.edit(node, ast.BinOp(node, ast.Add(), argument), "missing", 1.2)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from making.edit(node, altered(node, args=[*node.args, argument]), "unread", 0.9)


def _may_stand(name: str, place: Place) -> bool:
    """Whether a name may be meant at a place: a number in the place of a switch is right by accident."""
    return place.slot is None or place.slot[1] != "bias" or "bias" in name


def _steps(making: Making, place: Place) -> Iterator[Edit]:
    """Yield a value on which a step of a right answer acts, or another step in the place of the student's."""
    node, compared = place.node, making.compared
    if not holds_place(place) or place.scope.function == "" or not isinstance(node, ast.expr):
        return
    is_main = (place.slot or ("",))[0] in _MAIN
    inside, does = data_of(node), operation(node)
    for piece in making.right.steps:
        is_missing = piece.does in compared.may_lack and does != piece.does
        is_missing &= not piece.calls or piece.does in compared.lacks
        is_other = inside is not None and does == piece.does
        base = 1.4 if place.slot in piece.slots else 1.8 if is_main else 2.2
        for names, words in ways(piece, place.scope) if is_missing or is_other else ():
            if is_missing:
                rank = base + (piece.does not in compared.lacks) * 0.9
                rank -= not piece.attributes.isdisjoint(place.scope.unread_attributes)
                make = partial(piece.written, names, node)
                yield from making.sized(node, make, "missing", rank, Counter(), words, does=piece.does)
            if is_other and inside is not None:
                make = partial(piece.written, names, inside)
                gone = words_of(node) - words_of(inside)
                yield from making.sized(node, make, "step", base + 0.7, gone, words)


_MAIN = frozenset(("return", "=", "MatMult", "softmax", "masked_fill", "dropout", "matmul"))


def _by_catalogue(making: Making, place: Place) -> Iterator[Edit]:
    """Yield what a rule of the catalogue makes backward, or a general rule."""
    yield from _by(
        making,
        place,
        (*making.right.inverse_rules.get(type(place.node), ()), *EDITS.get(type(place.node), ())),
    )


def _by_rules(making: Making, place: Place) -> Iterator[Edit]:
    """Yield what a mutant's rule turns back, or a rule of the catalogue or a general one makes."""
    yield from _by_catalogue(making, place)
    yield from _by(making, place, MUTANTS.get(type(place.node), ()))
    for rule in STEPS if holds_place(place) and place.scope.function else ():
        make = partial(rule.around, place.node)
        words = Counter(("(", ")", "step", "."))
        yield from making.sized(place.node, make, rule.kind, rule.rank, Counter(), words, does=rule.does)


def _by(making: Making, place: Place, rules: Iterable[Rule]) -> Iterator[Edit]:
    node = place.node
    for rule in rules if place.scope.function else ():
        if not rule.others and (made := rule.at(node)) is not None:
            kind, rank = (rule.kind, rule.rank) if rule.rank else _sort_of_rule(making, rule, node, made)
            size = (words_of(node) - words_of(made)).total() + (words_of(made) - words_of(node)).total()
            for edit in making.edit(node, made, kind, rank, size=size):
                yield replace(edit, misconception=rule.misconception)


def _by_several_rules(code: Code, right: Pieces) -> Iterator[Edit]:
    """Yield what rules that are applied together make, if each of them fits somewhere in one definition."""
    for statement in (one for at, one in enumerate(code.statements) if at not in code.fixed):
        nodes = by_type(statement)
        for rule in (one for several in right.inverse_rules.values() for one in several if one.others):
            changes = [
                [(node, made) for node in nodes.get(part.type, ()) if (made := part.at(node)) is not None]
                for part in (rule, *rule.others)
            ]
            if all(changes):
                (old, new), *more = [change for several in changes for change in several]
                others = tuple((one, returned(made)) for one, made in more)
                yield Edit(
                    old,
                    returned(new),
                    "value",
                    1.2,
                    2 * len(more),
                    more=others,
                    misconception=rule.misconception,
                )


def _sort_of_rule(making: Making, rule: Rule, node: ast.AST, made: ast.AST) -> tuple[str, float]:
    """Return the kind and the rank of what a rule makes that does not say them itself."""
    if not rule.misconception:
        return _sort_of_change(making, node, made)
    *_, smallest = way(node, made)
    kind, _ = _sort_of_change(making, *smallest)
    return "value" if kind == "place" else kind, 1.2


def _calls(making: Making, place: Place) -> Iterator[Edit]:
    """Yield calls with a keyword more, and of functions that right answers call instead."""
    node = place.node
    if not isinstance(node, ast.Call):
        return
    for keyword, tree, rank in _more_keywords(making, node, place):
        made = altered(node, keywords=[*node.keywords, ast.keyword(keyword, tree)])
        yield from making.edit(node, made, "argument", rank)
    known = {function for function, _ in making.right.values} | {"reshape"}
    for function in _ALIKE.get(called_name(node), ()):
        if isinstance(node.func, ast.Attribute) and function in known:
            yield from making.edit(
                node, altered(node, func=altered(node.func, attr=function)), "function", 1.6
            )


def _more_keywords(making: Making, node: ast.Call, place: Place) -> Iterator[tuple[str, ast.expr, float]]:
    """Yield keywords that a call may lack, each with a value and a rank."""
    name, has = called_name(node), {keyword.arg for keyword in node.keywords}
    for (function, argument), found in making.right.values.items():
        if function == name and argument.isidentifier() and argument not in has:
            for piece in found:
                yield from ((argument, piece.written(names), 1.6) for names, _ in ways(piece, place.scope))
    if name in ("zeros", "ones", "full", "empty", "eye", "arange", "tensor", "randn") and "dtype" not in has:
        yield from (("dtype", parsed(f"{one}.dtype"), 1.2) for one in place.scope.parameters[:3])


_ALIKE: dict[str, list[str]] = {  # beside those that mutants take for one another
    one: [other for other in group.split() if other != one]
    for group in (
        "view reshape flatten", "cat vstack hstack concat stack", "masked_fill_ masked_fill", "add_ add",
        "mul_ mul", "sub_ sub", "div_ div", "repeat expand", "zeros_like empty_like", "empty zeros",
        "ModuleList list", "max amax", "append extend", "register_buffer register_parameter",
    )
    for one in group.split()
}  # fmt: skip


def _changed_back(making: Making, place: Place) -> Iterator[Edit]:
    """Yield the slips that make mutants, which turn back what the same slips have done."""
    if not place.scope.function or (
        place.slot and place.slot[0] in _TRANSPOSE and _constant(place.node) is not None
    ):
        return
    for part, other in slips(place.node, Scope()):
        if not (isinstance(part, ast.stmt) and is_docstring(part)):
            kind, rank = _sort_of_change(making, part, other)
            yield from making.edit(part, other, kind, rank)


def _sort_of_change(making: Making, part: ast.AST, other: ast.AST) -> tuple[str, float]:
    """Return what kind of thing a change changes, and its rank."""
    parts = (*ast.iter_child_nodes(part), *ast.iter_child_nodes(getattr(part, "func", ast.Pass())))
    match part, other:
        case _, ast.Pass():
            return "too much", 2.8
        case ast.UnaryOp(), _ if is_signed(part):
            return "number", 3.0
        case ast.BinOp() | ast.UnaryOp() | ast.Call() | ast.Subscript(), _ if any(
            one is other for one in parts
        ):
            if isinstance(part, ast.BinOp) and isinstance(other, ast.BinOp):
                return "too much", 1.3
            rank = 1.2 if operation(part) in making.compared.has_more else 2.2
            return "too much", rank + (data_of(part) is not other) * 0.4
        case ast.Call(func=one), ast.Call(func=two) if ast.dump(one) != ast.dump(two):
            known = any(function == called_name(other) for function, _ in making.right.values)
            return "function", 1.6 if known else 3.0
        case ast.Call(args=one, keywords=named), ast.Call(args=two, keywords=others):
            same = len(one) == len(two) and len(named) == len(others)
            return ("order", 1.8) if same else ("argument", 3.0)
        case ast.AugAssign(), ast.Assign():
            return "assigned", 3.0
    return _KINDS.get(type(part), "place"), 3.0


_KINDS: dict[type[ast.AST], str] = {
    ast.Compare: "condition", ast.BoolOp: "condition", ast.IfExp: "condition", ast.Subscript: "bound",
    ast.Constant: "number",
}  # fmt: skip


def _in_lists(making: Making, place: Place) -> Iterator[Edit]:
    """Yield tuples and lists in which two neighbours have changed places."""
    match place.node:
        case ast.Tuple(elts=parts, ctx=ast.Load()) | ast.List(elts=parts, ctx=ast.Load()):
            for at, pair in enumerate(pairwise(parts)):
                if not all(isinstance(one, ast.Constant) for one in pair):
                    several = [*parts[:at], *reversed(pair), *parts[at + 2 :]]
                    yield from making.edit(place.node, altered(place.node, elts=several), "order", 1.8)


def _slips(making: Making, place: Place) -> Iterator[Edit]:
    """Yield results that are kept, tensors that are not changed in place, and blocks taken apart."""
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
        case ast.Assign(targets=[ast.Name() | ast.Subscript()], value=ast.Name(id=name) as value):
            yield from making.edit(value, parsed(f"{name}.clone()"), "copy", 1.3)
        case ast.With():
            yield from making.edit(node, node.body, "too much", 1.2)
        case ast.For(body=[*first, ast.Return() as last]):
            loop = altered(node, body=first or [ast.Pass()])
            yield from making.edit(node, [loop, last], "return in the loop", 0.9)


def _moves(_: Making, place: Place) -> Iterator[Edit]:
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
            if id(target) not in within and all(one is not step for one in ast.walk(target)):
                make = partial(with_values, template, {HOLE: target})
                rank = 1.7 + OF_SIZE * size
                yield Edit(step, returned(inside), "order", rank, size + OF_OTHERS, more=((target, make),))


_NO_STEPS = frozenset((
    "MatMult", "Add", "[]", "zeros", "arange", "append", "range", "len", "Linear", "super", "",
))  # fmt: skip


def _statements(making: Making, place: Place) -> Iterator[Edit]:
    """Yield neighbouring statements in the other order, or what they do: f(g(x)) for g(f(x))."""
    if not isinstance(place.node, ast.FunctionDef):
        return
    for one, other in pairwise(place.node.body):
        rank = 1.2 if place.node.name == "__init__" else 2.4
        if not isinstance(other, ast.Return):
            yield from making.edit(other, [], "order", rank, (one, [other, one]))
        match one, other:
            case ast.Assign(targets=[ast.Name(id=name)], value=first), (
                ast.Assign(value=second) | ast.Return(value=ast.expr() as second)
            ):
                inner, outer = data_of(first), data_of(second)
                if inner is not None and isinstance(outer, ast.Name) and outer.id == name:
                    new = replaced(second, {id(outer): inner}), replaced(first, {id(inner): outer})
                    yield from making.edit(first, new[0], "order", 1.4, (second, new[1]))


def _missing_statements(making: Making, place: Place) -> Iterator[Edit]:
    """Yield statements of right answers that do not return anything, at each position of a function."""
    node = place.node
    if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
        return
    known = {ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.Expr)}
    inside = [one for one in ast.walk(node) if isinstance(one, ast.stmt) and one is not node]
    scope = replace(place.scope, names=names_of(node))
    for piece in making.right.statements:
        is_known = piece.attributes <= {*scope.attributes, "training"}
        for names, words in ways(piece, scope, MOST_NAMES // 2) if is_known else ():
            new = piece.written(names)
            if ast.unparse(new) in known or (isinstance(new, ast.If) and "raise" in ast.unparse(node)):
                continue
            for statement in inside:
                if not is_docstring(statement):
                    make = returned([new, statement])
                    yield Edit(statement, make, "statement", 1.3 + OF_SIZE * words.total(), words.total())


def _overwritten(making: Making, place: Place) -> Iterator[Edit]:
    """Yield a function without the line that gives an argument another value before it is read."""
    match place.node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in place.scope.parameters:
            if name not in names_in(value):
                yield from making.edit(place.node, [], "overwritten", 1.0, size=1)


def _swapped(_: Making, place: Place) -> Iterator[Edit]:
    """Yield two arguments, or two attributes of self, each in the place of the other in a whole function."""
    node = place.node
    if not isinstance(node, ast.FunctionDef):
        return
    read = defaultdict[str, list[ast.expr]](list)
    for one in ast.walk(node):
        match one:
            case ast.Attribute(value=ast.Name("self"), attr=name, ctx=ast.Load()):
                read[f"self.{name}"].append(one)
            case ast.Name(id=argument, ctx=ast.Load()) if argument in place.scope.parameters:
                read[argument].append(one)
    for left, right in combinations(read, 2):
        uses = [*((use, right) for use in read[left]), *((use, left) for use in read[right])]
        if ("." in left) == ("." in right) and 2 <= len(uses) <= _MOST_JOINT:
            (old, new), *more = [(use, parsed(name)) for use, name in uses]
            others = tuple((use, returned(made)) for use, made in more)
            yield Edit(old, returned(new), "swapped", 1.9, 2 * len(uses), more=others)


def _raised(making: Making, place: Place) -> Iterator[Edit]:
    """Yield the errors that right answers raise."""
    match place.node:
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name) as raised) | (ast.Name(id=name) as raised)):
            for piece in making.right.statements:
                match piece.tree:
                    case ast.If(body=[ast.Raise(exc=ast.Call(func=ast.Name(id=other)))]) if other != name:
                        yield from making.edit(raised, ast.Name(other, ast.Load()), "error", 1.0)


def _buffers(making: Making, place: Place) -> Iterator[Edit]:
    """Yield a buffer in the place of a plain attribute, or of a parameter that is none."""
    match place.node:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name("self"), attr=name)], value=value):
            if isinstance(value, ast.Call) and called_name(value) == "Parameter" and value.args:
                value = value.args[0]
            elif isinstance(value, ast.Constant) or ast.unparse(value).startswith("nn."):
                return
            if place.scope.function == "__init__":
                call = ast.Call(of_self("register_buffer"), [ast.Constant(name), value], [])
                yield from making.edit(place.node, ast.Expr(call), "buffer", 1.4, size=4)


_MAKERS: tuple[Maker, ...] = (
    _values, _numbers, _names, _unread, _steps, _by_rules, _calls, _in_lists, _slips, _buffers, _statements,
    _moves, _changed_back, _missing_statements, _swapped, _raised, _overwritten,
)  # fmt: skip
