"""Work by hand is judged by what ran and by what is read; either is enough for a person to look."""

import pytest

from autograder.course.rule import Rule, spelt_out
from autograder.grading.by_hand import broken_rule
from autograder.worker.operators import LOST, MANY, THREAD
from autograder.worker.ran import Ran

LOOP = "def dot(a, b):\n    t = 0\n    for x, y in zip(a, b):\n        t = t + x * y\n    return t"
RULE = Rule(("sum",), spelt_out(["basics"]))
CELLS = ["import torch", LOOP]


def ran(*operators: str, complete: bool = True) -> Ran:
    return Ran(frozenset(operators), complete)


def judged(
    *runs: Ran, shown: tuple[Ran, ...] = (), cells: list[str] = CELLS, rule: Rule = RULE
) -> str | None:
    return broken_rule("dot", rule, cells, runs, shown)


def test_a_loop_of_allowed_operators_is_nobodys_matter() -> None:
    assert judged(ran("unbind", "mul", "add", "add_"), ran("mul")) is None
    assert judged() is None
    assert judged(ran("conv1d"), rule=Rule()) is None
    assert judged(ran("conv1d"), rule=Rule(("sum",))) is None


def test_what_is_read_is_said_first_and_by_name() -> None:
    cells = ["def dot(a, b):\n    return sum(a * b)"]
    assert judged(ran("conv1d"), cells=cells) == (
        'This question asks you to do without "sum". A person will look before it scores.'
    )
    unread = judged(cells=["import a" + ".a" * 1000])
    assert unread == "The code of this question cannot be read. A person will look before it scores."


def test_an_operator_is_named_only_where_calls_that_may_be_shown_ran_it_too() -> None:
    hidden = judged(ran("mul", "conv1d", "_convolution"))
    assert hidden == (
        "The code of this question ran an operation that this question asks you to do without."
        " A person will look before it scores."
    )
    shown = judged(ran("mul", "conv1d", "_convolution"), shown=(ran("_convolution", "conv1d"),))
    assert shown is not None
    assert "called conv1d, which" in shown
    assert judged(ran("mul"), shown=(ran("conv1d"),)) is None
    assert judged(ran("tells 3.14"), shown=(ran("tells 3.14"),)) == hidden
    assert judged(ran("no_operator"), shown=(ran("no_operator"),)) == hidden


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (ran("mul", THREAD), "another thread"),
        (ran("mul", LOST), "could not be recorded"),
        (ran("mul", MANY), "could not be recorded"),
        (ran("mul", complete=False), "could not be recorded"),
        (ran(), "could not be recorded"),
    ],
)
def test_what_could_not_be_recorded_is_for_review(said: Ran, words: str) -> None:
    assert words in str(judged(said))
