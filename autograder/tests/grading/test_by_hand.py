"""Work by hand is judged by what ran and by what is read; either is enough for a person to look."""

import pytest

from autograder.course.code import pieces
from autograder.course.rule import Rule, spelt_out
from autograder.grading.by_hand import broken_rule
from autograder.worker.operators import LOST

LOOP = "def dot(a, b):\n    t = 0\n    for x, y in zip(a, b):\n        t = t + x * y\n    return t"
RULE = Rule(("sum",), spelt_out(["basics"]))
CELLS = ["import torch", LOOP]
FORBIDDEN = Rule(("dot", "matmul", "@", "sum"))
HEAD = "import torch\nimport math\nimport numpy as np\nfrom torch.nn import functional as F"


def judged(
    *runs: set[str], shown: tuple[set[str], ...] = (), cells: list[str] = CELLS, rule: Rule = RULE
) -> str | None:
    return broken_rule("dot", rule, pieces(cells), [*map(frozenset, runs)], [*map(frozenset, shown)])


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
    assert hidden == (
        "The code of this question ran an operation that this question asks you to do without."
        " An instructor will look at it before it scores."
    )
    shown = judged({"mul", "conv1d", "_convolution"}, shown=({"_convolution", "conv1d"},))
    assert shown is not None
    assert "called conv1d, which" in shown
    assert judged({"mul"}, shown=({"conv1d"},)) is None
    assert judged({"tells 3.14"}, shown=({"tells 3.14"},)) == hidden
    assert judged({"no_operator"}, shown=({"no_operator"},)) == hidden


@pytest.mark.parametrize("said", [{"mul", LOST}, set()])
def test_what_could_not_be_recorded_is_for_review(said: set[str]) -> None:
    assert "could not be recorded" in str(judged(said))


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("torch.dot(a, b)", "dot"),
        ("a.dot(b)", "dot"),
        ("a @ b", "@"),
        ("a.__matmul__(b)", "__matmul__"),
        ("a.mul(b).sum_()", "sum_"),
        ("sum(a * b)", "sum"),
        ("getattr(torch, 'dot')(a, b)", "dot"),
        ("getattr(torch, 'd' + 'ot')(a, b)", "the module torch itself"),
        ("exec('found = torch.dot(a, b)')", "exec"),
        ("math.fsum(a * b)", "fsum"),
        ("np.trapezoid(a * b)", "numpy.trapezoid"),
        ("torch.ops.aten.mul(a, b)", "ops"),
        ("torch._C._VariableFunctions.mul(a, b)", "_C"),
        ("a.numpy()", "numpy"),
        ("helper(torch)", "the module torch itself"),
    ],
)
def test_a_use_is_found_by_its_name(value: str, found: str) -> None:
    said = f'This question asks you to do without "{found}". An instructor will look at it before it scores.'
    assert read(returning(value)) == said


@pytest.mark.parametrize(
    "before",
    [
        "helper = torch.dot",
        "from torch import dot as helper",
        "from torch import dot\nhelper = dot",
        "def helper(a, b):\n    from torch import dot\n    return dot(a, b)",
        "class Helper:\n    def __call__(self, a, b):\n        return torch.dot(a, b)\n\nhelper = Helper()",
        "import ctypes",
        "from my_own import helper",
        "from os import *",
        "torch.Tensor.mul = lambda a, b: __import__('os')",
        "fetch = getattr\nhelper = fetch(torch, 'd' + 'ot')",
        "import logging\nlogging.threading.Thread(target=print).start()",
        "import contextlib\nhelper = contextlib.sys.modules['torch'].dot",
        "from IPython.utils.importstring import import_item\nhelper = import_item('torch.dot')",
        "from typing import get_type_hints",
        "import torch.nn.functional as F\nhelper = F.__dict__['linear']",
        "%time helper = torch.dot",
        "torch?\nhelper = torch.dot",
    ],
)
def test_a_use_hides_behind_no_helper_alias_or_import(before: str) -> None:
    assert read(returning("helper(a, b)"), before) is not None


@pytest.mark.parametrize(
    ("answer", "before"),
    [
        (returning("a * b"), "def other(a, b):\n    return torch.dot(a, b)"),
        ("def dot(a, b):\n    sum = 0\n    for x in a * b:\n        sum = sum + x\n    return sum", ""),
        (returning("np.sqrt(a * b)"), "%matplotlib inline\n!ls"),
        (f"%%time\n{returning('a * b')}", ""),
        (returning("a * b"), "from IPython.display import HTML\n%time 1 + 1\ntorch.softmax?\n?len"),
        (returning("a[0] * b[0] + dot(a[1:], b[1:])"), ""),
        (returning("helper(a, b)"), "def helper(a, b):\n    return dot(a, b)"),
        (returning("F.relu(a) * b"), "text = 'the dot product is a sum'"),
        (returning("layer.eval()(a) * b"), "import torch.nn as nn\nlayer = nn.Identity()"),
    ],
)
def test_other_code_local_names_magics_and_texts_are_no_use(answer: str, before: str) -> None:
    assert read(answer, before) is None


@pytest.mark.parametrize("answer", ["def dot(a, b:", "import a" + ".a" * 1000, "x = 1"])
def test_a_definition_that_cannot_be_read_is_said_to_be_unread(answer: str) -> None:
    unread = "The code of this question cannot be read. An instructor will look at it before it scores."
    assert read(answer) == unread
