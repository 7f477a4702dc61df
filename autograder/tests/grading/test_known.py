"""What a wrong answer got from its failed tests goes into a file and comes back."""

import pytest
import torch

from autograder.grading.known import known, read, sketch, written
from autograder.grading.same_answer import same_exchanges
from autograder.grading.wrong_answers import WrongAnswer
from autograder.testing.exchange import Exchange
from autograder.testing.expectations import Unmet
from autograder.testing.student_error import StudentError
from autograder.testing.suite import HiddenTest, TestRun

TEST = HiddenTest("double", "Title", 1.0, 3, "test_title")
ERROR = {"type": "RuntimeError", "message": "no"}


def run(numbers: torch.Tensor) -> TestRun:
    return TestRun(TEST, Unmet("wrong"), (Exchange(({}, []), ({"value": {"tensor": 0}}, [numbers])),))


@pytest.mark.parametrize(
    "numbers",
    [
        torch.tensor([1.0, -2.0, 3.0]),
        torch.tensor([1e9, -1e9, torch.inf, torch.nan]),
        torch.tensor([1e4, 1e-4], dtype=torch.float64),
        torch.tensor([]),
        torch.tensor([True, False]),
    ],
)
def test_who_gets_the_same_has_a_like_sketch(numbers: torch.Tensor) -> None:
    other = numbers * (1 + 9e-6) if numbers.dtype == torch.float32 else numbers
    assert same_exchanges(run(numbers).exchanges, run(other).exchanges)
    assert sketch(run(numbers)).may_be(sketch(run(other)))


def test_other_numbers_have_another_sketch() -> None:
    assert not sketch(run(torch.tensor([1.0, 2.0]))).may_be(sketch(run(torch.tensor([1.0, 2.1]))))


def test_answers_come_back_as_they_were_written() -> None:
    answer = WrongAnswer(("double__tripled",), ("Why?",), "", written=True)
    crash = TestRun(TEST, StudentError(ERROR), (Exchange(({}, []), ({"error": ERROR}, [])),))
    numbers = run(torch.tensor([1.0, torch.nan]))
    kept = [one for failed in (crash, numbers) if (one := known(answer, [failed]))]
    again = tuple(read(*written(kept), {3: TEST}))
    assert [one.answer for one in again] == [answer, answer]
    assert [one.failed for one in again] == [{3}, {3}]
    assert str(again[0].runs[3].error) == "RuntimeError: no"
    assert str(again[1].runs[3].error) == "wrong"
    assert same_exchanges(again[1].runs[3].exchanges, numbers.exchanges)


def test_two_answers_are_alike_where_all_their_numbers_are() -> None:
    rows = [torch.tensor([1.0, 2.0]), torch.tensor([2.0, 1.0]), torch.tensor([1.0, 2.0])]  # of one mean
    one, other, same = (
        known(WrongAnswer((name,), ("",), ""), [run(r)]) for name, r in zip("abc", rows, strict=True)
    )
    assert one is not None
    assert other is not None
    assert same is not None
    assert one.is_like(same)
    assert not one.is_like(other)


def test_what_no_worker_could_send_is_not_known() -> None:
    endless = TestRun(TEST, Unmet("wrong"), (Exchange(({}, []), ({"value": float("nan")}, [])),))
    assert known(WrongAnswer((), (), ""), [endless]) is None
