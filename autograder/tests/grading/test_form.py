"""The form of a result tells some mistakes, whatever its numbers are."""

import pytest
import torch

from autograder.grading.form import form
from autograder.testing.exchange import Exchange
from autograder.worker.protocol import Encoder

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
DOUBLE = X.double() / 7


def exchange(**values: object) -> Exchange:
    encoder = Encoder(lambda other: {"handle": 0, "type": type(other).__name__})
    header = {name: encoder.encode(value) for name, value in values.items()}
    return Exchange(({}, []), (header, encoder.tensors))


@pytest.mark.parametrize(
    ("seen", "right", "words"),
    [
        (X + 1, X, ""),
        (X[:1], X, ""),
        (X > 2, X > 3, ""),
        ((DOUBLE + 1).float(), DOUBLE, "0 value is torch.float32"),
        ((DOUBLE + 1).float().double(), DOUBLE, "0 value is rounded"),
        (X + 1, X.clone().requires_grad_(), "0 value asks for no gradient"),
        (X.unsqueeze(0), X, "0 value has shape (1, 2, 3)"),
        (None, X, "0 value is NoneType"),
        ((X, X), (X, X, X), "0 value has 2"),
        ((X, 2.5), (X, X), "0 value[1] is float"),
        (["tril", "mask", X], ["mask", X], ""),
        ({"a": None}, {"a": X}, "0 value[a] is NoneType"),
    ],
)
def test_what_differs_besides_numbers_is_said(seen: object, right: object, words: str) -> None:
    assert form([exchange(value=seen)], [exchange(value=right)]) == words


def test_changed_inputs_are_said_and_numbers_are_not() -> None:
    right = [exchange(value=X), exchange(value=X, arguments=(X, X))]
    assert form([exchange(value=X), exchange(value=X + 1, arguments=(X, -X))], right) == (
        "1 arguments[1] is changed"
    )
    assert form([exchange(value=X)], right) == ""


def test_what_cannot_be_read_or_differs_everywhere_has_no_form() -> None:
    unreadable = Exchange(({}, []), ({"value": {"tensor": 3}}, []))
    assert form([unreadable], [exchange(value=X)]) == ""
    many = [exchange(value=(None,) * 50)]
    assert form(many, [exchange(value=(X,) * 50)]) == ""
