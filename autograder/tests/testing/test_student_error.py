"""An error that the submission describes is checked, shortened, and the same however often it travels."""

import pytest
import torch

from autograder.report.text import one_line
from autograder.testing.student_error import StudentError


def test_hostile_text_becomes_one_short_printable_line() -> None:
    assert one_line("a\x1b[31m\n\tb\u202e", 60) == "a [31m b"
    assert len(one_line("x" * 10_000_000, 100)) == 100


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


@pytest.mark.parametrize("claimed", [None, "Exception", 3, {"a": 1}])
def test_bases_that_are_no_list_are_none(claimed: object) -> None:
    assert StudentError({"bases": claimed}).bases == []


def test_of_the_bases_only_names_are_kept() -> None:
    assert StudentError({"bases": ["ValueError", 3, None, ["Exception"]]}).bases == ["ValueError"]


def test_an_error_reads_as_python_shows_it() -> None:
    assert str(StudentError({"type": "ValueError", "message": "no"})) == "ValueError: no"
    assert str(StudentError({"type": "ValueError"})) == "ValueError"
    assert str(StudentError({})) == "Exception"
