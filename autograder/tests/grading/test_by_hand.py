"""Work by hand is judged by what ran and by what is read; either is enough for a person to look."""

import pytest

from autograder.course.code import code_parts
from autograder.course.rule import Rule, all_operators
from autograder.grading.by_hand import Use, broken_rule, forbidden_use
from autograder.worker.operators import LOST

LOOP = "def dot(a, b):\n    t = 0\n    for x, y in zip(a, b):\n        t = t + x * y\n    return t"
RULE = Rule(("sum",), all_operators(["basics"]))
CELLS = ["import torch", LOOP]
FORBIDDEN = Rule(("dot", "matmul", "@", "sum"))
LOOKS = "An instructor will look at this answer"
HEAD = "import torch\nimport math\nimport numpy as np\nfrom torch.nn import functional as F"


def judged(
    *runs: set[str], shown: tuple[set[str], ...] = (), cells: list[str] = CELLS, rule: Rule = RULE
) -> str | None:
    ran, disclosed = [*map(frozenset, runs)], [*map(frozenset, shown)]
    return broken_rule("dot", rule, code_parts(cells), ran, disclosed)


def read(answer: str, *before: str) -> str | None:
    return judged(cells=[HEAD, *before, answer], rule=FORBIDDEN)


def returning(value: str) -> str:
    return f"def dot(a, b):\n    return {value}"


def test_a_loop_of_allowed_operators_is_nobodys_matter() -> None:
    assert judged({"unbind", "mul", "add", "add_"}, {"mul"}) is None
    assert judged() is None
    assert judged({"conv1d"}, rule=Rule()) is None
    assert judged({"conv1d"}, rule=Rule(("sum",))) is None


def test_an_operator_is_named_only_where_calls_that_may_be_shown_ran_it_too() -> None:
    hidden = judged({"mul", "conv1d", "_convolution"})
    assert hidden == f"{LOOKS}. Its code ran an operation that this question does not allow."
    shown = judged({"mul", "conv1d", "_convolution"}, shown=({"_convolution", "conv1d"},))
    assert shown is not None
    assert shown.startswith(f"{LOOKS}. Its code called conv1d, which")
    assert judged({"mul"}, shown=({"conv1d"},)) is None
    assert judged({"tells 3.14"}, shown=({"tells 3.14"},)) == hidden
    assert judged({"no_operator"}, shown=({"no_operator"},)) == hidden


@pytest.mark.parametrize("said", [{"mul", LOST}, set()])
def test_what_could_not_be_recorded_is_for_review(said: set[str]) -> None:
    assert "could not record" in str(judged(said))


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("torch.dot(a, b)", "dot"),
        ("a.dot(b)", "dot"),
        ("a @ b", "@"),
        ("a.__matmul__(b)", "__matmul__"),
        ("a.mul(b).sum_()", "sum_"),
        ("sum(a * b)", "sum"),
        ("functools.reduce(torch.dot, [a, b])", "dot"),
        ("(lambda sum: sum)(1) + sum(a * b)", "sum"),
        ("getattr(torch, 'dot')(a, b)", "dot"),
        ("math.fsum(a * b)", "fsum"),
        ("np.dot(a, b)", "dot"),
    ],
)
def test_a_use_is_found_by_its_name_and_said_with_its_line(value: str, found: str) -> None:
    why = f'{LOOKS}. Line 2 uses "{found}", which this question does not allow.'
    assert read(returning(value)) == why


@pytest.mark.parametrize(
    "before",
    [
        "helper = torch.dot",
        "from torch import dot as helper",
        "from torch import dot\nhelper = dot",
        "def helper(a, b):\n    from torch import dot\n    return dot(a, b)",
        "def helper(a, b):\n    import torch as re\n    return re.dot(a, b)",
        "class Helper:\n    def __call__(self, a, b):\n        return torch.dot(a, b)\n\nhelper = Helper()",
        "class Helper:\n    def push(self, a, b):\n        return sum(a * b)\n\nhelper = Helper().push",
        "helper = F.linear",
        "%time helper = torch.dot",
        "torch?\nhelper = torch.dot",
        "%%writefile my_own.py\nimport torch\ndef helper(a, b):\n    return torch.dot(a, b)",
    ],
)
def test_a_use_hides_behind_no_helper_alias_or_import(before: str) -> None:
    rule = Rule((*FORBIDDEN.forbid, "linear"))
    assert judged(cells=[HEAD, before, returning("helper(a, b)")], rule=rule) is not None


@pytest.mark.parametrize(
    "before",
    [
        "def other(a, b):\n    return torch.dot(a, b)",
        "import re\nword = re.compile('dot')",
        "import inspect\nprint(inspect.signature(print), vars(), globals(), locals())",
        "for name in ('dot', 'sum'):\n    print(getattr(torch, name))",
        "import pickle, ctypes, threading, importlib\nlayer = torch.compile(torch.nn.Linear(2, 2))",
        "class Stack:\n    def push(self, item):\n        self.items = [item]",
        "try:\n    1 / 0\nexcept ZeroDivisionError as ex:\n    print(ex)",
        "from functools import *\nfrom os import *",
        "from torch import Tensor, dot",
        "eval('1'), exec('x = 1'), compile('1', '', 'eval')",
        "def helper(:",
        "sum(range(3))\ndel helper",
    ],
)
def test_a_cell_that_the_answer_does_not_reach_is_nobodys_matter(before: str) -> None:
    assert judged({"mul"}, cells=[HEAD, before, LOOP]) is None
    assert judged({"mul"}, cells=[HEAD, LOOP, before]) is None


DRAFT = returning("torch.dot(a, b)")


@pytest.mark.parametrize(
    "cells",
    [
        [DRAFT, LOOP],
        [f"{DRAFT}\n\n\n{LOOP}"],
        [DRAFT, "print(dot(torch.ones(2), torch.ones(2)))", "def other(a):\n    return dot(a, a)", LOOP],
        ["dot = torch.dot", LOOP],
        ["from torch import dot", LOOP],
        ["def dot(a, b):\n    return torch.dot(a, b", LOOP],
        [
            DRAFT.replace("dot(a, b):", "helper(a, b):"),
            LOOP.replace("dot", "helper"),
            returning("helper(a, b)"),
        ],
    ],
)
def test_an_earlier_draft_of_the_answer_is_nobodys_matter(cells: list[str]) -> None:
    assert judged({"mul"}, cells=[HEAD, *cells], rule=FORBIDDEN) is None


def test_a_definition_in_a_cell_that_may_have_ended_before_it_replaces_no_draft() -> None:
    statements = code_parts([HEAD, DRAFT, LOOP])
    assert forbidden_use("dot", FORBIDDEN, statements) is None
    assert forbidden_use("dot", FORBIDDEN, statements, unfinished={2}) == Use("dot", 1, 2)


@pytest.mark.parametrize(
    "cells",
    [
        [DRAFT, "first = dot", returning("first(a, b)")],
        [DRAFT, "kept = [dot]", "first = kept[0]", returning("first(a, b)")],
        [DRAFT, "def keep():\n    global first\n    first = dot\n\nkeep()", returning("first(a, b)")],
        [DRAFT, "def keep():\n    return dot", "first = keep()", returning("first(a, b)")],
        [DRAFT, "def dot(a, b, first=dot):\n    return first(a, b)"],
        [DRAFT, "def wraps(f):\n    return lambda _: f", f"@wraps(dot)\n{LOOP}"],
        [DRAFT, "import functools", f"@functools.cache\n{LOOP}"],
        [DRAFT, "class Keeper:\n    first = dot", returning("Keeper.first(a, b)")],
        [LOOP, DRAFT],
        [LOOP, "dot = torch.dot"],
        [LOOP, f"if True:\n    {DRAFT.replace(chr(10), chr(10) + '    ')}"],
    ],
)
def test_a_draft_that_the_answer_keeps_or_that_comes_last_is_read(cells: list[str]) -> None:
    assert judged({"mul"}, cells=[HEAD, *cells], rule=FORBIDDEN) is not None


@pytest.mark.parametrize(
    ("answer", "before"),
    [
        ("def dot(a, b):\n    sum = 0\n    for x in a * b:\n        sum = sum + x\n    return sum", ""),
        ("def dot(a, b):\n    ex = torch.exp(a)\n    return ex * b", ""),
        ("def dot(a, b):\n    return [sum for sum in a]", ""),
        (
            "def dot(a, b):\n    try:\n        return a * b\n    except ValueError as ex:\n        raise ex",
            "",
        ),
        (returning("np.sqrt(a * b)"), "%matplotlib inline\n!ls"),
        (f"%%time\n{returning('a * b')}", ""),
        (f"@no_such.decorator\n{returning('a * b')}", "import no_such"),
        (returning("a * b"), "from IPython.display import HTML\n%time 1 + 1\ntorch.softmax?\n?len"),
        (returning("a[0] * b[0] + dot(a[1:], b[1:])"), ""),
        (returning("helper(a, b)"), "def helper(a, b):\n    return dot(a, b)"),
        (returning("F.relu(a) * b"), "text = 'the dot product is a sum'"),
        (returning("layer.eval()(a) * b"), "import torch.nn as nn\nlayer = nn.Identity()"),
        (returning("paths.dot(a, b)"), "import paths"),
        (returning("box.sum(a)"), "class Box:\n    def sum(self, a):\n        return a\nbox = Box()"),
        (returning("box.sum * a"), "class Box: pass\nbox = Box()\nbox.sum = 3"),
        (returning("a * b * sum"), "sum = 1"),
    ],
)
def test_local_names_other_modules_own_attributes_and_texts_are_no_use(answer: str, before: str) -> None:
    assert read(answer, before) is None


@pytest.mark.parametrize("answer", ["def dot(a, b:", "import a" + ".a" * 1000, "x = 1"])
def test_a_definition_that_cannot_be_read_is_said_to_be_unread(answer: str) -> None:
    assert read(answer) == f"{LOOKS} because the grader cannot read the answer's code."
