"""Trusted code in this process answers as a worker does: with memory and random numbers of its own."""

import torch

from autograder.testing.exchange import Local
from autograder.testing.student import Student
from autograder.worker.namespace import run_code

CODE = "import torch\n\ndef zero(x):\n    x.zero_()\n    return x\n\ndef draw():\n    return torch.rand(3)\n"


def test_a_change_in_place_stays_on_the_other_side() -> None:
    x = torch.ones(2)
    assert Student(Local(run_code((CODE,)))).zero(x).equal(torch.zeros(2))
    assert x.equal(torch.ones(2))


def test_its_random_numbers_go_on_from_request_to_request_and_leave_ours_alone() -> None:
    student = Student(Local(run_code((CODE,))))
    student.seed(5)
    torch.manual_seed(7)
    drawn = [student.draw(), student.draw()]
    assert torch.rand(3).equal(torch.rand(3, generator=torch.Generator().manual_seed(7)))
    expected = torch.Generator().manual_seed(5)
    assert all(numbers.equal(torch.rand(3, generator=expected)) for numbers in drawn)


def test_two_of_them_have_random_numbers_of_their_own() -> None:
    one, other = (Student(Local(run_code((CODE,)))) for _ in range(2))
    one.seed(5)
    other.seed(5)
    assert one.draw().equal(other.draw())


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
