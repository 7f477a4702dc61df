"""The proxy that hidden tests hold: values, objects, errors and gradients come across as they are."""

import pytest
import torch

from autograder.testing.exchange import Local, NotDefinedError, NotFilledInError, StudentError
from autograder.testing.expectations import Unmet, expect_raises
from autograder.testing.student import Remote, Student, value_of
from autograder.worker.namespace import run_code
from autograder.worker.protocol import Header, Parts, ProtocolError

CODE = """
import numpy as np
import torch
from torch import nn


def double(x):
    return x * 2


def double_in_place(x):
    x *= 2
    return x


def detached(x):
    return (x * 2).detach()


def fail(x):
    raise ValueError("no \\x1b[31m" + "a" * 1000)


def as_numpy(x):
    return np.ma.masked_array(x.numpy())


class Sub(torch.Tensor):
    pass


def subclass(x):
    return x.as_subclass(Sub)


class Scale(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.layer = nn.Linear(d, d, bias=False)

    def forward(self, x):
        return self.layer(x)


constant = 7
"""


@pytest.fixture
def student() -> Student:
    return Student(Local(run_code((CODE,))))


def test_arguments_go_by_position_and_by_name(student: Student) -> None:
    assert student.double(x=3) == student.double(3) == 6


def test_a_missing_name_is_an_error_that_holds_it_also_among_the_arguments(student: Student) -> None:
    apply = student.define("def apply(function, x):\n    return function(x)", "apply")
    assert apply(student.double, 2) == 4
    for missing in (student.triple, lambda x: apply(student.triple, x)):
        with pytest.raises(NotDefinedError, match="triple"):
            missing(1)


@pytest.mark.parametrize(
    ("name", "kind"), [("as_numpy", "numpy.ma.MaskedArray"), ("subclass", "Sub, a subclass of Tensor")]
)
def test_what_is_no_plain_tensor_says_what_it_is(student: Student, name: str, kind: str) -> None:
    result = getattr(student, name)(torch.ones(2))
    assert isinstance(result, Remote)
    assert result.kind == kind


def test_a_module_is_made_called_read_and_loaded(student: Student) -> None:
    student.seed(3)
    module = student.Scale(2)
    torch.manual_seed(3)
    assert torch.equal(module.layer.weight, torch.nn.Linear(2, 2, bias=False).weight)
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    module.load_state_dict({"layer.weight": weight})
    assert torch.equal(module(torch.tensor([1.0, 0.0])), torch.tensor([1.0, 3.0]))
    assert set(module.state_dict()) == {"layer.weight"}
    assert module.eval().training is False


def test_gradients_of_arguments_and_parameters_come_back(student: Student) -> None:
    x = torch.ones(2, requires_grad=True)
    seen = student.double.inspect(x, weight=torch.tensor([1.0, 5.0]))
    assert torch.equal(seen.gradients[0], torch.tensor([2.0, 10.0]))  # type: ignore[arg-type]
    module = student.Scale(2)
    assert set(module.inspect(torch.ones(1, 2)).parameters) == {"layer.weight"}
    assert student.detached.inspect(torch.ones(2, requires_grad=True)).gradients == {0: None}


def test_a_change_in_place_shows_in_the_arguments_and_not_here(student: Student) -> None:
    x = torch.ones(2)
    seen = student.double_in_place.inspect(x)
    assert torch.equal(seen.arguments[0], torch.full((2,), 2.0))
    assert torch.equal(x, torch.ones(2))


def test_an_optimizer_on_the_other_side_steps_the_module(student: Student) -> None:
    module = student.Scale(2)
    before = module.layer.weight.clone()
    optimizer = student.torch.optim.SGD(module.parameters(), lr=1.0)
    module(torch.ones(1, 2))
    module.inspect(torch.ones(1, 2))
    optimizer.step()
    assert not torch.equal(module.layer.weight, before)


def test_begin_forgets_objects_seed_and_modes(student: Student) -> None:
    scale = student.Scale(2)
    student.torch.set_grad_enabled(False)
    student.torch.set_default_dtype(torch.float64)
    student.begin(seed=5)
    torch.manual_seed(5)
    assert torch.equal(student.torch.rand(2), torch.rand(2))
    assert student.torch.is_grad_enabled() is True
    assert student.torch.get_default_dtype() is torch.float32
    with pytest.raises(StudentError, match="IndexError"):
        scale(torch.ones(2))


def test_expecting_an_error_takes_its_kinds_by_name(student: Student) -> None:
    expect_raises(("AssertionError", "ValueError"), student.fail, 1)
    with pytest.raises(Unmet, match=r"TypeError was expected, but ValueError was raised\."):
        expect_raises("TypeError", student.fail, 1)
    with pytest.raises(Unmet, match="nothing was raised"):
        expect_raises("ValueError", student.double, 1)


@pytest.mark.parametrize(
    "forged",
    [
        {"gradients": {"dict": [["first", None]]}},
        {"gradients": {"list": []}},
        {"parameters": {"dict": [[1, None]]}},
        {"arguments": 5},
    ],
)
def test_an_inspection_of_another_form_breaks_the_protocol(forged: Header) -> None:
    empty: Header = {"dict": []}

    class Forger:
        def ask(self, header: Header, tensors: Parts, *_: object) -> tuple[Header, Parts]:
            nothing: Header = {"value": None, "arguments": {"tuple": []}}
            return {**nothing, "gradients": empty, "parameters": empty, **forged}, []

    with pytest.raises(ProtocolError):
        Student(Forger()).double.inspect()


@pytest.mark.parametrize("value", ["None", "..."])
def test_a_variable_that_is_asked_for_may_not_be_filled_in(value: str) -> None:
    student = Student(Local(run_code((f"total = {value}\nother = {value}\nsize = 3",))))
    student.begin(question="total")
    assert value_of(student.size) == 3
    assert value_of(student.other) is None or isinstance(value_of(student.other), Remote)
    with pytest.raises(NotFilledInError, match=r"^total is not filled in yet\.$"):
        value_of(student.total)
    with pytest.raises(NotDefinedError):
        value_of(student.nothing)
