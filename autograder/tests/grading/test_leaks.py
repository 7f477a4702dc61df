"""A submission's own words may be shown only if other numbers would not have changed them."""

from typing import Any

import pytest
import torch

from autograder.grading.leaks import same_words, scrambled, words
from autograder.testing.exchange import Exchange
from autograder.worker.protocol import Header


def asked(*tensors: torch.Tensor) -> Exchange:
    return Exchange(({"op": "call", "of": {"name": "f"}}, list(tensors)), ({"value": None}, []))


def answered(reply: Header) -> Exchange:
    return Exchange(({}, []), (reply, []))


def crash(message: str, kind: str = "ValueError") -> Header:
    return {"error": {"type": kind, "bases": [kind, "Exception"], "message": message, "places": [[3, 7]]}}


def value(kind: str) -> Header:
    return {"value": {"handle": 0, "type": kind}}


@pytest.mark.parametrize(
    "tensor",
    [
        torch.randn(3, 4),
        torch.randn(2, dtype=torch.float64),
        torch.randn(2, dtype=torch.bfloat16),
        torch.tensor(2.0),
        torch.tensor([3, 9, 5]),
        torch.tensor([True, False] * 20),
        torch.empty(0, 3),
        torch.empty(0, dtype=torch.int64),
    ],
    ids=lambda tensor: f"{tensor.dtype}-{tuple(tensor.shape)}",
)
def test_a_scrambled_tensor_has_the_same_shape_and_dtype(tensor: torch.Tensor) -> None:
    before = tensor.clone()
    ((header, (other,)),) = scrambled([asked(tensor)])
    assert header == {"op": "call", "of": {"name": "f"}}
    assert (other.shape, other.dtype) == (tensor.shape, tensor.dtype)
    assert tensor.equal(before)


@pytest.mark.parametrize("tensor", [torch.linspace(0, 1, 9), torch.arange(40), torch.tensor([True] * 40)])
def test_its_numbers_are_others(tensor: torch.Tensor) -> None:
    ((_, (other,)),) = scrambled([asked(tensor)])
    assert not other.equal(tensor)


def test_whole_numbers_stay_within_their_bounds_so_that_an_index_is_still_one() -> None:
    ((_, (other,)),) = scrambled([asked(torch.tensor([2, 5] * 50))])
    assert set(other.tolist()) == {2, 3, 4, 5}


def test_scrambling_twice_gives_the_same_numbers_and_two_requests_get_different_ones() -> None:
    exchanges = [asked(torch.ones(3)), asked(torch.ones(3))]
    first, again = ([tensors[0] for _, tensors in scrambled(exchanges)] for _ in range(2))
    assert all(map(torch.equal, first, again))
    assert not first[0].equal(first[1])


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"value": {"tensor": 0}}, []),
        ({"value": "a string"}, []),
        ({"value": {"dict": [["key", 3]]}}, []),
        (value("Sub, a subclass of Tensor"), ["'Sub, a subclass of Tensor'"]),
        ({"value": {"list": [1, {"tuple": [{"handle": 0, "type": "A"}]}]}}, ["'A'"]),
        ({"value": {"dict": [["key", {"handle": 0, "type": "B"}]]}}, ["'B'"]),
        (crash("no"), ["'ValueError'", "['ValueError', 'Exception']", "'no'"]),
        ({"missing": "softmax"}, []),
        ({}, []),
    ],
)
def test_its_own_words_are_those_of_errors_and_of_types(reply: Header, said: list[str]) -> None:
    assert words(reply) == said


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (crash("no"), crash("no"), True),
        (crash("0.25 is too small"), crash("0.75 is too small"), False),
        (crash("no", "E1"), crash("no", "E2"), False),
        (crash("no"), {"value": None}, False),
        (value("A"), value("A"), True),
        (value("A1"), value("A2"), False),
        ({"value": {"tensor": 0}}, crash("0.25"), True),
        ({"value": 3}, {"value": 4}, True),
    ],
)
def test_words_that_follow_the_numbers_are_found_out(first: Header, second: Header, same: bool) -> None:
    assert same_words([answered(first)], [second]) is same


def test_one_answer_that_differs_is_enough_and_none_may_be_missing() -> None:
    exchanges: list[Any] = [answered(crash("no")), answered(crash("0.25"))]
    assert not same_words(exchanges, [crash("no"), crash("0.75")])
    with pytest.raises(ValueError, match="shorter"):
        same_words(exchanges, [crash("no")])
