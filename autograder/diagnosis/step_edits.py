"""Edits of steps and statements: add, replace, move or reorder them, or change an assignment or an error."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise

from autograder.diagnosis.code import MODULES, NodeInScope, called_name, is_signed, names_of
from autograder.diagnosis.fragments import (
    ANYWHERE,
    MOST_ADDED,
    MOST_NAMES,
    RANK_PER_TOKEN,
    TOKENS_PER_NODE,
    Edit,
    EditBuilder,
    edit_of,
    name_substitutions,
    operation,
    returning,
    step_input,
)
from autograder.diagnosis.trees import (
    HOLE,
    altered,
    is_docstring,
    names_in,
    parse_expression,
    replaced,
    self_attribute,
    token_counts,
    with_values,
)

MOST_JOINT_NODES = 6  # the largest number of nodes that one edit changes in the same way
_DIVISOR_DELAY = 0.9  # added to the rank of an edit that adds an unlikely division (see `_is_divisor`)
_MAIN_SLOTS = frozenset(("return", "=", "MatMult", "softmax", "masked_fill", "dropout", "matmul"))
_SIZES = (("[]", "1"), ("Pow", "1"), ("range", "0"), ("range", "1"))  # slots that take numbers, not tensors
_NO_TENSORS = ("shape", "dtype", "device", "inf", "training")  # attributes that are not tensors


def right_steps(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that add a right answer's step, or replace a step by a right answer's similar step."""
    node, compared = site.node, builder.compared
    if not _accepts_step(site) or site.scope.function == "" or not isinstance(node, ast.expr):
        return
    in_main_slot = (site.slot or ("",))[0] in _MAIN_SLOTS
    inner, applied = step_input(node), operation(node)
    for fragment in builder.right.steps:
        is_missing = fragment.does in compared.may_lack and applied != fragment.does
        is_missing &= not fragment.calls or fragment.does in compared.lacks
        is_other = inner is not None and applied == fragment.does
        base = 1.4 if site.slot in fragment.slots else 1.8 if in_main_slot else 2.2
        for names, tokens in name_substitutions(fragment, site.scope) if is_missing or is_other else ():
            if is_missing:
                rank = base + (fragment.does not in compared.lacks) * 0.9
                rank += _is_divisor(fragment.tree) * _DIVISOR_DELAY
                rank -= not fragment.attributes.isdisjoint(site.scope.unread_attributes)
                make = partial(fragment.written, names, node)
                yield from builder.sized(node, make, "missing", rank, Counter(), tokens, does=fragment.does)
            if is_other and inner is not None:
                make = partial(fragment.written, names, inner)
                removed = token_counts(node) - token_counts(inner)
                yield from builder.sized(node, make, "step", base + 0.7, removed, tokens)


def _is_divisor(step: ast.AST) -> bool:
    """Whether a step divides by its input, or is an integer division. Students rarely forget such a step."""
    if not isinstance(step, ast.BinOp):
        return False
    return isinstance(step.op, ast.FloorDiv) or (
        isinstance(step.op, ast.Div) and HOLE in names_in(step.right)
    )


def _accepts_step(site: NodeInScope) -> bool:
    """Whether a step may be applied to this node: a variable or value that can be a tensor."""
    node = site.node
    if not isinstance(node, ast.Name | ast.Call | ast.BinOp | ast.Attribute | ast.Subscript | ast.UnaryOp):
        return False
    if not isinstance(getattr(node, "ctx", None), ast.Load | None) or site.slot is None:
        return False
    if site.slot in _SIZES or (isinstance(node, ast.Attribute) and node.attr in _NO_TENSORS):
        return False
    return not is_signed(node) and getattr(node, "id", "") not in ANYWHERE


def statement_slips(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits of a single statement.

    `x.relu()` becomes `x = x.relu()`, `x += y` becomes `x = x + y`, and `y = x` becomes `y = x.clone()`. A
    `with` becomes its body, and a `return` is moved out of a loop.
    """
    node = site.node
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as owner)) as call
        ) if ast.unparse(owner) not in (*MODULES, "nn.functional", "torch.nn.functional", "self", "plt"):
            target = altered(owner, ctx=ast.Store())
            yield from builder.edit(node, ast.Assign([target], call, lineno=0), "discarded", 1.0)
        case ast.Expr(value=ast.Call(args=[ast.Name() as first, *_]) as call):
            assignment = ast.Assign([altered(first, ctx=ast.Store())], call, lineno=0)
            yield from builder.edit(node, assignment, "discarded", 1.2)
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            assignment = ast.Assign([node.target], ast.BinOp(ast.Name(name, ast.Load()), op, value), lineno=0)
            yield from builder.edit(node, assignment, "in place", 1.2)
        case ast.Assign(targets=[ast.Name() | ast.Subscript()], value=ast.Name(id=name) as value):
            yield from builder.edit(value, parse_expression(f"{name}.clone()"), "copy", 1.3)
        case ast.With():
            yield from builder.edit(node, node.body, "too much", 1.2)
        case ast.For(body=[*first, ast.Return() as last]):
            loop = altered(node, body=first or [ast.Pass()])
            yield from builder.edit(node, [loop, last], "return in the loop", 0.9)


def moved_steps(_: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that move a step, such as a mask, a dropout or a norm, to another value of the function."""
    node = site.node
    if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
        return
    values = [part for part in ast.walk(node) if isinstance(part, ast.Call | ast.BinOp)]
    for step in values:
        step_data = step_input(step)
        if step_data is None or operation(step) in _NOT_MOVED:
            continue
        size = (token_counts(step) - token_counts(step_data)).total()
        template = replaced(step, {id(step_data): ast.Name(HOLE, ast.Load())})
        inside_step = {id(part) for part in ast.walk(step)}
        for target in values if size <= MOST_ADDED else ():
            if id(target) not in inside_step and all(part is not step for part in ast.walk(target)):
                make = partial(with_values, template, {HOLE: target})
                rank = 1.7 + RANK_PER_TOKEN * size
                yield Edit(
                    step, returning(step_data), "order", rank, size + TOKENS_PER_NODE, more=((target, make),)
                )


_NOT_MOVED = frozenset((
    "MatMult", "Add", "[]", "zeros", "arange", "append", "range", "len", "Linear", "super", "",
))  # fmt: skip


def reordered_statements(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that swap two neighbouring statements, or the functions that they apply.

    In the second case, `y = g(x)` and `z = f(y)` become `y = f(x)` and `z = g(y)`.
    """
    if not isinstance(site.node, ast.FunctionDef):
        return
    for earlier, later in pairwise(site.node.body):
        rank = 1.2 if site.node.name == "__init__" else 2.4
        if not isinstance(later, ast.Return):
            yield from builder.edit(later, [], "order", rank, (earlier, [later, earlier]))
        match earlier, later:
            case ast.Assign(targets=[ast.Name(id=name)], value=first), (
                ast.Assign(value=second) | ast.Return(value=ast.expr() as second)
            ):
                inner, outer = step_input(first), step_input(second)
                if inner is not None and isinstance(outer, ast.Name) and outer.id == name:
                    new = replaced(second, {id(outer): inner}), replaced(first, {id(inner): outer})
                    yield from builder.edit(first, new[0], "order", 1.4, (second, new[1]))


def missing_statements(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that insert a right answer's statement, such as `model.eval()`, before a statement."""
    node = site.node
    if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
        return
    existing = {ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.Expr)}
    statements = [one for one in ast.walk(node) if isinstance(one, ast.stmt) and one is not node]
    scope = replace(site.scope, names=names_of(node))
    for fragment in builder.right.statements:
        has_attributes = fragment.attributes <= {*scope.attributes, "training"}
        for names, tokens in name_substitutions(fragment, scope, MOST_NAMES // 2) if has_attributes else ():
            new = fragment.written(names)
            if ast.unparse(new) in existing or (isinstance(new, ast.If) and "raise" in ast.unparse(node)):
                continue
            for statement in statements:
                if not is_docstring(statement):
                    make = returning([new, statement])
                    yield Edit(
                        statement, make, "statement", 1.3 + RANK_PER_TOKEN * tokens.total(), tokens.total()
                    )


def overwritten_arguments(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """If a statement overwrites an argument of its function, yield an edit that removes the statement."""
    match site.node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in site.scope.parameters:
            if name not in names_in(value):
                yield from builder.edit(site.node, [], "overwritten", 1.0, size=1)


def exchanged_names(_: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that swap two arguments, or two attributes of self, everywhere in a function."""
    node = site.node
    if not isinstance(node, ast.FunctionDef):
        return
    reads = defaultdict[str, list[ast.expr]](list)
    for part in ast.walk(node):
        match part:
            case ast.Attribute(value=ast.Name("self"), attr=name, ctx=ast.Load()):
                reads[f"self.{name}"].append(part)
            case ast.Name(id=argument, ctx=ast.Load()) if argument in site.scope.parameters:
                reads[argument].append(part)
    for left, right in combinations(reads, 2):
        uses = [*((use, right) for use in reads[left]), *((use, left) for use in reads[right])]
        if ("." in left) == ("." in right) and 2 <= len(uses) <= MOST_JOINT_NODES:
            changes = [(use, parse_expression(name)) for use, name in uses]
            yield edit_of(changes, "swapped", 1.9, 2 * len(uses))


def other_errors(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that change the type of a raised error to the type that right answers raise."""
    match site.node:
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name) as raised) | (ast.Name(id=name) as raised)):
            for fragment in builder.right.statements:
                match fragment.tree:
                    case ast.If(body=[ast.Raise(exc=ast.Call(func=ast.Name(id=other)))]) if other != name:
                        yield from builder.edit(raised, ast.Name(other, ast.Load()), "error", 1.0)


def registered_buffers(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that call `register_buffer` instead of assigning a tensor or parameter to an attribute."""
    match site.node:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name("self"), attr=name)], value=value):
            if isinstance(value, ast.Call) and called_name(value) == "Parameter" and value.args:
                value = value.args[0]
            elif isinstance(value, ast.Constant) or ast.unparse(value).startswith("nn."):
                return
            if site.scope.function == "__init__":
                call = ast.Call(self_attribute("register_buffer"), [ast.Constant(name), value], [])
                yield from builder.edit(site.node, ast.Expr(call), "buffer", 1.4, size=4)
