"""Where the code of a called object begins: its cells and lines, behind whatever is wrapped around it."""

import functools
from typing import Any

import pytest

from autograder.worker.namespace import run_code
from autograder.worker.origin import origins

CELLS = (
    "import functools",
    """
def plain(x):
    return x

@functools.lru_cache
def cached(x):
    return x

def wrap(f):
    @functools.wraps(f)
    def inner(x):
        return f(x)
    return inner

wrapped = wrap(plain)
partial = functools.partial(plain, 1)
made = eval("lambda x: x")

class Head:
    def __init__(self):
        self.own = plain

    def forward(self, x):
        return x
""",
)


@pytest.fixture(scope="module")
def variables() -> dict[str, Any]:
    return run_code(CELLS).variables


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("plain", [[1, 2]]),
        ("cached", [[1, 5]]),
        ("wrapped", [[1, 2]]),
        ("partial", [[1, 2]]),
        ("made", []),
        ("Head", [[1, 20], [1, 23]]),
    ],
)
def test_called_code_begins_at(variables: dict[str, Any], name: str, places: list[list[int]]) -> None:
    assert origins(variables[name]) == places


def test_an_object_and_its_methods_begin_where_their_class_does(variables: dict[str, Any]) -> None:
    head = variables["Head"]()
    assert origins(head) == [[1, 20], [1, 23]]
    assert origins(head.forward) == [[1, 23]]


def test_what_is_wrapped_without_end_has_no_place(variables: dict[str, Any]) -> None:
    endless = functools.reduce(lambda f, _: functools.wraps(f)(lambda x: f(x)), range(50), variables["plain"])
    assert origins(endless) == []
    assert origins(len) == []
