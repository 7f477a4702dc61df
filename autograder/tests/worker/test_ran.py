"""What an answer says of its call is checked in form before anybody looks at it."""

from typing import Any

import pytest

from autograder.worker.operators import MAX_NAME, MAX_OPERATORS
from autograder.worker.ran import Ran, take_ran


def test_what_ran_is_taken_out_of_an_answer() -> None:
    reply = {"value": 1, "ran": {"operators": ["mul", "add"]}}
    assert take_ran(reply) == (
        {"value": 1},
        Ran(frozenset({"add", "mul"}), complete=True),
    )
    assert "ran" in reply


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {},
        {"operator": ["mul"]},
        {"operators": {"mul": 1}},
        {"operators": ["mul", 3]},
        {"operators": ["mul", "mul"]},
        {"operators": [""]},
        {"operators": ["x" * (MAX_NAME + 1)]},
        {"operators": [str(number) for number in range(MAX_OPERATORS + 1)]},
    ],
)
def test_a_wrong_form_is_not_complete(said: Any) -> None:
    rest, ran = take_ran({"value": 1, "ran": said})
    assert rest == {"value": 1}
    assert not ran.complete
