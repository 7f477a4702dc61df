"""Two answers are one where only names, layout or wording differ, and two where anything counts."""

import pytest
import torch

from autograder.diagnosis.same import same_exchanges
from autograder.testing.exchange import Exchange
from autograder.worker.values import Encoder


class Thing:
    """An object that stays on the student's side."""


def exchange(value: object, number: int = 0) -> Exchange:
    encoder = Encoder(lambda other: {"handle": number, "type": type(other).__name__})
    header = {"value": encoder.encode(value)}
    return Exchange(({}, []), (header, encoder.parts))


def crash(kind: str, message: str) -> Exchange:
    return Exchange(({}, []), ({"error": {"type": kind, "message": message, "places": [[3, 7]]}}, []))


def alike(known: Exchange, seen: Exchange) -> bool:
    return same_exchanges([known], [seen])


X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
HUGE = torch.tensor([-1e9, 0.5])
SIZES = "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension 3"
EINSUM = "einsum(): subscript i has size 4 for operand 1 which does not broadcast"


@pytest.mark.parametrize(
    ("known", "seen"),
    [
        pytest.param(X, X.T.contiguous().T, id="laid out otherwise in memory"),
        pytest.param((X, X), (X, X.clone()), id="one tensor twice, or two"),
        pytest.param(X, X.clone().requires_grad_(), id="with a graph behind it"),
        pytest.param(torch.tensor([20.0, 1e-8]), torch.tensor([20.0001, 3e-6]), id="rounded otherwise"),
        pytest.param("mask", "tril", id="a name"),
        pytest.param((["mask"], []), ([], []), id="names of what else there is"),
        pytest.param({"a": X, "b": X + 1}, {"norm": X, "key": X + 1}, id="other names"),
        pytest.param([0.5, float("nan")], [0.5, float("nan")], id="NaN"),
    ],
)
def test_how_an_answer_is_written_does_not_count(known: object, seen: object) -> None:
    assert alike(exchange(known), exchange(seen))


@pytest.mark.parametrize(
    ("known", "seen"),
    [
        pytest.param(X, X + 1e-3, id="other numbers"),
        pytest.param(X, X.double(), id="another dtype"),
        pytest.param(X, X.reshape(3, 2), id="another shape"),
        pytest.param(X, X.T, id="turned"),
        pytest.param(HUGE, HUGE + torch.tensor([0.0, 0.1]), id="small numbers beside a huge one"),
        pytest.param(X, X.log() * torch.nan, id="NaN for a number"),
        pytest.param(X, None, id="nothing"),
        pytest.param(X, Thing(), id="an object"),
        pytest.param(Thing(), object(), id="an object of another kind"),
        pytest.param(1, True, id="a number for a truth"),
        pytest.param(1.0, 1.1, id="another number"),
        pytest.param((X, X), (X,), id="one value less"),
        pytest.param([X], (X,), id="a tuple for a list"),
        pytest.param({"a": X, "b": X}, {"a": X}, id="one entry less"),
        pytest.param({"a": X, "b": X + 1}, {"c": X, "d": X}, id="other entries"),
        pytest.param({"a": X, "b": X + 1}, {"a": X + 1, "b": X}, id="exchanged under known names"),
    ],
)
def test_what_an_answer_holds_counts(known: object, seen: object) -> None:
    assert not alike(exchange(known), exchange(seen))


def test_the_number_that_an_object_is_held_by_does_not_count() -> None:
    assert alike(exchange(Thing(), 1), exchange(Thing(), 2))


@pytest.mark.parametrize(
    ("known", "seen", "same"),
    [
        (("RuntimeError", SIZES.format(7, 6)), ("RuntimeError", SIZES.format(6, 7)), True),
        (("RuntimeError", SIZES.format(7, 6)), ("RuntimeError", SIZES.format(7, 5)), False),
        (("RuntimeError", SIZES.format(7, 6)), ("RuntimeError", EINSUM), False),
        (("RuntimeError", SIZES.format(7, 6)), ("RuntimeError", "a leaf Variable was used"), False),
        (("RuntimeError", SIZES.format(7, 6)), ("ValueError", SIZES.format(7, 6)), False),
        (("NameError", "name 'keys' is not defined"), ("NameError", "name 'K' is not defined"), True),
        (("AssertionError", "other lengths"), ("AssertionError", "lengths differ"), True),
        (("AttributeError", "no attribute 'a'"), ("AttributeError", "no attribute 'b'"), False),
    ],
)
def test_a_crash_is_known_by_its_type_and_words(
    known: tuple[str, str], seen: tuple[str, str], same: bool
) -> None:
    assert alike(crash(*known), crash(*seen)) is same


def test_a_crash_is_no_value_and_one_answer_no_two() -> None:
    assert not alike(exchange(X), crash("ValueError", ""))
    assert not same_exchanges([exchange(X)], [exchange(X), exchange(X)])


def test_what_cannot_be_read_is_like_nothing() -> None:
    broken = Exchange(({}, []), ({"value": {"tensor": 5}}, []))
    assert not alike(exchange(X), broken)
