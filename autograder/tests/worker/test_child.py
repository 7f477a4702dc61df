"""A child raises its walls first, then answers each request under its number, whatever the answer is."""

from typing import Any

import pytest

from autograder.tests.worker.conftest import Run
from autograder.worker.protocol import MAX_TEXT

STATUS = "print(*(line for line in open('/proc/self/status') if line.startswith(('NoNewPrivs', 'Seccomp:'))))"
ANSWERS = f"""
class Odd: pass
def double(x): return 2 * x
def long(): return ["x" * {MAX_TEXT}] * 100
def unfit(): return {{1: Odd}}
"""


@pytest.fixture
def defined(ask: Run) -> Run:
    """Return a function that calls what a first cell has defined."""
    ask(op="cell", number=0, code=ANSWERS)

    def call(name: str, *args: object) -> dict[str, Any]:
        return ask(op="call", of={"name": name}, args={"tuple": list(args)}, kwargs={"dict": []})

    return call


def test_the_walls_stand_before_anything_runs(run: Run) -> None:
    assert run(STATUS)["outputs"][0]["text"].split() == ["NoNewPrivs:", "1", "Seccomp:", "2"]


def test_requests_go_to_the_notebook_s_names(defined: Run) -> None:
    assert defined("double", 4) == {"value": 8}
    assert defined("missing") == {"missing": "missing"}


def test_an_answer_that_is_too_large_is_an_error_and_the_next_one_arrives(defined: Run) -> None:
    error = defined("long")["error"]
    assert error["type"] == "ResultError"
    assert error["message"] == "the result cannot be sent: the header is larger than a frame may hold"
    assert defined("double", 1) == {"value": 2}


def test_a_value_without_a_form_stays_and_gets_a_number(defined: Run) -> None:
    ((_, value),) = defined("unfit")["value"]["dict"]
    assert value == {"handle": 0, "type": "type"}
