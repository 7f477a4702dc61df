"""Trusted code here answers as a worker does; an error is checked and shortened once for all."""

import pytest
import torch

from autograder.testing.exchange import Local
from autograder.testing.student import Student
from autograder.testing.student_error import StudentError
from autograder.worker.namespace import run_code

CODE = "import torch\n\ndef zero(x):\n    x.zero_()\n    return x\n\ndef draw():\n    return torch.rand(3)\n"


def test_its_random_numbers_go_on_from_request_to_request_and_leave_ours_alone() -> None:
    student = Student(Local(run_code((CODE,))))
    student.seed(5)
    torch.manual_seed(7)
    drawn = [student.draw(), student.draw()]
    assert torch.rand(3).equal(torch.rand(3, generator=torch.Generator().manual_seed(7)))
    expected = torch.Generator().manual_seed(5)
    assert all(numbers.equal(torch.rand(3, generator=expected)) for numbers in drawn)


def test_a_student_keeps_both_sides_of_each_request_until_the_next_test_begins() -> None:
    student = Student(Local(run_code((CODE,))))
    student.begin(seed=3)
    student.zero(torch.ones(2))
    (exchange,) = student.exchanges
    (header, sent), (reply, received) = exchange.request, exchange.reply
    assert (header["op"], header["of"], header["fresh"]) == ("call", {"name": "zero"}, 3)
    assert (sent[0].tolist(), received[0].tolist(), set(reply)) == ([1, 1], [0, 0], {"value"})
    student.zero(torch.ones(2))
    assert "fresh" not in student.exchanges[1].request[0]
    student.begin()
    assert student.exchanges == []


@pytest.mark.parametrize(
    "message", ["word " * 200, "wordless " * 100, "Hint: enable\nanomaly detection", "\x1b" * 900]
)
def test_an_error_that_travels_twice_stays_as_it_is(message: str) -> None:
    once = StudentError({"type": "Type " * 20, "message": message})
    twice = StudentError({"type": once.type, "message": once.message})
    assert (twice.type, twice.message) == (once.type, once.message)


def test_a_message_ends_before_advice_that_no_student_can_take() -> None:
    tensor = torch.ones(2, requires_grad=True)
    powers = torch.exp(tensor)
    powers /= powers.sum()
    with pytest.raises(RuntimeError) as caught:
        torch.autograd.grad(powers.sum(), tensor)
    assert "anomaly" in str(caught.value)
    message = StudentError({"message": str(caught.value)}).message
    assert message.endswith("expected version 0 instead.")


@pytest.mark.parametrize(
    ("claimed", "places"),
    [
        ([[3, 7], [0, 2]], ((3, 7), (0, 2))),
        ([[3, None]], ((3, None),)),
        ([[3, "x"], [3, True], [3, -1], [3, 10**9]], ((3, None),) * 4),
        ([[-1, 7], ["a", 7], [True, 7], [10**9, 7], [3], 3, None], ()),
        ("3, 7", ()),
        ({"3": 7}, ()),
        (None, ()),
        ([[3, 7]] * 100, ((3, 7),) * 20),
    ],
)
def test_places_are_kept_as_far_as_they_are_numbers(claimed: object, places: tuple[object, ...]) -> None:
    assert StudentError({"type": "ValueError", "places": claimed}).places == places


@pytest.mark.parametrize("claimed", [None, "Exception", 3, {"a": 1}, ["ValueError", 3, None, ["Exception"]]])
def test_of_the_bases_only_names_in_a_list_are_kept(claimed: object) -> None:
    assert StudentError({"bases": claimed}).bases == (["ValueError"] if isinstance(claimed, list) else [])


def test_an_error_reads_as_python_shows_it() -> None:
    assert str(StudentError({"type": "ValueError", "message": "no"})) == "ValueError: no"
    assert str(StudentError({"type": "ValueError"})) == "ValueError"
    assert str(StudentError({})) == "Exception"
