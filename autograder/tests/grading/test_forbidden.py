"""What a question forbids is found wherever the question's code takes it from, and nowhere else."""

import pytest

from autograder.grading.forbidden import UNSEEN, broken_rule

SOFTMAX = ("softmax", "log_softmax", "Softmax")
DOT = ("dot", "matmul", "@", "einsum", "sum")

BY_HAND = """
def softmax(scores):
    powers = torch.exp(scores - scores.max())
    return powers / powers.sum()
"""

LOOP = """
def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError
    total = 0
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total
"""

OWN_SUM = """
def sum(values):
    total = 0
    for value in values:
        total = total + value
    return total
"""


def softmax(*cells: str) -> str | None:
    return broken_rule("softmax", SOFTMAX, ["import torch", *cells])


def dot_product(*cells: str) -> str | None:
    return broken_rule("dot_product", DOT, ["import torch", *cells])


@pytest.mark.parametrize(
    "body",
    [
        "total = 0\n    for x, y in zip(a, b):\n        total += x * y\n    return total",
        "sum = 0\n    for x, y in zip(a, b):\n        sum += x * y\n    return sum",
        "dot: float = 0.0\n    for i in range(len(a)):\n        dot = dot + a[i] * b[i]\n    return dot",
        "def sum(values):\n        return functools.reduce(mul, values)\n    return sum(map(mul, a, b))",
        "return add([dot for dot in map(mul, a, b)])",
        "raise ValueError('sum')",
        '"""sum"""\n    return a',
    ],
)
def test_loops_pass_whatever_their_variables_are_called(body: str) -> None:
    cells = ["import functools, operator\nfrom operator import mul", "def add(values): return values[0]"]
    assert dot_product(*cells, f"def dot_product(a, b):\n    {body}") is None


@pytest.mark.parametrize(
    "body",
    [
        "total = torch.exp(scores).sum()\n    return torch.exp(scores) / total",
        "sum = torch.exp(scores - scores.max()).sum()\n    return torch.exp(scores - scores.max()) / sum",
        "return torch.exp(scores - torch.logsumexp(scores, dim=0))",
        "parts = [math.exp(s) for s in scores]\n    return [p / sum(parts) for p in parts]",
        "scores = scores - max(scores)\n    return scores.exp() / sum(scores.exp())",
        "for i in range(3):\n        pass\n    return scores",
        "softmax = scores.exp()\n    return softmax / softmax.sum()",
    ],
)
def test_softmax_by_hand_passes(body: str) -> None:
    assert softmax("import math", f"def softmax(scores):\n    {body}") is None


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return torch.dot(a, b)", "dot"),
        ("return a.dot(b)", "dot"),
        ("return a @ b", "@"),
        ("a @= b\n    return a", "@"),
        ("return a.__matmul__(b)", "__matmul__"),
        ("import operator\n    return operator.matmul(a, b)", "matmul"),
        ("return sum(x * y for x, y in zip(a, b))", "sum"),
        ("return (a * b).sum()", "sum"),
        ("return (lambda: sum(a * b))()", "sum"),
        ("total = sum\n    return total(a * b)", "sum"),
        ("from torch import dot as product\n    return product(a, b)", "dot"),
        ("return getattr(torch, 'dot')(a, b)", "dot"),
        ("return getattr(torch, 'd' + 'ot'.strip())(a, b)", "getattr"),
        ("fetch = getattr\n    return fetch(torch, 'dot')(a, b)", "getattr"),
        ("import operator\n    return operator.methodcaller('dot', b)(a)", "dot"),
        ("return torch.__dict__['dot'](a, b)", "__dict__"),
        ("return vars(torch)['dot'](a, b)", "vars"),
        ("return eval('torch.dot(a, b)')", "eval"),
        ("exec('result = torch.dot(a, b)')", "exec"),
        ("import builtins\n    return builtins.max(a * b)", "builtins"),
        ("return __import__('torch').dot(a, b)", "dot"),
    ],
)
def test_a_forbidden_call_is_found_in_the_definition(body: str, found: str) -> None:
    assert dot_product(f"def dot_product(a, b):\n    {body}") == found


@pytest.mark.parametrize(
    ("helper", "found"),
    [
        ("def helper(a, b):\n    return torch.dot(a, b)", "dot"),
        ("helper = torch.dot", "dot"),
        ("helper = lambda a, b: a @ b", "@"),
        ("from torch import dot as helper", "dot"),
        ("from torch import exp, dot as helper, tensor", "dot"),
        ("def inner(a, b):\n    return a @ b\ndef helper(a, b):\n    return inner(a, b)", "@"),
        (
            "class P:\n    def __call__(self, a, b):\n        return torch.einsum('i,i', a, b)\nhelper = P()",
            "einsum",
        ),
        ("try:\n    helper = torch.dot\nexcept AttributeError:\n    helper = None", "dot"),
        ("helper, other = torch.dot, 1", "dot"),
        ("if (helper := torch.dot):\n    pass", "dot"),
        ("def install():\n    global helper\n    helper = torch.dot\ninstall()", "dot"),
        ("class Box: pass\nhelper = Box()\nhelper.call = torch.dot", "dot"),
        ("helper = []\nhelper.append(torch.dot)", "dot"),
        ("%time helper = torch.dot", "dot"),
        ("%%capture\nhelper = torch.dot", "dot"),
        ("%matplotlib inline\ndef helper(a, b):\n    return torch.dot(a, b)", "dot"),
        ("if True:\n    %time helper = torch.dot", "run_line_magic"),
    ],
)
def test_a_helper_in_another_cell_is_followed(helper: str, found: str) -> None:
    question = "def dot_product(a, b):\n    return helper(a, b)"
    assert dot_product(helper, question) == found
    assert dot_product(question, helper) == found


def test_an_alias_of_the_library_under_the_questions_name_is_found() -> None:
    taken = "from torch.nn.functional import softmax\nlibrary = softmax"
    assert softmax(taken, "def softmax(scores):\n    return library(scores, 0)") == "softmax"
    assert softmax("softmax = torch.softmax") == "softmax"
    assert softmax("softmax = torch.nn.Softmax(dim=0)") == "Softmax"


def test_a_default_a_decorator_and_a_builtin_alias_are_followed() -> None:
    assert dot_product("def dot_product(a, b, f=sum):\n    return f(a * b)") == "sum"
    replace = "def replace(function):\n    return torch.dot"
    assert dot_product(replace, "@replace\ndef dot_product(a, b):\n    return a") == "dot"
    assert dot_product("add = sum", "sum = 0", "def dot_product(a, b):\n    return add(a * b)") == "sum"


def test_the_last_certain_definition_counts() -> None:
    draft = "def softmax(scores):\n    return torch.softmax(scores, 0)"
    perhaps = "if False:\n" + BY_HAND.strip().replace("def ", "    def ").replace("\n    ", "\n        ")
    assert softmax(draft, BY_HAND) is None
    assert softmax(BY_HAND, draft) == "softmax"
    assert softmax(draft, perhaps) == "softmax"


@pytest.mark.parametrize(
    "swap",
    [
        "globals()['soft' + 'max'] = torch.softmax",
        "exec('softmax = torch.softmax')",
        "softmax.__code__ = other.__code__\nother = torch.softmax",
        "softmax = torch.softmax",
        "def swap():\n    global softmax\n    softmax = torch.softmax\nswap()",
        "get_ipython().user_ns['soft' + 'max'] = torch.softmax",
        "get_ipython().ast_transformers.append(Rewriter())",
        "get_ipython().run_cell('softmax = torch.softmax')",
    ],
)
def test_a_definition_that_is_swapped_later_is_found(swap: str) -> None:
    assert softmax(BY_HAND, swap) is not None


def test_a_definition_out_of_sight_is_for_review() -> None:
    assert softmax() == UNSEEN
    assert softmax("from helper import *") == UNSEEN
    assert softmax("setattr(__main__, 'softmax', torch.softmax)") == UNSEEN


def test_a_name_that_only_seems_to_hide_a_builtin_is_found() -> None:
    user = "def dot_product(a, b):\n    return sum(a * b)"
    assert dot_product("sum: int", user) == "sum"
    assert dot_product("sum = 0\ndel sum", user) == "sum"
    assert dot_product("from torch import *", "def dot_product(a, b):\n    return dot(a, b)") == "dot"


def test_an_own_function_of_a_forbidden_name_passes() -> None:
    assert dot_product(OWN_SUM, "def dot_product(a, b):\n    return sum(a * b)") is None


def test_other_cells_may_use_what_the_question_forbids() -> None:
    scratch = [
        "torch.softmax(torch.ones(3), 0)",
        "torch.manual_seed(0)\nprint(softmax(torch.ones(3)) - torch.softmax(torch.ones(3), 0))",
        "import torch.nn.functional as F\nexpected = F.softmax(torch.ones(3), 0)",
        "from torch import exp, softmax as library",
        "def attention(scores):\n    return torch.softmax(scores, -1)",
        "for scores in [1, 2]:\n    weights = torch.softmax(torch.ones(scores), 0)",
        "%timeit torch.softmax(torch.ones(3), 0)",
        "%matplotlib inline",
        "!pip list",
        "this is no Python",
    ]
    assert softmax(*scratch, BY_HAND, *scratch) is None
    assert (
        dot_product("a = torch.ones(3) @ torch.ones(3)", LOOP, "i = (a * a).sum()\ntotal = sum([1])") is None
    )


def test_a_computed_getattr_elsewhere_is_no_matter() -> None:
    assert softmax(BY_HAND, "for name in ['exp', 'log']:\n    getattr(torch, name)") is None


def test_a_question_without_a_rule_is_free() -> None:
    assert broken_rule("softmax", (), ["softmax = torch.softmax"]) is None


@pytest.mark.parametrize(
    "code",
    [
        "x = " + "(" * 5000 + ")" * 5000,
        "x = " + "-" * 50_000 + "1",
        "x = " + "+".join(["1"] * 5000),
        "%time " * 1000 + "x = 1",
        "!ls\n" * 3000,
        "x = 1\0",
        "1\n" * 20_000,
        '"""',
    ],
    ids=[
        "nested",
        "unary",
        "long sum",
        "nested magics",
        "many magics",
        "null",
        "many statements",
        "unclosed",
    ],
)
def test_hostile_code_beside_the_question_is_borne(code: str) -> None:
    assert softmax(code, BY_HAND) in (None, "exec")


def test_too_much_code_is_for_review() -> None:
    assert softmax(*["x = 1  # " + "x" * 100_000] * 4, BY_HAND) == UNSEEN
