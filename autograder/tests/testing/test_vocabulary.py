"""Visible checks and hidden tests have one vocabulary: the same arguments, and the same verdicts."""

import inspect
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import autograder.testing
from autograder.course.kit import GIVEN
from autograder.testing.exchange import Local
from autograder.testing.student import Student
from autograder.worker.namespace import run_code

SHARED = (
    *("any_of", "expect", "expect_close", "expect_gradient", "expect_printed", "expect_raises"),
    *("expect_shape", "expect_unchanged"),
)
ANSWERS = """
import numpy as np
import pandas as pd
import torch

def same(x): return x
def third(x): return x / 3
def detached(x): return x.detach() / 3
def tripled_in_place(x):
    x *= 3
    return x
def sorted_in_place(x):
    x.sort()
    return x
def filled_in_place(table):
    table["height"] = 1.0
    return table
def greet(name, times=1):
    for _ in range(times):
        print("Hello,", name)
    return times
def silent(name): return name
def flood(name): print(name * 5_000_000)
def raising(x): raise ValueError("no")
"""
X = torch.tensor([3.0, 6.0])
ARRAY, GAP = np.array([3.0, 6.0]), np.array([3.0, np.nan])
TABLE = pd.DataFrame({"kind": ["oak", "elm"], "height": [10.0, None]})
HEIGHTS = pd.Series([1.0, 2.0], index=["oak", "elm"])
Words = Any  # a namespace with the vocabulary, of checks or of hidden tests
ROWS: list[tuple[str, bool, Callable[[Words, Any], object]]] = [
    ("a tensor", True, lambda e, s: e.expect_close(s.third(X), torch.tensor([1.0, 2.0]), "Divide.", 1e-3)),
    ("a wrong tensor", False, lambda e, s: e.expect_close(s.same(X), torch.tensor([1.0, 2.0]))),
    ("a tensor of another dtype", False, lambda e, s: e.expect_close(s.same(X.double()), X)),
    ("a tensor with NaN", False, lambda e, s: e.expect_close(s.same(X / 0 - X / 0), X / 0 - X / 0)),
    ("values of a tensor alone", True, lambda e, s: e.expect_close(s.same(X.double()), [3, 6])),
    ("an array", True, lambda e, s: e.expect_close(s.third(ARRAY), np.array([1.0, 2.0]), rtol=1e-6)),
    ("an array of whole numbers", True, lambda e, s: e.expect_close(s.same(np.array([3, 6])), ARRAY)),
    (
        "an array of floats for whole numbers",
        False,
        lambda e, s: e.expect_close(s.same(ARRAY), np.array([3, 6])),
    ),
    (
        "a wrong array",
        False,
        lambda e, s: e.expect_close(s.same(ARRAY), np.array([3.0, 7.0]), name="The sum"),
    ),
    ("an array with a gap", True, lambda e, s: e.expect_close(s.same(GAP), GAP.copy())),
    ("a list for an array", False, lambda e, s: e.expect_close(s.same([3.0, 6.0]), ARRAY)),
    ("an array of another shape", False, lambda e, s: e.expect_close(s.same(ARRAY[None]), ARRAY)),
    ("a number for numpy's", True, lambda e, s: e.expect_close(s.third(3.0), np.float64(1.0))),
    ("a table", True, lambda e, s: e.expect_close(s.same(TABLE), TABLE.copy())),
    (
        "a table with other labels",
        False,
        lambda e, s: e.expect_close(s.same(TABLE), TABLE.set_index([["a", "b"]])),
    ),
    (
        "a table with other columns",
        False,
        lambda e, s: e.expect_close(s.same(TABLE), TABLE[["height", "kind"]]),
    ),
    (
        "a table with other values",
        False,
        lambda e, s: e.expect_close(s.same(TABLE), TABLE.assign(height=10.0)),
    ),
    ("a series", True, lambda e, s: e.expect_close(s.same(HEIGHTS), HEIGHTS.copy())),
    ("a series in another order", False, lambda e, s: e.expect_close(s.same(HEIGHTS[::-1]), HEIGHTS)),
    ("a list for a series", False, lambda e, s: e.expect_close(s.same([1.0, 2.0]), HEIGHTS)),
    ("an index", True, lambda e, s: e.expect_close(s.same(HEIGHTS.index), pd.Index(["oak", "elm"]))),
    ("a list", True, lambda e, s: e.expect_close(s.same((3, 6)), [3.0, 6.0])),
    ("a wrong list", False, lambda e, s: e.expect_close(s.same([3, 6]), [3.0, 6.1])),
    ("a shorter list", False, lambda e, s: e.expect_close(s.same([3]), [3.0, 6.0])),
    ("a dict", True, lambda e, s: e.expect_close(s.same({"a": 1}), {"a": 1})),
    ("a wrong dict", False, lambda e, s: e.expect_close(s.same({"a": 1}), {"a": 2})),
    ("a text", False, lambda e, s: e.expect_close(s.same("a"), "b")),
    ("one of several", True, lambda e, s: e.expect_close(s.same([2, 1]), e.any_of([1, 2], [2, 1]))),
    (
        "none of several",
        False,
        lambda e, s: e.expect_close(s.same([2, 2]), e.any_of([1, 2], [2, 1]), "Sort."),
    ),
    ("one of several arrays", True, lambda e, s: e.expect_close(s.same(ARRAY), e.any_of(-ARRAY, ARRAY))),
    ("a shape", True, lambda e, s: e.expect_shape(s.same(X), (2,))),
    ("the shape of an array", True, lambda e, s: e.expect_shape(s.same(ARRAY), (2,), name="The array")),
    ("the shape of a table", True, lambda e, s: e.expect_shape(s.same(TABLE), (2, 2))),
    ("another shape", False, lambda e, s: e.expect_shape(s.same(ARRAY), (3,), "Three.")),
    ("a list without a shape", False, lambda e, s: e.expect_shape(s.same([1, 2]), (2,))),
    ("an unchanged tensor", True, lambda e, s: e.expect_unchanged(s.third, X)),
    ("a changed tensor", False, lambda e, s: e.expect_unchanged(s.tripled_in_place, X.clone(), names=("x",))),
    ("an unchanged array with a gap", True, lambda e, s: e.expect_unchanged(s.third, GAP)),
    (
        "a changed array",
        False,
        lambda e, s: e.expect_unchanged(s.tripled_in_place, ARRAY.copy(), hint="Copy."),
    ),
    ("a changed list", False, lambda e, s: e.expect_unchanged(s.sorted_in_place, [2, 1])),
    ("an unchanged table", True, lambda e, s: e.expect_unchanged(s.same, TABLE)),
    ("a changed table", False, lambda e, s: e.expect_unchanged(s.filled_in_place, TABLE.copy())),
    ("a gradient", True, lambda e, s: e.expect_gradient(s.third, X)),
    (
        "a gradient's values",
        True,
        lambda e, s: e.expect_gradient(s.third, X, expected={0: torch.full((2,), 1 / 3)}),
    ),
    ("a weighted gradient", True, lambda e, s: e.expect_gradient(s.third, X, weight=X, expected={0: X / 3})),
    (
        "wrong values of a gradient",
        False,
        lambda e, s: e.expect_gradient(s.third, X, expected={0: X}, hint="No."),
    ),
    ("no gradient", False, lambda e, s: e.expect_gradient(s.detached, X, names=("x",))),
    ("a line", True, lambda e, s: e.expect_printed("Hello, you\n", s.greet, "you")),
    ("two lines", True, lambda e, s: e.expect_printed("Hello, you\nHello, you", s.greet, "you", times=2)),
    ("one of two texts", True, lambda e, s: e.expect_printed(e.any_of("Bye", "Hello, you"), s.greet, "you")),
    ("a wrong line", False, lambda e, s: e.expect_printed("Hello you", s.greet, "you", hint="A comma?")),
    ("too few lines", False, lambda e, s: e.expect_printed("Hello, you\nBye", s.greet, "you")),
    ("nothing", False, lambda e, s: e.expect_printed("Hello, you", s.silent, "you")),
    ("too long a text", False, lambda e, s: e.expect_printed("x", s.flood, "x")),
    ("an error", True, lambda e, s: e.expect_raises("ValueError", s.raising, X)),
    ("one of two errors", True, lambda e, s: e.expect_raises(("KeyError", "ValueError"), s.raising, x=1)),
    ("no error", False, lambda e, s: e.expect_raises("ValueError", s.third, X, hint="Refuse it.")),
    ("another error", False, lambda e, s: e.expect_raises("KeyError", s.raising, X)),
    ("a condition", False, lambda e, s: e.expect(s.same(1) > 1, "It is larger than 1.")),
]


class Checks:
    """The vocabulary of visible checks, which the release puts into the notebook."""

    def __init__(self) -> None:
        exec(compile(GIVEN.read_text(encoding="utf-8"), str(GIVEN), "exec"), vars(self))


class Notebook:
    """A notebook's names, as a visible check sees them."""

    def __init__(self) -> None:
        exec(ANSWERS, vars(self))


@pytest.mark.parametrize("name", SHARED)
def test_checks_and_hidden_tests_take_the_same_arguments(name: str) -> None:
    pair = [inspect.signature(getattr(words, name)) for words in (Checks(), autograder.testing)]
    shown = [[str(one.replace(annotation=one.empty)) for one in each.parameters.values()] for each in pair]
    assert shown[0] == shown[1]


@pytest.mark.parametrize(("what", "holds", "expectation"), ROWS, ids=[what for what, *_ in ROWS])
@pytest.mark.parametrize("side", ["check", "hidden test"])
def test_they_judge_alike(
    side: str, what: str, holds: bool, expectation: Callable[[Words, Any], object]
) -> None:
    words: Words = Checks() if side == "check" else autograder.testing
    answers = Notebook() if side == "check" else Student(Local(run_code((ANSWERS,))))
    unmet: Any = words._Unmet if side == "check" else words.Unmet
    if holds:
        expectation(words, answers)
    else:
        with pytest.raises(unmet):
            expectation(words, answers)


@pytest.mark.parametrize(
    ("typed", "computed", "passes"),
    [
        ([0.333333], [1 / 3], True),
        ([0.3333333], [1 / 3], True),
        ([0.33333], [0.33335], False),
        ([333.333], [1000 / 3], True),
        ([0.333333, 0.5], [1 / 3, 0.4999998], True),
        ([0.333333, 0.5], [1 / 3, 0.50001], False),
        ([1 / 3], [1 / 3 + 2e-8], False),  # no digit is missing
        ([0.333], [1 / 3], False),  # three digits may be all that there are
        ([0.1875], [0.18751], False),  # and this decimal is exact
    ],
)
@pytest.mark.parametrize(
    "make",
    [np.array, pd.Series, lambda values: torch.tensor(values, dtype=torch.float64)],
    ids=["numpy", "pandas", "torch"],
)
def test_a_check_compares_rounded_decimals_to_their_last_digit(
    make: Callable[[list[float]], object], typed: list[float], computed: list[float], passes: bool
) -> None:
    words: Words = Checks()
    if passes:
        words.expect_close(make(computed), make(typed))
    else:
        with pytest.raises(words._Unmet):
            words.expect_close(make(computed), make(typed))


RED = [
    ("expect_close(same(x), np.array([0.333333, 0.5]), 'Divide.')", """\
same(np.array([0.25, 0.5])): wrong values
  expected  [0.3333, 0.5]
  yours     [0.25, 0.5]
  first difference at [0]: 0.3333 expected, 0.25 found
  Divide."""),
    ("expect_close(same(table), table.assign(height=[1.0, 3.0]))", """\
same(pd.DataFrame({'height': [1.0, 2.0]})): wrong values
  expected  [1., 3.]
  yours     [1., 2.]
  first difference at ['height', 1]: 3. expected, 2. found"""),
    ("expect_close(same(table), table.assign(kind='oak'), 'Two columns.')", """\
same(pd.DataFrame({'height': [1.0, 2.0]})): unexpected type or structure
  expected  dataframe of shape (2, 2) with the columns height, kind
  yours     dataframe of shape (2, 1) with the columns height
  Two columns."""),
    ("expect_close(same({'a': 1}), {'a': 2})", """\
same({'a': 1}): wrong values
  expected  {'a': 2}
  yours     {'a': 1}
  first difference at ['a']: 2 expected, 1 found"""),
    ("expect_close(same([2, 2]), any_of([1, 2], [2, 1]), name='The order')", """\
same([2, 2]): wrong values of the order
  expected  [1, 2] or [2, 1]
  yours     [2, 2]"""),
    ("expect_printed('Hello, you\\nBye', greet, 'you', times=2, hint='How often?')", """\
greet('you', times=2): unexpected output
  expected  Hello, you
            Bye
  yours     Hello, you
            Hello, you
  How often?"""),
    ("expect_unchanged(tripled_in_place, x, names=('values',))", """\
tripled_in_place(np.array([0.75, 1.5])): it changes values
  Look for `+=`, a method whose name ends in _, and assignments such as `x[0] = 1`."""),
    ("expect_gradient(detached, tensor, names=('x',), hint='Stay in torch.')", """\
detached(torch.tensor([3., 6.])): no gradient flows back
  to x
  Stay in torch."""),
    ("expect_gradient(result, tensor)", """\
torch.tensor([3., 6.]): no gradient flows back
  to the tensor of shape (2,), float32
  Which step cuts the gradient off: item(), tolist(), detach(), torch.tensor()?"""),
]  # fmt: skip


@pytest.mark.parametrize(("line", "box"), RED, ids=[line.partition(",")[0] for line, _ in RED])
def test_a_red_check_shows_the_call_and_the_difference(line: str, box: str) -> None:
    body = f"""
@check("same")
def check_same():
    x, table = np.array([0.25, 0.5]), pd.DataFrame({{"height": [1.0, 2.0]}})
    tensor = result = torch.tensor([3.0, 6.0])
    {line}
"""
    linecache.cache["<the check>"] = len(body), None, body.splitlines(keepends=True), "<the check>"
    names = vars(Notebook())
    exec(GIVEN.read_text(encoding="utf-8"), names)
    with pytest.raises(names["CheckFailed"]) as failed:
        exec(compile(body, "<the check>", "exec"), names)
    assert str(failed.value) == box


def test_the_page_for_authors_has_one_table_of_the_vocabulary() -> None:
    page = (Path(autograder.testing.__file__).parents[1] / "docs" / "authors.md").read_text(encoding="utf-8")
    table = page.partition("\n## Expectations\n")[2].partition("\n## ")[0]
    lines = {line.partition("(")[0].removeprefix("| `"): line for line in table.splitlines()}
    names = {name for name in vars(Checks()) if name.startswith(("expect", "set_", "any_"))}
    assert names | {name for name in autograder.testing.__all__ if name.startswith("expect")} <= lines.keys()
    for name in SHARED:
        parameters = inspect.signature(getattr(autograder.testing, name)).parameters
        assert [one for one in parameters if one not in lines[name]] == [], name
