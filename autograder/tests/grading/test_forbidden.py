"""What a question forbids is found by name in the code that it rests on, and in no other."""

import pytest

from autograder.grading.forbidden import UNSEEN, first_use

FORBIDDEN = ("dot", "matmul", "@", "sum")
HEAD = "import torch\nimport math\nimport numpy as np\nfrom torch.nn import functional as F"


def used(answer: str, *before: str) -> str | None:
    return first_use("dot", FORBIDDEN, [HEAD, *before, answer])


def returning(value: str) -> str:
    return f"def dot(a, b):\n    return {value}"


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
        ("eval('a * b')", "eval"),
        ("math.fsum(a * b)", "math.fsum"),
        ("np.trapezoid(a * b)", "numpy.trapezoid"),
        ("np.array(a * b).mean()", "mean"),
        ("torch.ops.aten.mul(a, b)", "ops"),
        ("torch._C._VariableFunctions.mul(a, b)", "_C"),
        ("a.numpy()", "numpy"),
        ("helper(torch)", "the module torch itself"),
    ],
)
def test_a_use_is_found_by_its_name(value: str, found: str) -> None:
    assert used(returning(value)) == found


@pytest.mark.parametrize(
    "before",
    [
        "helper = torch.dot",
        "from torch import dot as helper",
        "from torch import dot\nhelper = dot",
        "def helper(a, b):\n    return torch.dot(a, b)",
        "class Helper:\n    def __call__(self, a, b):\n        return torch.dot(a, b)\n\nhelper = Helper()",
        "import ctypes",
        "import my_own_helper",
        "from os import *",
        "torch.Tensor.mul = lambda a, b: __import__('os')",
    ],
)
def test_a_use_hides_behind_no_helper_alias_or_import(before: str) -> None:
    assert used(returning("helper(a, b)"), before) is not None


@pytest.mark.parametrize(
    ("answer", "before"),
    [
        (returning("a * b"), "def other(a, b):\n    return torch.dot(a, b)"),
        (
            "def dot(a, b):\n    sum = 0\n    for x in a * b:\n        sum = sum + x\n    return sum",
            "",
        ),
        (returning("np.sqrt(a * b)"), "%matplotlib inline\n!ls"),
        (f"%%time\n{returning('a * b')}", ""),
        (returning("a[0] * b[0] + dot(a[1:], b[1:])"), ""),
        (returning("helper(a, b)"), "def helper(a, b):\n    return dot(a, b)"),
        (returning("F.relu(a) * b"), "text = 'the dot product is a sum'"),
    ],
)
def test_other_code_local_names_magics_and_texts_are_no_use(answer: str, before: str) -> None:
    assert used(answer, before) is None


@pytest.mark.parametrize("answer", ["def dot(a, b:", "import a" + ".a" * 1000, "x = 1"])
def test_a_definition_that_cannot_be_read_is_said_to_be_unseen(answer: str) -> None:
    assert used(answer) == UNSEEN
