"""Edits that add a step to a value, such as a transpose or a softmax, or replace a step."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import partial

from autograder.diagnosis.code import NodeInScope, is_signed
from autograder.diagnosis.fragments import (
    ANYWHERE,
    Edit,
    EditBuilder,
    name_substitutions,
    operation,
    step_input,
)
from autograder.diagnosis.trees import HOLE, names_in, token_counts

_DIVISOR_DELAY = 0.9  # added to the rank of a step that divides by its input, or that divides sizes
_MAIN_SLOTS = frozenset(("return", "=", "MatMult", "softmax", "masked_fill", "dropout", "matmul"))
_SIZES = (("[]", "1"), ("Pow", "1"), ("range", "0"), ("range", "1"))  # slots of numbers
_NO_TENSORS = ("shape", "dtype", "device", "inf", "training")  # attributes that are not tensors


def right_steps(builder: EditBuilder, site: NodeInScope) -> Iterator[Edit]:
    """Yield edits that apply a right answer's step to a value, or replace a step by a right answer's."""
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
    """Whether a step divides by its input, or divides sizes. Few answers lack such a step."""
    if not isinstance(step, ast.BinOp):
        return False
    return isinstance(step.op, ast.FloorDiv) or (
        isinstance(step.op, ast.Div) and HOLE in names_in(step.right)
    )


def _accepts_step(site: NodeInScope) -> bool:
    """Whether a step may be applied to this node: a variable or a computed value that may be a tensor."""
    node = site.node
    if not isinstance(node, ast.Name | ast.Call | ast.BinOp | ast.Attribute | ast.Subscript | ast.UnaryOp):
        return False
    if not isinstance(getattr(node, "ctx", None), ast.Load | None) or site.slot is None:
        return False
    if site.slot in _SIZES or (isinstance(node, ast.Attribute) and node.attr in _NO_TENSORS):
        return False
    return not is_signed(node) and getattr(node, "id", "") not in ANYWHERE
