"""Makes small edits of a student's code, the likeliest repairs first.

Some edits insert values and steps of right answers. Others apply rules of the catalogue of misconceptions in
reverse. General edits change a dimension, name, operator or bound, remove a step, reorder steps and
statements, or assign a result that the code throws away. Most edits make no sense. That does not matter,
because an edit is a repair only if all hidden tests then pass.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from autograder.diagnosis.code import Code, NodeInScope, Scope, called_name, is_signed
from autograder.diagnosis.fragments import (
    MOST_ADDED,
    Edit,
    EditBuilder,
    RightAnswerFragments,
    edit_of,
    name_substitutions,
    operation,
    step_input,
)
from autograder.diagnosis.mutations import slips
from autograder.diagnosis.patterns import Rule, RulesByType
from autograder.diagnosis.step_edits import (
    MOST_JOINT_NODES,
    exchanged_names,
    missing_statements,
    moved_steps,
    other_errors,
    overwritten_arguments,
    registered_buffers,
    reordered_statements,
    right_steps,
    statement_slips,
)
from autograder.diagnosis.tables import EDITS, MUTANTS
from autograder.diagnosis.trees import (
    altered,
    by_type,
    is_docstring,
    parse_expression,
    path_to_difference,
    position,
    self_attribute,
    token_counts,
    token_distance,
)

EditGenerator = Callable[[EditBuilder, NodeInScope], Iterator[Edit]]
_DIMENSIONS = (-1, -2, 0, 1, 2, -3)
_TAKES_DIMENSIONS = frozenset((
    "softmax", "log_softmax", "sum", "mean", "max", "min", "amax", "amin", "argmax", "cat", "stack",
    "transpose", "swapaxes", "unsqueeze", "squeeze", "flatten", "unflatten", "permute", "cumsum", "size",
    "repeat_interleave", "norm", "std", "var", "log_sum_exp", "logsumexp", "split", "chunk", "movedim",
    "flip", "select", "narrow", "normalize",
))  # fmt: skip
_NOT_DIMENSIONS = frozenset((  # functions, with the index of an argument that is a size, a count or a power
    ("split", "1"), ("chunk", "1"), ("repeat_interleave", "1"), ("norm", "1"), ("normalize", "1"),
    ("narrow", "2"), ("narrow", "3"), ("select", "2"), ("unflatten", "2"),
))  # fmt: skip
# Functions that swap two dimensions. Rules of tables.py change both dimensions at once. If only one dimension
# changed, both could become equal.
_TRANSPOSE = ("transpose", "swapaxes")
_CASTS = frozenset(("to", "float", "double", "type_as", "half"))
_EXTRA_TOKENS = 8  # a new value has at most 2 * (tokens of the old value) + _EXTRA_TOKENS tokens
_DIM_NAMES = ("dim", "axis", "dim0", "dim1")


def edits(code: Code, right: RightAnswerFragments) -> list[Edit]:
    """Return edits of a student's code, the likeliest first."""
    compared = right.compared(code)
    candidates = [
        edit
        for site in code.places
        for make in _EDIT_GENERATORS
        for edit in make(EditBuilder(right, compared, site), site)
    ]
    if code.casts:  # do not add a second cast, which could hide that the first cast is wrong
        candidates = [edit for edit in candidates if edit.kind != "missing" or edit.does not in _CASTS]
    return _ranked([*candidates, *_joint(candidates)], code)


def edits_by_rules(views: Sequence[Code], right: RightAnswerFragments) -> list[Edit]:
    """Return edits by the rules in EDITS, and by the catalogue's rules in reverse.

    `views` are equivalent forms of the student's code. An edit that several forms allow is returned once.
    """
    ranked, ranked_positions = list[Edit](), set[tuple[object, ...]]()
    for code in views:
        compared = right.compared(code)
        builders = [EditBuilder(right, compared, site) for site in code.places]
        candidates = [edit for builder in builders for edit in _by_rules(builder, builder.site, (EDITS,))]
        candidates = [
            edit
            for edit in (*candidates, *_by_several_rules(code, right))
            if _edit_position(edit) not in ranked_positions
        ]
        ranked_positions |= {_edit_position(edit) for edit in candidates}
        ranked += _ranked([*candidates, *_joint(candidates)], code)
    return ranked


def _edit_position(edit: Edit) -> tuple[object, ...]:
    """Return an edit's misconception, kind and position, which are the same in all forms of the code."""
    return edit.misconception, edit.kind, *position(edit.old)


def _ranked(candidates: Sequence[Edit], code: Code) -> list[Edit]:
    """Return edits sorted by rank. If a node has several edits of one kind, all but the first are delayed."""
    likelier_edits = Counter[tuple[int, str]]()
    ranked, recipes = [], set[tuple[object, ...]]()
    for edit in sorted(candidates, key=lambda edit: edit.rank):
        if edit.does in _COMMUTATIVE:  # skip an edit that differs from another only in the order of operands
            recipe = (id(edit.old), *edit.recipe)
            if recipe in recipes:
                continue
            recipes.add(recipe)
        delay = _REPEATED_DELAY * likelier_edits[id(edit.old), edit.kind]
        likelier_edits[id(edit.old), edit.kind] += 1
        ranked.append(replace(edit, rank=edit.rank + delay, within=code))
    return sorted(ranked, key=lambda edit: edit.rank)


_COMMUTATIVE = ("Add", "Mult")  # operators whose operands may change their order
_REPEATED_DELAY = 0.03  # added to an edit's rank for each earlier edit of the same kind at the same node


def _joint(candidates: Sequence[Edit]) -> Iterator[Edit]:
    """Yield edits that change several nodes of a function in the same way, such as the sizes of layers."""
    by_recipe = defaultdict[tuple[object, ...], dict[int, Edit]](dict)
    for edit in candidates:
        if edit.recipe:
            by_recipe[edit.recipe][id(edit.old)] = edit
    for first, *others in (several.values() for several in by_recipe.values()):
        if 0 < len(others) < MOST_JOINT_NODES:
            more = tuple((other.old, other.make) for other in others)
            yield replace(first, rank=first.rank + 0.2, size=first.size + 1, more=more)


def _values(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that replace a node by a value that right answers have in the same slot."""
    node = site.node
    if site.slot is None or not isinstance(node, ast.expr) or site.slot[0] in _TRANSPOSE:
        return
    slots, size = dict.fromkeys([site.slot, *site.use_slots]), token_counts(node).total()
    slots |= {("range", "0"): None} if site.slot == ("range", "1") else {}
    # A much longer value would be a whole solution instead of an edit.
    most_tokens = 2 * size + (3 if site.slot[0] == "return" else _EXTRA_TOKENS)
    for fragment in dict.fromkeys(one for slot in slots for one in builder.right.values.get(slot, ())):
        if isinstance(fragment.tree, ast.Name) and fragment.tree.id not in site.scope.names:
            continue
        if site.slot == ("[]", "1") and not isinstance(node, type(fragment.tree) | ast.Constant | ast.Name):
            continue
        contains_name = (
            isinstance(node, ast.Name)
            and node.id in fragment.names
            and not isinstance(fragment.tree, ast.Name)
        )
        if contains_name or size - MOST_ADDED <= fragment.size <= min(most_tokens, size + MOST_ADDED):
            is_simple = isinstance(fragment.tree, ast.Constant | ast.UnaryOp | ast.Name)
            rank = (
                1.0
                + (0 if is_simple else 0.4)
                + (type(fragment.tree) is not type(node)) * (0.2 if contains_name else 0.6)
            )
            # Replacing a variable by a computation rarely repairs a mistake, so such edits come later.
            rank += isinstance(node, ast.Name) and not isinstance(fragment.tree, ast.Name)
            kind = _kind_of_value(site, fragment.tree)
            for names, tokens in name_substitutions(fragment, site.scope):
                make = partial(fragment.written, names)
                yield from builder.sized(node, make, kind, rank, token_counts(node), tokens)


def _kind_of_value(site: NodeInScope, tree: ast.AST) -> str:
    function, argument = site.slot or ("", "")
    if _takes_dimension(site) and (type(_constant(tree)) is int or argument in _DIM_NAMES):
        return "dimension"
    if isinstance(tree, ast.Name) and isinstance(site.node, ast.Name):
        return "name"
    return "bound" if function in ("for", "range") else "value"


def _takes_dimension(site: NodeInScope) -> bool:
    """Whether a node is an argument that selects a dimension, as in `x.sum(1)`."""
    function, argument = site.slot or ("", "")
    if not argument.isdigit():
        return argument in _DIM_NAMES
    return function in _TAKES_DIMENSIONS and (function, argument) not in _NOT_DIMENSIONS


def _other_numbers(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    node, value = site.node, _constant(site.node)
    function, _ = site.slot or ("", "")
    if isinstance(value, bool):
        yield from builder.edit(node, ast.Constant(not value), "switch", 1.2)
    elif isinstance(value, int) and function not in _TRANSPOSE:
        is_dim = _takes_dimension(site)
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
    """Return the value of a constant or of a negative number, else None."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Constant(value=value):
            return value
    return None


def _other_names(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    scope = site.scope
    match site.node:
        case ast.Name(id=name, ctx=ast.Load()) if name in scope.names:
            for other in scope.names:
                if other != name and _may_replace(other, site):
                    rank = 2.0 + (other not in scope.parameters) * 0.1
                    yield from builder.edit(site.node, ast.Name(other, ast.Load()), "name", rank)
        case ast.Attribute(value=ast.Name("self"), attr=attribute, ctx=ast.Load()):
            for other in scope.attributes if attribute in scope.attributes else ():
                if other != attribute and _may_replace(f"self.{other}", site):
                    yield from builder.edit(site.node, self_attribute(other), "name", 2.2)


def _unread(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that use an unread name as a value, as a summand, or as an additional argument."""
    node = site.node
    if (
        isinstance(node, ast.Attribute)
        and ast.unparse(node.value) == "self"
        and isinstance(node.ctx, ast.Load)
    ):
        for name in site.scope.unread_attributes:
            if _may_replace(f"self.{name}", site):
                yield from builder.edit(node, self_attribute(name), "unread", 0.9)
    for name in site.scope.unread:
        argument = ast.Name(name, ast.Load())
        if (
            isinstance(node, ast.Name | ast.Subscript | ast.Attribute)
            and site.slot
            and _may_replace(name, site)
        ):
            yield from builder.edit(node, argument, "unread", 1.0)
            if site.slot == ("=", "") and name not in site.scope.parameters:
                yield from builder.edit(node, ast.BinOp(node, ast.Add(), argument), "missing", 1.2)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from builder.edit(node, altered(node, args=[*node.args, argument]), "unread", 0.9)


def _may_replace(name: str, site: NodeInScope) -> bool:
    """Whether a name may replace a node. Only a name with "bias" may replace the value in `bias=True`.

    Without this rule, any numeric variable could replace the value, because most numbers count as True.
    """
    return site.slot is None or site.slot[1] != "bias" or "bias" in name


def _by_rules(
    builder: EditBuilder, site: NodeInScope, tables: Sequence[RulesByType] = (EDITS, MUTANTS)
) -> Iterator[Edit]:
    """Yield edits by the catalogue's rules in reverse, and by the rules in `tables`."""
    node = site.node
    rules = (rule for table in (builder.right.inverse_rules, *tables) for rule in table.get(type(node), ()))
    for rule in rules if site.scope.function else ():
        if not rule.others and (replacement := rule.at(node)) is not None:
            kind, rank = rule.kind, rule.rank
            if not rank:
                kind, rank = _kind_and_rank_of_rule(builder, rule, node, replacement)
            size = token_distance(token_counts(node), token_counts(replacement))
            for edit in builder.edit(node, replacement, kind, rank, size=size):
                yield replace(edit, misconception=rule.misconception)


def _by_several_rules(code: Code, right: RightAnswerFragments) -> Iterator[Edit]:
    """Yield edits by rules that the catalogue joins with `&&`. Joined rules must match in one statement."""
    several_rules = [rule for rules in right.inverse_rules.values() for rule in rules if rule.others]
    for statement in code.editable:
        nodes = by_type(statement)
        for rule in several_rules:
            changes = [
                [(node, new) for node in nodes.get(part.type, ()) if (new := part.at(node)) is not None]
                for part in (rule, *rule.others)
            ]
            if all(changes):
                joint = [change for of_one_rule in changes for change in of_one_rule]
                yield edit_of(joint, "value", 1.2, 2 * (len(joint) - 1), rule.misconception)


def _kind_and_rank_of_rule(
    builder: EditBuilder, rule: Rule, node: ast.AST, replacement: ast.AST
) -> tuple[str, float]:
    if not rule.misconception:
        return _kind_and_rank(builder, node, replacement)
    *_, smallest = path_to_difference(node, replacement)
    kind, _ = _kind_and_rank(builder, *smallest)
    return "value" if kind == "place" else kind, 1.2


def _other_calls(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that call a similar function, or add a keyword argument that right answers pass."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    name, present = called_name(node), {keyword.arg for keyword in node.keywords}
    for (function, argument), fragments in builder.right.values.items():
        if function == name and argument.isidentifier() and argument not in present:
            for fragment in fragments:
                for names, _ in name_substitutions(fragment, site.scope):
                    keywords = [*node.keywords, ast.keyword(argument, fragment.written(names))]
                    yield from builder.edit(node, altered(node, keywords=keywords), "argument", 1.6)
    known_functions = {function for function, _ in builder.right.values} | {"reshape"}
    for function in _SIMILAR.get(name, ()):
        if isinstance(node.func, ast.Attribute) and function in known_functions:
            new_call = altered(node, func=altered(node.func, attr=function))
            yield from builder.edit(node, new_call, "function", 1.6)


_SIMILAR: dict[str, list[str]] = {  # similar functions, in addition to those of MUTANTS
    name: [other for other in group.split() if other != name]
    for group in (
        "view reshape flatten", "cat vstack hstack concat stack", "masked_fill_ masked_fill", "add_ add",
        "mul_ mul", "sub_ sub", "div_ div", "repeat expand", "zeros_like empty_like", "empty zeros",
        "ModuleList list", "max amax", "append extend", "register_buffer register_parameter",
    )
    for name in group.split()
}  # fmt: skip


def _inverse_slips(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield the changes of `slips`: small mistakes in right code, but often repairs in wrong code."""
    if not site.scope.function or (
        site.slot and site.slot[0] in _TRANSPOSE and _constant(site.node) is not None
    ):
        return
    for part, other in slips(site.node, Scope()):
        if not (isinstance(part, ast.stmt) and is_docstring(part)):
            kind, rank = _kind_and_rank(builder, part, other)
            yield from builder.edit(part, other, kind, rank)


def _kind_and_rank(builder: EditBuilder, part: ast.AST, other: ast.AST) -> tuple[str, float]:
    parts = (*ast.iter_child_nodes(part), *ast.iter_child_nodes(getattr(part, "func", ast.Pass())))
    match part, other:
        case _, ast.Pass():
            return "too much", 2.8
        case ast.UnaryOp(), _ if is_signed(part):
            return "number", 3.0
        case ast.BinOp() | ast.UnaryOp() | ast.Call() | ast.Subscript(), _ if any(
            child is other for child in parts
        ):
            if isinstance(part, ast.BinOp) and isinstance(other, ast.BinOp):
                return "too much", 1.3
            rank = 1.2 if operation(part) in builder.compared.has_more else 2.2
            return "too much", rank + (step_input(part) is not other) * 0.4
        case ast.Call(func=old), ast.Call(func=new) if ast.dump(old) != ast.dump(new):
            is_known = any(function == called_name(other) for function, _ in builder.right.values)
            # If the arguments also change, the function may be right, and its argument may be wrong.
            kind = "function" if _arguments(part) == _arguments(other) else "value"
            return kind, 1.6 if is_known else 3.0
        case ast.Call(args=old_args, keywords=named), ast.Call(args=new_args, keywords=others):
            same = len(old_args) == len(new_args) and len(named) == len(others)
            return ("order", 1.8) if same else ("argument", 3.0)
        case ast.AugAssign(), ast.Assign():
            return "assigned", 3.0
        case ast.Subscript(), ast.BinOp():  # for example, `x.shape[-1]` becomes `x.shape[-1]**0.5`
            return "value", 3.0
    return _KINDS.get(type(part), "place"), 3.0


def _arguments(call: ast.AST) -> list[str]:
    """Return the texts of a call's arguments, and of the object whose method it calls."""
    match call:
        case ast.Call(func=ast.Attribute(value=of), args=args, keywords=keywords):
            return [ast.unparse(node) for node in (of, *args, *keywords)]
        case ast.Call(args=args, keywords=keywords):
            return [ast.unparse(node) for node in (*args, *keywords)]
    return []


_KINDS: dict[type[ast.AST], str] = {
    ast.Compare: "condition", ast.BoolOp: "condition", ast.IfExp: "condition", ast.Subscript: "bound",
    ast.Constant: "number",
}  # fmt: skip


def _swapped_elements(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    match site.node:
        case ast.Tuple(elts=parts, ctx=ast.Load()) | ast.List(elts=parts, ctx=ast.Load()):
            for at, pair in enumerate(pairwise(parts)):
                if not all(isinstance(part, ast.Constant) for part in pair):
                    several = [*parts[:at], *reversed(pair), *parts[at + 2 :]]
                    yield from builder.edit(site.node, altered(site.node, elts=several), "order", 1.8)


_EDIT_GENERATORS: tuple[EditGenerator, ...] = (
    _values, _other_numbers, _other_names, _unread, right_steps, _by_rules, _other_calls,
    _swapped_elements, statement_slips, registered_buffers, reordered_statements, moved_steps, _inverse_slips,
    missing_statements, exchanged_names, other_errors, overwritten_arguments,
)  # fmt: skip
