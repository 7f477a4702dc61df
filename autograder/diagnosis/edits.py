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

from autograder.diagnosis.code import MODULES, Code, NodeInScope, Scope, called_name, is_signed, names_of
from autograder.diagnosis.fragments import (
    MOST_ADDED,
    MOST_NAMES,
    RANK_PER_TOKEN,
    TOKENS_PER_NODE,
    Edit,
    EditBuilder,
    RightAnswerFragments,
    accepts_step,
    name_substitutions,
    operation,
    returning,
    step_input,
)
from autograder.diagnosis.mutations import slips
from autograder.diagnosis.patterns import Rule
from autograder.diagnosis.tables import EDITS, MUTANTS, STEPS
from autograder.diagnosis.trees import (
    HOLE,
    altered,
    by_type,
    is_docstring,
    names_in,
    parse_expression,
    path_to_difference,
    replaced,
    self_attribute,
    token_counts,
    with_values,
)

EditGenerator = Callable[[EditBuilder, NodeInScope], Iterator[Edit]]
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


def edits(code: Code, right: RightAnswerFragments) -> list[Edit]:
    """Return the changes to some code, the likeliest first: those of what no right answer has."""
    compared = right.compared(code)
    found = [
        edit
        for site in code.places
        for make in _EDIT_GENERATORS
        for edit in make(EditBuilder(right, compared, site), site)
    ]
    if code.casts:  # whoever casts back what was cast goes round the mistake
        found = [edit for edit in found if edit.kind != "missing" or edit.does not in _CASTS]
    return _ranked([*found, *_joint(found)], code, right)


def edits_by_rules(views: Sequence[Code], right: RightAnswerFragments) -> list[Edit]:
    """Return what the rules of the catalogue undo in some code, in several writings that they may know."""
    ranked, seen = list[Edit](), set[tuple[object, ...]]()
    for code in views:
        builders = [EditBuilder(right, right.compared(code), site) for site in code.places]
        found = [edit for one in builders for edit in _by_catalogue(one, one.site)]
        found = [edit for edit in (*found, *_by_several_rules(code, right)) if _position(edit) not in seen]
        seen |= {_position(edit) for edit in found}
        ranked += _ranked([*found, *_joint(found)], code, right)
    return ranked


def _position(edit: Edit) -> tuple[object, ...]:
    """Return where an edit is made, and what it undoes or makes."""
    site = (getattr(edit.old, name, 0) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
    return edit.misconception, edit.kind, *site


def _ranked(found: Sequence[Edit], code: Code, right: RightAnswerFragments) -> list[Edit]:
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


def _values(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield the values that right answers have in the same place."""
    node = site.node
    if site.slot is None or not isinstance(node, ast.expr) or site.slot[0] in _TRANSPOSE:
        return
    slots, size = dict.fromkeys([site.slot, *site.use_slots]), token_counts(node).total()
    slots |= {("range", "0"): None} if site.slot == ("range", "1") else {}
    # More would be the answer itself.
    room = 2 * size + (3 if site.slot[0] == "return" else _MOST_FOR_NOTHING)
    for fragment in dict.fromkeys(one for slot in slots for one in builder.right.values.get(slot, ())):
        if isinstance(fragment.tree, ast.Name) and fragment.tree.id not in site.scope.names:
            continue
        if site.slot == ("[]", "1") and not isinstance(node, type(fragment.tree) | ast.Constant | ast.Name):
            continue
        is_around = (
            isinstance(node, ast.Name)
            and node.id in fragment.names
            and not isinstance(fragment.tree, ast.Name)
        )
        if is_around or size - MOST_ADDED <= fragment.size <= min(room, size + MOST_ADDED):
            simple = isinstance(fragment.tree, ast.Constant | ast.UnaryOp | ast.Name)
            rank = (
                1.0
                + (0 if simple else 0.4)
                + (type(fragment.tree) is not type(node)) * (0.2 if is_around else 0.6)
            )
            # A value is better put where it is made than in the place of its name.
            rank += isinstance(node, ast.Name) and not isinstance(fragment.tree, ast.Name)
            kind = _kind_of_value(site, fragment.tree)
            for names, tokens in name_substitutions(fragment, site.scope):
                make = partial(fragment.written, names)
                yield from builder.sized(node, make, kind, rank, token_counts(node), tokens)


def _kind_of_value(site: NodeInScope, tree: ast.AST) -> str:
    function, argument = site.slot or ("", "")
    if argument in _DIM_NAMES or (function in _TAKES_DIMENSIONS and type(_constant(tree)) is int):
        return "dimension"
    if isinstance(tree, ast.Name) and isinstance(site.node, ast.Name):
        return "name"
    return "bound" if function in ("for", "range") else "value"


def _numbers(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield other dimensions, bounds, numbers and switches."""
    node, value = site.node, _constant(site.node)
    function, argument = site.slot or ("", "")
    if isinstance(value, bool):
        yield from builder.edit(node, ast.Constant(not value), "switch", 1.2)
    elif isinstance(value, int) and function not in _TRANSPOSE:
        is_dim = argument in _DIM_NAMES or function in _TAKES_DIMENSIONS
        kind, rank = ("dimension", 1.5) if is_dim else ("number", 1.8 if function == "[]" else 3.0)
        others = _DIMENSIONS if is_dim or function == "[]" else (value - 1, value + 1, 0, 1, 2)
        for number in (number for number in others if number != value):
            yield from builder.edit(node, parse_expression(repr(number)), kind, rank)
    elif isinstance(value, float):
        for part in (0.5, 2.0, 1.0, 0.0, -value):
            if part != value:
                yield from builder.edit(node, parse_expression(repr(part)), "number", 2.5)
        yield from builder.edit(node, parse_expression("float('-inf')"), "number", 2.5)


def _constant(node: ast.AST) -> Any:
    """Return the value of a constant, or of a negative number."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Constant(value=value):
            return value
    return None


def _names(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield the names of other arguments and variables of the function."""
    scope = site.scope
    match site.node:
        case ast.Name(id=name, ctx=ast.Load()) if name in scope.names:
            for other in scope.names:
                if other != name and _may_stand(other, site):
                    rank = 2.0 + (other not in scope.parameters) * 0.1
                    yield from builder.edit(site.node, ast.Name(other, ast.Load()), "name", rank)
        case ast.Attribute(value=ast.Name("self"), attr=attribute, ctx=ast.Load()):
            for other in scope.attributes if attribute in scope.attributes else ():
                if other != attribute:
                    yield from builder.edit(site.node, self_attribute(other), "name", 2.2)


def _unread(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield arguments that a function does not use, in the place of values and handed on by calls."""
    node = site.node
    if (
        isinstance(node, ast.Attribute)
        and ast.unparse(node.value) == "self"
        and isinstance(node.ctx, ast.Load)
    ):
        for name in site.scope.unread_attributes:
            yield from builder.edit(node, self_attribute(name), "unread", 0.9)
    for name in site.scope.unread:
        argument = ast.Name(name, ast.Load())
        if (
            isinstance(node, ast.Name | ast.Subscript | ast.Attribute)
            and site.slot
            and _may_stand(name, site)
        ):
            yield from builder.edit(node, argument, "unread", 1.0)
            if site.slot == ("=", "") and name not in site.scope.parameters:
                yield from builder.edit(node, ast.BinOp(node, ast.Add(), argument), "missing", 1.2)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from builder.edit(node, altered(node, args=[*node.args, argument]), "unread", 0.9)


def _may_stand(name: str, site: NodeInScope) -> bool:
    """Whether a name may be meant at a place: a number in the place of a switch is right by accident."""
    return site.slot is None or site.slot[1] != "bias" or "bias" in name


def _step_fragments(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield a value on which a step of a right answer acts, or another step in the place of the student's."""
    node, compared = site.node, builder.compared
    if not accepts_step(site) or site.scope.function == "" or not isinstance(node, ast.expr):
        return
    is_main = (site.slot or ("",))[0] in _MAIN
    inside, does = step_input(node), operation(node)
    for fragment in builder.right.steps:
        is_missing = fragment.does in compared.may_lack and does != fragment.does
        is_missing &= not fragment.calls or fragment.does in compared.lacks
        is_other = inside is not None and does == fragment.does
        base = 1.4 if site.slot in fragment.slots else 1.8 if is_main else 2.2
        for names, tokens in name_substitutions(fragment, site.scope) if is_missing or is_other else ():
            if is_missing:
                rank = base + (fragment.does not in compared.lacks) * 0.9
                rank -= not fragment.attributes.isdisjoint(site.scope.unread_attributes)
                make = partial(fragment.written, names, node)
                yield from builder.sized(node, make, "missing", rank, Counter(), tokens, does=fragment.does)
            if is_other and inside is not None:
                make = partial(fragment.written, names, inside)
                gone = token_counts(node) - token_counts(inside)
                yield from builder.sized(node, make, "step", base + 0.7, gone, tokens)


_MAIN = frozenset(("return", "=", "MatMult", "softmax", "masked_fill", "dropout", "matmul"))


def _by_catalogue(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield what a rule of the catalogue makes backward, or a general rule."""
    yield from _by(
        builder,
        site,
        (*builder.right.inverse_rules.get(type(site.node), ()), *EDITS.get(type(site.node), ())),
    )


def _by_rules(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield what a mutant's rule turns back, or a rule of the catalogue or a general one makes."""
    yield from _by_catalogue(builder, site)
    yield from _by(builder, site, MUTANTS.get(type(site.node), ()))
    for rule in STEPS if accepts_step(site) and site.scope.function else ():
        make = partial(rule.wrap, site.node)
        tokens = Counter(("(", ")", "step", "."))
        yield from builder.sized(site.node, make, rule.kind, rule.rank, Counter(), tokens, does=rule.does)


def _by(builder: EditBuilder, site: NodeInScope, rules: Iterable[Rule]) -> Iterator[Edit]:
    node = site.node
    for rule in rules if site.scope.function else ():
        if not rule.others and (made := rule.at(node)) is not None:
            kind, rank = (rule.kind, rule.rank) if rule.rank else _sort_of_rule(builder, rule, node, made)
            size = (token_counts(node) - token_counts(made)).total() + (
                token_counts(made) - token_counts(node)
            ).total()
            for edit in builder.edit(node, made, kind, rank, size=size):
                yield replace(edit, misconception=rule.misconception)


def _by_several_rules(code: Code, right: RightAnswerFragments) -> Iterator[Edit]:
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
                others = tuple((one, returning(made)) for one, made in more)
                yield Edit(
                    old,
                    returning(new),
                    "value",
                    1.2,
                    2 * len(more),
                    more=others,
                    misconception=rule.misconception,
                )


def _sort_of_rule(builder: EditBuilder, rule: Rule, node: ast.AST, made: ast.AST) -> tuple[str, float]:
    """Return the kind and the rank of what a rule makes that does not say them itself."""
    if not rule.misconception:
        return _sort_of_change(builder, node, made)
    *_, smallest = path_to_difference(node, made)
    kind, _ = _sort_of_change(builder, *smallest)
    return "value" if kind == "place" else kind, 1.2


def _calls(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield calls with a keyword more, and of functions that right answers call instead."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    for keyword, tree, rank in _more_keywords(builder, node, site):
        made = altered(node, keywords=[*node.keywords, ast.keyword(keyword, tree)])
        yield from builder.edit(node, made, "argument", rank)
    known = {function for function, _ in builder.right.values} | {"reshape"}
    for function in _ALIKE.get(called_name(node), ()):
        if isinstance(node.func, ast.Attribute) and function in known:
            yield from builder.edit(
                node, altered(node, func=altered(node.func, attr=function)), "function", 1.6
            )


def _more_keywords(
    builder: EditBuilder, node: ast.Call, site: NodeInScope
) -> Iterator[tuple[str, ast.expr, float]]:
    """Yield keywords that a call may lack, each with a value and a rank."""
    name, has = called_name(node), {keyword.arg for keyword in node.keywords}
    for (function, argument), found in builder.right.values.items():
        if function == name and argument.isidentifier() and argument not in has:
            for fragment in found:
                yield from (
                    (argument, fragment.written(names), 1.6)
                    for names, _ in name_substitutions(fragment, site.scope)
                )
    if name in ("zeros", "ones", "full", "empty", "eye", "arange", "tensor", "randn") and "dtype" not in has:
        yield from (("dtype", parse_expression(f"{one}.dtype"), 1.2) for one in site.scope.parameters[:3])


_ALIKE: dict[str, list[str]] = {  # beside those that mutants take for one another
    one: [other for other in group.split() if other != one]
    for group in (
        "view reshape flatten", "cat vstack hstack concat stack", "masked_fill_ masked_fill", "add_ add",
        "mul_ mul", "sub_ sub", "div_ div", "repeat expand", "zeros_like empty_like", "empty zeros",
        "ModuleList list", "max amax", "append extend", "register_buffer register_parameter",
    )
    for one in group.split()
}  # fmt: skip


def _changed_back(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield the slips that make mutants, which turn back what the same slips have done."""
    if not site.scope.function or (
        site.slot and site.slot[0] in _TRANSPOSE and _constant(site.node) is not None
    ):
        return
    for part, other in slips(site.node, Scope()):
        if not (isinstance(part, ast.stmt) and is_docstring(part)):
            kind, rank = _sort_of_change(builder, part, other)
            yield from builder.edit(part, other, kind, rank)


def _sort_of_change(builder: EditBuilder, part: ast.AST, other: ast.AST) -> tuple[str, float]:
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
            rank = 1.2 if operation(part) in builder.compared.has_more else 2.2
            return "too much", rank + (step_input(part) is not other) * 0.4
        case ast.Call(func=one), ast.Call(func=two) if ast.dump(one) != ast.dump(two):
            known = any(function == called_name(other) for function, _ in builder.right.values)
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


def _in_lists(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield tuples and lists in which two neighbours have changed places."""
    match site.node:
        case ast.Tuple(elts=parts, ctx=ast.Load()) | ast.List(elts=parts, ctx=ast.Load()):
            for at, pair in enumerate(pairwise(parts)):
                if not all(isinstance(one, ast.Constant) for one in pair):
                    several = [*parts[:at], *reversed(pair), *parts[at + 2 :]]
                    yield from builder.edit(site.node, altered(site.node, elts=several), "order", 1.8)


def _slips(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield results that are kept, tensors that are not changed in place, and blocks taken apart."""
    node = site.node
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as owner)) as call
        ) if ast.unparse(owner) not in (*MODULES, "nn.functional", "torch.nn.functional", "self", "plt"):
            target = altered(owner, ctx=ast.Store())
            yield from builder.edit(node, ast.Assign([target], call, lineno=0), "discarded", 1.0)
        case ast.Expr(value=ast.Call(args=[ast.Name() as first, *_]) as call):
            made = ast.Assign([altered(first, ctx=ast.Store())], call, lineno=0)
            yield from builder.edit(node, made, "discarded", 1.2)
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            made = ast.Assign([node.target], ast.BinOp(ast.Name(name, ast.Load()), op, value), lineno=0)
            yield from builder.edit(node, made, "in place", 1.2)
        case ast.Assign(targets=[ast.Name() | ast.Subscript()], value=ast.Name(id=name) as value):
            yield from builder.edit(value, parse_expression(f"{name}.clone()"), "copy", 1.3)
        case ast.With():
            yield from builder.edit(node, node.body, "too much", 1.2)
        case ast.For(body=[*first, ast.Return() as last]):
            loop = altered(node, body=first or [ast.Pass()])
            yield from builder.edit(node, [loop, last], "return in the loop", 0.9)


def _moves(_: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield a step that acts at another place of the same function: a mask, a dropout, a norm, a factor."""
    node = site.node
    if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
        return
    values = [one for one in ast.walk(node) if isinstance(one, ast.Call | ast.BinOp)]
    for step in values:
        inside = step_input(step)
        if inside is None or operation(step) in _NO_STEPS:
            continue
        size = (token_counts(step) - token_counts(inside)).total()
        template = replaced(step, {id(inside): ast.Name(HOLE, ast.Load())})
        within = {id(one) for one in ast.walk(step)}
        for target in values if size <= MOST_ADDED else ():
            if id(target) not in within and all(one is not step for one in ast.walk(target)):
                make = partial(with_values, template, {HOLE: target})
                rank = 1.7 + RANK_PER_TOKEN * size
                yield Edit(
                    step, returning(inside), "order", rank, size + TOKENS_PER_NODE, more=((target, make),)
                )


_NO_STEPS = frozenset((
    "MatMult", "Add", "[]", "zeros", "arange", "append", "range", "len", "Linear", "super", "",
))  # fmt: skip


def _statements(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield neighbouring statements in the other order, or what they do: f(g(x)) for g(f(x))."""
    if not isinstance(site.node, ast.FunctionDef):
        return
    for one, other in pairwise(site.node.body):
        rank = 1.2 if site.node.name == "__init__" else 2.4
        if not isinstance(other, ast.Return):
            yield from builder.edit(other, [], "order", rank, (one, [other, one]))
        match one, other:
            case ast.Assign(targets=[ast.Name(id=name)], value=first), (
                ast.Assign(value=second) | ast.Return(value=ast.expr() as second)
            ):
                inner, outer = step_input(first), step_input(second)
                if inner is not None and isinstance(outer, ast.Name) and outer.id == name:
                    new = replaced(second, {id(outer): inner}), replaced(first, {id(inner): outer})
                    yield from builder.edit(first, new[0], "order", 1.4, (second, new[1]))


def _missing_statements(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield statements of right answers that do not return anything, at each position of a function."""
    node = site.node
    if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
        return
    known = {ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.Expr)}
    inside = [one for one in ast.walk(node) if isinstance(one, ast.stmt) and one is not node]
    scope = replace(site.scope, names=names_of(node))
    for fragment in builder.right.statements:
        is_known = fragment.attributes <= {*scope.attributes, "training"}
        for names, tokens in name_substitutions(fragment, scope, MOST_NAMES // 2) if is_known else ():
            new = fragment.written(names)
            if ast.unparse(new) in known or (isinstance(new, ast.If) and "raise" in ast.unparse(node)):
                continue
            for statement in inside:
                if not is_docstring(statement):
                    make = returning([new, statement])
                    yield Edit(
                        statement, make, "statement", 1.3 + RANK_PER_TOKEN * tokens.total(), tokens.total()
                    )


def _overwritten(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield a function without the line that gives an argument another value before it is read."""
    match site.node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in site.scope.parameters:
            if name not in names_in(value):
                yield from builder.edit(site.node, [], "overwritten", 1.0, size=1)


def _swapped(_: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield two arguments, or two attributes of self, each in the place of the other in a whole function."""
    node = site.node
    if not isinstance(node, ast.FunctionDef):
        return
    read = defaultdict[str, list[ast.expr]](list)
    for one in ast.walk(node):
        match one:
            case ast.Attribute(value=ast.Name("self"), attr=name, ctx=ast.Load()):
                read[f"self.{name}"].append(one)
            case ast.Name(id=argument, ctx=ast.Load()) if argument in site.scope.parameters:
                read[argument].append(one)
    for left, right in combinations(read, 2):
        uses = [*((use, right) for use in read[left]), *((use, left) for use in read[right])]
        if ("." in left) == ("." in right) and 2 <= len(uses) <= _MOST_JOINT:
            (old, new), *more = [(use, parse_expression(name)) for use, name in uses]
            others = tuple((use, returning(made)) for use, made in more)
            yield Edit(old, returning(new), "swapped", 1.9, 2 * len(uses), more=others)


def _raised(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield the errors that right answers raise."""
    match site.node:
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name) as raised) | (ast.Name(id=name) as raised)):
            for fragment in builder.right.statements:
                match fragment.tree:
                    case ast.If(body=[ast.Raise(exc=ast.Call(func=ast.Name(id=other)))]) if other != name:
                        yield from builder.edit(raised, ast.Name(other, ast.Load()), "error", 1.0)


def _buffers(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield a buffer in the place of a plain attribute, or of a parameter that is none."""
    match site.node:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name("self"), attr=name)], value=value):
            if isinstance(value, ast.Call) and called_name(value) == "Parameter" and value.args:
                value = value.args[0]
            elif isinstance(value, ast.Constant) or ast.unparse(value).startswith("nn."):
                return
            if site.scope.function == "__init__":
                call = ast.Call(self_attribute("register_buffer"), [ast.Constant(name), value], [])
                yield from builder.edit(site.node, ast.Expr(call), "buffer", 1.4, size=4)


_EDIT_GENERATORS: tuple[EditGenerator, ...] = (
    _values, _numbers, _names, _unread, _step_fragments, _by_rules, _calls, _in_lists, _slips, _buffers,
    _statements, _moves, _changed_back, _missing_statements, _swapped, _raised, _overwritten,
)  # fmt: skip
