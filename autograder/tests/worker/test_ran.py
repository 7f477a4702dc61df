"""What an answer says of its call is checked in form before anybody looks at it."""

from typing import Any

import pytest

from autograder.worker.operators import MAX_NAME, MAX_OPERATORS
from autograder.worker.ran import Ran, take_ran


def test_what_ran_is_taken_out_of_an_answer() -> None:
    reply = {"value": 1, "ran": {"operators": ["mul", "add"], "origins": [[3, 1]]}}
    assert take_ran(reply) == (
        {"value": 1},
        Ran(frozenset({"add", "mul"}), frozenset({(3, 1)}), complete=True),
    )
    assert "ran" in reply


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {},
        {"operators": ["mul"]},
        {"operators": {"mul": 1}, "origins": []},
        {"operators": ["mul", 3], "origins": []},
        {"operators": ["mul", "mul"], "origins": []},
        {"operators": [""], "origins": []},
        {"operators": ["x" * (MAX_NAME + 1)], "origins": []},
        {"operators": [str(number) for number in range(MAX_OPERATORS + 1)], "origins": []},
    ],
)
def test_a_wrong_form_is_not_complete(said: Any) -> None:
    rest, ran = take_ran({"value": 1, "ran": said})
    assert rest == {"value": 1}
    assert not ran.complete


def test_places_of_no_notebook_are_left_out() -> None:
    places = [[1, 2], [True, 1], [-1, 1], [1, 10**9], [1], "ab", None, [1.0, 2]]
    assert take_ran({"ran": {"operators": [], "origins": places}})[1].origins == {(1, 2)}
