"""Hostile source: whatever a cell holds, looking for rules and for cells ends soon, and in a typed result."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autograder.course.code import bound_names, code_parts
from autograder.course.rule import Rule
from autograder.course.source import Cell, Role
from autograder.grading.by_hand import broken_rule
from autograder.submission.matching import RestoredCell, restore
from autograder.submission.notebook import NotebookCell

FORBIDDEN = Rule(("dot", "matmul", "@", "sum"))
CELLS = (
    Cell(Role.TEXT, "# Title"),
    Cell(Role.SOLUTION, "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION", "f"),
    Cell(Role.CHECK, "# Check of f\nassert f(1) == 1", "f", 2.0),
    Cell(Role.TEXT, "## Why?"),
    Cell(Role.MANUAL, "### BEGIN SOLUTION\nso\n### END SOLUTION", "why", 1.0),
)
SECONDS = 60  # of processor time; each takes less than 5
LENGTH = 290_000  # characters: a little less than what is read at all


def judge(*codes: str) -> None:
    """Expect answers of the right kinds about cells of these codes."""
    assert isinstance(broken_rule("f", FORBIDDEN, code_parts(codes)), str | None)
    cells = [NotebookCell(2 * n, "code", code) for n, code in enumerate(codes)]
    cells += [NotebookCell(2 * n + 1, "markdown", code, "why") for n, code in enumerate(codes)]
    places = restore(CELLS, cells, {"f": 0})
    assert all(isinstance(place, RestoredCell) for place in places)
    assert [place.graded for place in places if place.graded].count(CELLS[1]) == 1


def steps(template: str, depth: int) -> str:
    """Return blocks inside blocks."""
    return "".join(" " * n + template.format(n) + "\n" for n in range(depth)) + " " * depth + "f = 1"


LARGE: dict[str, Callable[[], str]] = {
    "names that nothing binds": lambda: (
        f"def f(x):\n    return [{','.join(f'n{i}' for i in range(14000))}]\n"
        + "\n".join(f"m{i}=1" for i in range(14000))
    ),
    "names that rest on names": lambda: "\n".join(f"a{i + 1}=a{i}" for i in range(14000)) + "\nf = a14000",
    "one name without end": lambda: "f=f\n" * 70000,
    "one object touched without end": lambda: "def f(x): return t\n" + "t.append(t)\n" * 24000,
    "parentheses": lambda: "f=" + "(" * 100_000 + ")" * 100_000,
    "brackets of all kinds": lambda: "f=" + "([{" * 50_000,
    "signs": lambda: "f=" + "-" * 280_000 + "1",
    "attributes": lambda: "f=a" + ".b" * 140_000,
    "calls": lambda: "f=a" + "()" * 140_000,
    "sums": lambda: "f=1" + "+1" * 140_000,
    "lambdas": lambda: "f=" + "lambda:" * 40_000 + "1",
    "comprehensions": lambda: "f=" + "[x for x in " * 10_000 + "y" + "]" * 10_000,
    "blocks": lambda: steps("if {}:", 700),
    "functions": lambda: steps("def f{}():", 99),
    "classes": lambda: steps("class f{}:", 99),
    "branches": lambda: "if 1:\n f=1\n" + "elif 1:\n f=1\n" * 18_000,
    "formats": lambda: "f=" + "f'{" * 3000 + "1" + "}'" * 3000,
    "a long text": lambda: "f='" + "x" * 280_000 + "'",
    "a long number": lambda: "f=" + "9" * 280_000,
    "lines that go on": lambda: "\\\n" * 100_000 + "f=1",
    "form feeds": lambda: "\f" * 100_000 + "f=1",
    "blank lines before a fault": lambda: "\n" * 9000 + "f=",
    "magics": lambda: "%time x\n" * 1200,
    "magics inside magics": lambda: "%time " * 1600 + "f=1",
    "programs": lambda: "!" * 9900,
    "questions": lambda: "?" * 9900,
    "statements on a line": lambda: "f=1;" * 70_000,
}
FRAGMENTS = st.sampled_from(
    [
        *("def f(x):", "class f:", "async def f(x):", "f = ", "return x", "del f", "import dot as f", "@f"),
        *("from builtins import *", "getattr(x, 'd' + 'ot')", "f.__dict__", "exec('f = 1')", "global f"),
        *("%time f = 1", "%%capture", "!ls", "x = !ls", "f?", "%run", "get_ipython()", "a @ b", "x.dot(y)"),
        *("()[{'\\:;,=#*\n\r\f\v\0\ufeff\ud800\u2028\uff46"),
        *('"""', "f'{", "**", "lambda", "match x:", "\n    ", "\n\t", "\n \t ", "\r\n"),
        *("9" * 5000, "(" * 300, "-" * 3000, "\n" * 300, " " * 300, "é", "\N{MATHEMATICAL ITALIC SMALL F}"),
    ]
)
CODE = st.lists(FRAGMENTS | st.text(max_size=5), max_size=25).map("".join)


@pytest.mark.parametrize("kind", LARGE)
def test_large_and_deep_code_is_judged_in_time(kind: str) -> None:
    code = LARGE[kind]()
    start = time.process_time()
    judge(code[:LENGTH])
    assert isinstance(bound_names(code), frozenset)
    assert time.process_time() - start < SECONDS


def test_a_notebook_full_of_large_cells_is_judged_in_time() -> None:
    start = time.process_time()
    judge(*["f=f\n" * 5000] * 400)
    judge(*["%time x\n" * 1200] * 30)
    assert time.process_time() - start < SECONDS


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(CODE, min_size=1, max_size=4))
@example(["f = '\\d'"])
@example(["f = 1\0"])
@example(["# -*- coding: nonsense -*-\nf = 1"])
def test_any_code_is_judged(codes: list[str]) -> None:
    judge(*codes)
    assert isinstance(bound_names(codes[0]), frozenset)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_any_cells_are_put_in_their_places(data: Any) -> None:
    names = st.sampled_from(["", "f", "check-f", "why", "other", "\ud800"])
    kinds = st.sampled_from(["code", "markdown", "raw"])
    texts = CODE | st.sampled_from([cell.text for cell in CELLS])
    drawn = data.draw(st.lists(st.tuples(kinds, texts, names), max_size=8))
    cells = [NotebookCell(number, *parts) for number, parts in enumerate(drawn)]
    ids = data.draw(st.dictionaries(st.sampled_from(["f", "check-f", "why"]), st.integers(-2, 9), max_size=3))
    places = restore(CELLS, cells, ids)
    assert [place.submitted for place in places if place.submitted] == cells
    graded = [place.graded.grade_id for place in places if place.graded]
    assert sorted(graded) == ["check-f", "f", "why"]
