"""A name rests on the last statement that binds it for certain, and on all that touch it afterwards."""

from collections.abc import Iterable

import pytest

from autograder.grading.name_flow import NameFlow, Statement, read_statements
from autograder.grading.ran_cell import RanCell


def read(codes: Iterable[str]) -> list[Statement]:
    statements = read_statements([RanCell(n, code) for n, code in enumerate(codes)])
    assert statements is not None
    return statements


def rests_on(*codes: str, name: str = "f", known: int | None = None) -> tuple[list[int], bool]:
    found, bound = NameFlow(read(codes)).rest_on(name, known)
    return [statement.number for statement in found], bound


@pytest.mark.parametrize(
    ("codes", "numbers", "bound"),
    [
        (["def f(): ..."], [0], True),
        (["def f(): ...", "f = 3"], [1], True),
        (["f = 1\nf = 2\ng = 3"], [1], True),
        (["f = 1", "if g:\n    f = 2"], [1, 0], True),
        (["if g:\n    f = 2"], [0], False),
        (["for f in range(3): ..."], [0], False),
        (["f: int = 1"], [0], True),
        (["f: int"], [0], False),
        (["f = []", "f.append(1)", "f[0] = 2", "f.a.b = 3"], [3, 2, 1, 0], True),
        (["f = 1", "def g():\n    global f\n    f = 2"], [1, 0], True),
        (["f = 1", "del f", "if g:\n    f = 2"], [2, 1], False),
        (["import torch as f", "f.manual_seed(0)"], [0], True),
        (["g = 1"], [], False),
        (["def broken(:", "f = 1"], [0], True),
    ],
)
def test_a_name_rests_on(codes: list[str], numbers: list[int], bound: bool) -> None:
    assert rests_on(*codes) == (numbers, bound)


def test_as_a_name_was_known_later_statements_do_not_count() -> None:
    codes = ["f = 1", "g = f", "f = 2"]
    assert rests_on(*codes, known=1) == ([0], True)
    assert rests_on(*codes, known=0) == ([], False)


def test_no_statement_is_given_twice() -> None:
    flow = NameFlow(read(["f = []", "f.append(1)", "f.append(2)"]))
    assert [statement.number for statement in flow.rest_on("f", 2)[0]] == [1, 0]
    assert [statement.number for statement in flow.rest_on("f")[0]] == [2]
    assert flow.rest_on("f") == ([], True)


def test_a_statement_says_what_it_takes_from_outside_and_when() -> None:
    (statement,) = read(["def f(x=a):\n    y = x\n    return b(y)"])
    assert dict(statement.names()) == {"a": 0, "b": None}


def test_a_star_import_may_bind_again_what_its_module_holds() -> None:
    assert rests_on("f = 1", "from helper import *") == ([1, 0], True)
    assert rests_on("exp = 1", "from torch import *", name="exp") == ([1, 0], True)
    assert rests_on("from torch import *", "exp = 1", name="exp") == ([1], True)
    assert rests_on("f = 1", "from torch import *") == ([0], True)
    assert rests_on("from torch import *", name="exp") == ([], False)
    assert rests_on("from helper import *") == ([0], False)


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n " + ";".join(f"v{i}=1" for i in range(1100)) + "\n " + ";".join(["lambda:0"] * 1100),
        "from helper import *\n" * 51,
    ],
    ids=["functions times names", "star imports"],
)
def test_what_takes_too_long_to_follow_is_not_followed(code: str) -> None:
    assert read_statements([RanCell(0, code)]) is None
