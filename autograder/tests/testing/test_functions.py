"""Functions that a hidden test hands over: the student's code calls them, and gradients flow through them."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder.testing import functions
from autograder.testing.exchange import Exchange, FromMemory, Local, StudentError
from autograder.testing.functions import MAX_PAIRS, Functions
from autograder.testing.student import Student
from autograder.worker.namespace import run_code
from autograder.worker.protocol import Header, Parts, ProtocolError
from autograder.worker.values import Encoder

CODE = """
import torch

def call(function, *args, **kwargs):
    return function(*args, **kwargs)

def twice(function, x):
    return function(function(x))

def shown(function):
    return repr(function)

class Keeper:
    def __init__(self, function):
        self.function = function
    def call(self, x):
        return self.function(x)

def slopes(function, *tensors):
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]
    return torch.autograd.grad(function(*leaves).sum(), leaves, allow_unused=True)

def two_slopes(function, x):
    x = x.clone().requires_grad_()
    (first,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return first.detach(), second

def jacobians(function, x):
    return torch.autograd.functional.jacobian(function, x), torch.func.jacrev(function)(x)

def each_row(function, x):
    return torch.vmap(function)(x)

def message(function, x):
    try:
        return function(x)
    except ValueError as error:
        return str(error)

def calls_of_its_own(function):
    return function(len)

def many(function, times):
    return sum(function(1) for _ in range(times))
"""


@pytest.fixture
def student() -> Student:
    made = Student(Local(run_code((CODE,))))
    made.begin(7)
    return made


def cube(x: torch.Tensor) -> torch.Tensor:
    return x**3


X = torch.tensor([1.0, -2.0, 3.0])


def test_values_of_every_kind_go_to_a_function_and_come_back(student: Student) -> None:
    assert student.call(lambda a, b: [a, {"b": b}], 3, b="text") == [3, {"b": "text"}]
    assert student.twice(lambda x: x + 1, 1) == 3
    doubled, (same,) = student.call(lambda x, y: (x * y, [x]), X, y=2)
    assert torch.equal(doubled, 2 * X)
    assert torch.equal(same, X)
    assert student.Keeper(lambda x: x + 1).call(4) == 5


def test_the_students_code_holds_nothing_but_a_number(student: Student) -> None:
    assert student.shown(cube) == "<a function of the hidden test>"
    sent = [exchange.request[0]["args"] for exchange in student.exchanges]
    assert sent == [{"tuple": [{"function": 0}]}]


def test_gradients_of_each_argument_flow_through_a_call(student: Student) -> None:
    to_x, to_y, unused = student.slopes(lambda x, y, _: x * x * y, X, 2 * X, X)
    assert torch.equal(to_x, 4 * X * X)
    assert torch.equal(to_y, X * X)
    assert unused is None


@pytest.mark.parametrize("second", [False, True])
def test_derivatives_of_derivatives_and_torchs_tools_for_them_work(student: Student, second: bool) -> None:
    if second:
        first, of_that = student.two_slopes(cube, X)
        torch.testing.assert_close((first, of_that), (3 * X * X, 6 * X))
    else:
        for jacobian in student.jacobians(cube, X):
            torch.testing.assert_close(jacobian, torch.diag(3 * X * X))


def test_a_function_may_run_for_each_row(student: Student) -> None:
    assert torch.equal(student.each_row(torch.sum, torch.ones(4, 2)), torch.full((4,), 2.0))


def test_numbers_that_are_no_floats_have_no_gradient(student: Student) -> None:
    def pick(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        return x[at]

    assert student.call(pick, X, torch.tensor(1)).item() == -2
    x = X.clone().requires_grad_()
    assert torch.equal(student.call(pick, x, torch.tensor([0, 0])), torch.ones(2))


def test_an_error_comes_back_to_the_student_s_code(student: Student) -> None:
    def refuse(_: object) -> None:
        raise ValueError("too\nlong")

    assert student.message(refuse, 1) == "too long"
    with pytest.raises(StudentError, match="RuntimeError: no such thing"):
        student.call(lambda: (_ for _ in ()).throw(LookupError("no such thing")))
    with pytest.raises(StudentError, match="cannot take or return a builtin_function_or_method"):
        student.calls_of_its_own(lambda x: x)
    with pytest.raises(StudentError, match="the test's function cannot return a function"):
        student.call(lambda: cube)


def test_how_often_and_with_how_much_functions_are_called_is_limited(
    student: Student, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(functions, "MAX_CALLS", 10)
    with pytest.raises(StudentError, match="at most 10 times in all"):
        student.many(lambda x: x, 11)
    student.begin(7)
    assert student.many(lambda x: x, 10) == 10
    student.begin(7)
    size = int(MAX_PAIRS**0.5) + 1
    with pytest.raises(StudentError, match=r"a tensor of shape \(5793,\) is too large"):
        student.call(lambda x: x, torch.zeros(size))
    assert student.call(lambda x: x, torch.zeros(size // 2)).shape == (size // 2,)
    with pytest.raises(StudentError, match=r"a tensor of shape \(400, 400\) is too large"):
        student.call(lambda a, b: a + b, torch.zeros(400, 1), torch.zeros(1, 400))
    with pytest.raises(StudentError, match="is too large"):
        student.slopes(lambda x: x, torch.zeros(size // 2 + 1))


def test_random_numbers_of_a_function_differ_from_those_of_the_test_and_are_the_same_in_each_run() -> None:
    seen = []
    for calls in (1, 3):
        student = Student(Local(run_code((CODE,))))
        student.begin(7)
        torch.manual_seed(5)
        first = student.call(lambda: torch.rand(()))
        for _ in range(calls - 1):
            student.call(lambda: torch.rand(()))
        seen.append((first.item(), torch.rand(()).item()))
    assert seen[0] == seen[1]


def call(number: object, args: object = (), **other: object) -> tuple[Header, Parts]:
    encoder = Encoder(lambda _: {"handle": 0})
    values = {"args": args, "kwargs": {}, "weights": [], **other}
    return {"function": number, **{name: encoder.encode(one) for name, one in values.items()}}, encoder.parts


FORGED: dict[str, tuple[Header, Parts]] = {
    "no such function": call(1),
    "a number below zero": call(-1),
    "a number that is none": call(True),
    "no arguments": ({"function": 0}, []),
    "an object of the student's": call(0, (object(),)),
    "arguments that are no tuple": call(0, [1]),
    "keywords that are no names": call(0, kwargs={1: 1}),
    "weights that are numbers": call(0, weights=[[1]]),
    "weights that are no list": call(0, weights=1),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_call_of_another_form_breaks_the_protocol(name: str) -> None:
    made = Functions(0)
    made.number(cube)
    with pytest.raises(ProtocolError):
        made.answer(*FORGED[name])


@pytest.mark.parametrize("weights", [[], [[X], [X, X]], [[X]] * 5, [[torch.ones(7)]]])
def test_weights_that_fit_nothing_are_the_students_error(weights: list[list[torch.Tensor]]) -> None:
    made = Functions(0)
    made.number(cube)
    reply, _ = made.answer(*call(0, (X,), weights=weights))
    assert ("error" in reply) is bool(weights)


def test_no_call_is_answered_from_memory() -> None:
    answered: list[int] = []

    def ask(function: Callable[[int], int], known: list[Exchange]) -> Any:
        made = Student(FromMemory(Local(run_code((CODE,))), known))
        made.begin(7)
        return made.call(function, 2), made.exchanges

    def returning(result: int) -> Callable[[int], int]:
        def function(x: int) -> int:
            answered.append(x)
            return result

        return function

    _, known = ask(returning(1), [])
    result, _ = ask(returning(5), known)
    assert (result, answered) == (5, [2, 2])
