"""What expressions give is kept as it was, and exchanged only for values of the same form."""

import pytest
import torch

from autograder.worker.namespace import Results


def test_values_are_kept_as_they_were_in_the_order_of_their_expressions() -> None:
    results, tensor = Results(), torch.zeros(2)
    assert results(7, tensor) is tensor
    assert (results(3, 5), results(3, 6), results(4, "text")) == (5, 6, "text")
    tensor += 1
    (first, (kept,)), second = results.take(None, [])
    assert (first, kept.tolist(), second) == (7, [0.0, 0.0], [3, [5, 6]])
    assert results.take(None, []) == []


def test_what_a_loop_computes_too_often_is_not_kept() -> None:
    results = Results()
    for number in range(100):
        results(1, number)
    results(2, torch.zeros(1 << 15))
    assert results.take(None, []) == []


@pytest.mark.parametrize(
    ("value", "other", "exchanged"),
    [
        (torch.zeros(2, 3), torch.ones(2, 3), True),
        (torch.zeros(2, 3), torch.ones(3, 2), False),
        (torch.zeros(2), torch.ones(2, dtype=torch.float64), False),
        (1, 2, True),
        (1, 2.0, False),
        (True, 0, False),
    ],
)
def test_another_value_comes_once_if_it_has_the_same_form(
    value: object, other: object, exchanged: bool
) -> None:
    results = Results()
    results.take(5, [other])
    assert results(4, value) is value
    assert results(5, value) is (other if exchanged else value)
    assert results(5, value) is value


def test_gradients_flow_back_through_an_exchanged_value() -> None:
    results, leaf = Results(), torch.zeros(2, requires_grad=True)
    results.take(1, [torch.full((2,), 3.0)])
    (results(1, leaf * 2) ** 2).sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [12.0, 12.0]
