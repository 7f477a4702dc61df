"""The process that answers calls by the reference: right answers, gradients, and what it refuses."""

import time
from collections.abc import Iterator

import pytest
import torch

from autograder.course.settings import Limits
from autograder.grading.oracle import MAX_BYTES, MAX_CALLS, Functions, Oracle, answer, oracle
from autograder.sandbox.process import DeadlineError
from autograder.worker.callback import Callbacks
from autograder.worker.protocol import Header, ProtocolError, Tensors

LIMITS = Limits(memory_mb=256, total_seconds=20)
ONE: Header = {"args": {"tuple": [1]}, "kwargs": {"dict": []}, "grad": False}
NOTHING: Header = {"args": {"tuple": []}, "kwargs": {"dict": []}, "grad": False}


def grow(size: int) -> torch.Tensor:
    return torch.ones(size, size).cumsum(0)


def hang() -> None:
    while True:
        time.sleep(0)


def both(x: torch.Tensor, *, by: float = 2.0) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    return x * by, {"places": x.argmax(), "square": x**2}


def refuse(secret: int) -> None:
    raise ValueError(f"the reference says {secret}")


FUNCTIONS: Functions = {"grow": grow, "hang": hang, "both": both, "refuse": refuse, "open": open}


@pytest.fixture
def answers() -> Iterator[Oracle]:
    with oracle(FUNCTIONS, LIMITS) as answers:
        yield answers


def callbacks(answers: Oracle) -> dict[str, object]:
    """Return the functions that a notebook would have, which ask this oracle."""

    def exchange(header: Header, tensors: Tensors) -> tuple[Header, Tensors]:
        return answers.answer(header, tensors, 5)

    made, variables = Callbacks(exchange), dict[str, object]()
    made.make(FUNCTIONS)
    made.install(variables)
    return variables


def test_a_call_gives_what_the_reference_gives_and_gradients_flow_through_it(answers: Oracle) -> None:
    stand_in = callbacks(answers)["both"]
    assert callable(stand_in)
    x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    doubled, others = stand_in(x.view(3), by=3.0)
    assert doubled.tolist() == [3, -6, 9]
    assert (others["places"].item(), others["square"].tolist()) == (2, [1, 4, 9])
    assert not others["places"].requires_grad
    (doubled.sum() + 10 * others["square"].sum()).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [3 + 20, 3 - 40, 3 + 60]
    with torch.no_grad():
        assert not stand_in(x)[0].requires_grad
    transposed = stand_in(torch.arange(6.0).view(2, 3).T)[0]
    assert transposed.stride() == (1, 3)  # as the reference lays its numbers in memory


def test_an_error_of_the_reference_comes_without_its_words(answers: Oracle) -> None:
    stand_in = callbacks(answers)["refuse"]
    assert callable(stand_in)
    with pytest.raises(ValueError, match=r"^refuse does not take these arguments$"):
        stand_in(1234)
    with pytest.raises(ProtocolError, match="a function cannot be handed"):
        stand_in(test_an_error_of_the_reference_comes_without_its_words)


def test_what_costs_too_much_is_refused_and_ends_nothing_of_ours(answers: Oracle) -> None:
    huge = {**ONE, "calls": "grow", "args": {"tuple": [20_000]}}
    assert answers.answer(huge, [], 20)[0] == {"error": "RuntimeError"}  # more memory than it may have
    assert answers.answer({**huge, "args": {"tuple": [2]}}, [], 20)[1][0].tolist() == [[1, 1], [2, 2]]
    with pytest.raises(ProtocolError):
        answers.answer({**ONE, "calls": "grow"}, [torch.empty(MAX_BYTES // 4 + 1)], 5)
    with oracle(FUNCTIONS, LIMITS) as others, pytest.raises(DeadlineError):
        others.answer({**NOTHING, "calls": "hang"}, [], 0.3)
    assert others.answer({**ONE, "calls": "grow"}, [], 5)[0] == {"error": "RuntimeError"}


def test_nobody_is_answered_without_end(answers: Oracle) -> None:
    answers._left = 1
    answers.answer({**ONE, "calls": "grow"}, [], 5)
    with pytest.raises(ProtocolError):
        answers.answer({**ONE, "calls": "grow"}, [], 5)
    assert MAX_CALLS <= 20_000


@pytest.mark.parametrize(
    "change",
    [
        {"calls": "eval"},
        {"calls": None},
        {"calls": ["grow"]},
        {"args": {"tuple": [{"name": "grow"}]}},
        {"args": {"tuple": [{"torch": "serialization.os"}]}},
        {"args": {"tuple": [{"handle": 0}]}},
        {"args": {"tuple": [{"tensor": 7}]}},
        {"args": {"list": "no"}},
        {"kwargs": {"dict": [[1, 2]]}},
        {"kwargs": 3},
        {"args": {"tuple": [float("inf")]}},
        {"grad": float("inf")},
        {"weights": [99]},
        {"weights": "all"},
    ],
)
def test_only_plain_values_reach_the_reference(answers: Oracle, change: Header) -> None:
    asked = {**ONE, "calls": "grow", **change}
    try:
        reply, _ = answers.answer(asked, [], 5)
    except ProtocolError:
        return
    assert set(reply) == {"error"}
    assert answers.answer({**ONE, "calls": "grow"}, [], 5)[0].keys() == {"value"}  # it lives on


def test_nothing_is_remembered_from_one_call_to_the_next() -> None:
    functions = {"draw": lambda: torch.rand(3)}
    first, again = (answer(functions, {**NOTHING, "calls": "draw"}, [])[1][0] for _ in range(2))
    assert torch.equal(first, again)
