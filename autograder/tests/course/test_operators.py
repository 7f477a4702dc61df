"""The groups of operators hold names of torch, and rules are spelt out from them."""

import pytest
import torch

from autograder.course.rule import GROUPS, all_operators


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_holds_operators_that_torch_has(group: str) -> None:
    known = torch.ops.aten
    assert [
        name for name in sorted(GROUPS[group]) if not (hasattr(known, name) or hasattr(known, f"{name}_"))
    ] == []


def test_no_operator_is_in_two_groups() -> None:
    assert sum(map(len, GROUPS.values())) == len(frozenset().union(*GROUPS.values()))


def test_groups_are_replaced_by_their_operators() -> None:
    assert all_operators(["softmaxes", "dropout"]) == GROUPS["softmaxes"] | {"dropout"}
    assert all_operators([]) == frozenset()
