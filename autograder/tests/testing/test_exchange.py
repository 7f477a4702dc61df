"""Trusted code here answers as a worker does; an error is checked and shortened once for all."""

import pytest
import torch

from autograder.testing.exchange import Exchange, FromMemory, Local, Reply, StudentError
from autograder.testing.student import Student
from autograder.worker.namespace import run_code
from autograder.worker.protocol import Header, Parts

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


def test_an_object_s_address_which_is_another_one_in_each_run_is_left_out() -> None:
    error = StudentError({"type": "E", "message": "<f at 0x7f3a2b1c4d50> and 0x1F"})
    assert error.message == "<f at 0x...> and 0x1F"


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


class Adding:
    """A backend that adds up what it has got since the last fresh start, and notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Header] = []
        self._sum = torch.zeros(2)

    def ask(self, header: Header, parts: Parts, *_: object) -> Reply:
        self.asked.append(header)
        self._sum = (torch.zeros(2) if "fresh" in header else self._sum) + sum(parts)
        return {"value": {"tensor": 0}}, [self._sum.clone()]


FIRST, SECOND, THIRD = {"op": "call", "fresh": 3}, {"op": "call", "number": 1}, {"op": "call"}
ONES, SIGNED = torch.ones(2), torch.tensor([-0.0, float("nan")])


def remembered(*parts: torch.Tensor) -> list[Exchange]:
    backend, requests = Adding(), zip((FIRST, SECOND), ([part] for part in parts), strict=False)
    return [Exchange(request, backend.ask(*request)) for request in requests]


def test_what_was_asked_before_is_answered_without_asking_and_cannot_be_spoilt() -> None:
    known = remembered(SIGNED, ONES)
    for _ in range(2):
        backend = Adding()
        memory = FromMemory(backend, known)
        replies = [memory.ask(FIRST, [SIGNED.clone()])[1][0], memory.ask(SECOND, [ONES.clone()])[1][0]]
        assert str([reply.tolist() for reply in replies]) == "[[0.0, nan], [1.0, nan]]"
        assert backend.asked == []
        replies[1].zero_()
        assert str(memory.ask(THIRD, [ONES])[1][0].tolist()) == "[2.0, nan]"
        assert backend.asked == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize(
    ("header", "tensor"),
    [
        (SECOND, torch.tensor([1.0, 2.0])),
        (SECOND, SIGNED.abs()),
        (SECOND, torch.ones(2, dtype=torch.float64)),
        (SECOND, torch.ones(1).expand(2)),
        (SECOND, torch.tensor(1.0)),
        ({**SECOND, "number": 1.0}, SIGNED),
        ({**SECOND, "number": True}, SIGNED),
        (SECOND, None),
    ],
)
def test_what_differs_in_anything_is_asked_after_all_that_came_before(
    header: Header, tensor: torch.Tensor | None
) -> None:
    backend, alone, sent = Adding(), Adding(), [] if tensor is None else [tensor]
    memory = FromMemory(backend, remembered(ONES, SIGNED))
    for request in ((FIRST, [ONES]), (header, sent), (SECOND, [ONES])):
        assert str(memory.ask(*request)) == str(alone.ask(*request))
    assert repr(backend.asked) == repr(alone.asked)  # 1, 1.0 and True are equal
