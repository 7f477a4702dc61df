"""What a question forbids is found wherever the question's code takes it from, and nowhere else."""

from collections.abc import Iterable

import pytest

from autograder.grading.forbidden import UNSEEN, read_question
from autograder.grading.ran_cell import RanCell

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


def used(question: str, forbidden: tuple[str, ...], codes: Iterable[str]) -> str | None:
    return read_question(question, forbidden, [RanCell(n, code) for n, code in enumerate(codes)]).used


def softmax(*cells: str) -> str | None:
    return used("softmax", SOFTMAX, ["import torch", *cells])


def dot_product(*cells: str) -> str | None:
    return used("dot_product", DOT, ["import torch", *cells])


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
        ("match torch:\n        case object(dot=found):\n            return found(a, b)", "dot"),
        ("match a:\n        case object(__matmul__=found):\n            return found(b)", "__matmul__"),
        ("import inspect\n    return inspect.getattr_static(torch, 'd' + 'ot')(a, b)", "inspect"),
        ("from pkgutil import resolve_name as find\n    return find('torch:' + 'dot')(a, b)", "pkgutil"),
        ("import pickle\n    return pickle.loads(b'ctorch\\ndot\\n.')(a, b)", "pickle"),
        ("import string\n    return string.Formatter().get_field('0.dot', [torch], {})[0](a, b)", "string"),
        ("import ctypes\n    return ctypes.pythonapi", "ctypes"),
        ("import importlib\n    return importlib.import_module('torch')", "importlib"),
        ("import functools\n    return functools.reduce(getattr, ['dot'], torch)(a, b)", "getattr"),
        ("return fetch(torch, 'dot')(a, b)", "the module torch itself"),
        ("return torch.jit.script(f)(a, b)", "jit"),
        ("return torch.ops.aten.dot(a, b)", "dot"),
        ("return torch._VF.tensordot(a, b)", "_VF"),
        ("from torch import _C\n    return _C", "_C"),
        ("return torch.from_numpy(a.numpy().prod())", "numpy"),
        ("import numpy as np\n    return np.vdot(a, b)", "numpy.vdot"),
        ("import numpy\n    return apply(numpy, a)", "the module numpy itself"),
        ("import math\n    return math.sumprod(a, b)", "math.sumprod"),
        ("import collections\n    return collections.Counter(a.tolist()).total()", "collections.Counter"),
        ("import numpy as np\n    return np.array(a.tolist()).cumsum()[-1]", "cumsum"),
        ("from numpy import power\n    return power(a.tolist(), 1).mean() * 2", "mean"),
        ("import matplotlib.pyplot as plt\n    return plt.hist(a, bins=1, weights=b)[0]", "matplotlib"),
        ("import einops\n    return einops.reduce(a * b, 'i ->', 'add')", "einops"),
        ("class Sum(list):\n        f = list.__subclasses__\n    return Sum.f()", "__subclasses__"),
        ("from helper import add\n    return add(a, b)", "helper"),
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
        "%run later.py",
        "%load_ext later",
        "%prun -q softmax = torch.softmax",
        "%timeit -n1 -r1 globals()['softmax'] = torch.softmax",
        "%%prun\nsoftmax = torch.softmax",
        "%%a_magic_of_its_own\nsoftmax = torch.softmax",
        "from helper import *",
        "from torch.nn.functional import *",
        "import helper",
        "setattr(torch, 'exp', torch.softmax)",
        "torch.exp = torch.softmax",
        "torch.__dict__['exp'] = torch.softmax",
        "import sys\nsys.modules['__main__'].softmax = torch.softmax",
        "import gc\nnames = gc.get_objects()",
        "import ctypes\nctypes.pythonapi.PyDict_SetItem()",
        "from autograder.worker.operators import Recorder",
        "torch._C._autograd._enable_record_function(False)",
    ],
)
def test_a_definition_that_is_swapped_later_is_found(swap: str) -> None:
    assert softmax(BY_HAND, swap) is not None


def test_a_definition_out_of_sight_is_for_review() -> None:
    assert softmax() == UNSEEN
    assert softmax("from helper import *") == "import *"
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
        "if True:\n    %matplotlib inline",
        "%config InlineBackend.figure_format = 'retina'\n%load_ext autoreload\n%autoreload 2",
        "%timeit -n 10 -r 3 torch.softmax(torch.ones(3), 0)",
        "%%html\n<b>softmax = torch.softmax</b>",
        "%%writefile later.py\nsoftmax = torch.softmax",
        "import gc, inspect, sys, time\ngc.collect()\nprint(sys.version, inspect.getsource(softmax))",
        "import numpy as np\nnp.random.seed(0)\nprint(np.dot([1], [2]))",
        "try:\n    import google.colab\nexcept ImportError:\n    pass",
        "!pip list",
        "this is no Python",
    ]
    assert softmax(*scratch, BY_HAND, *scratch) is None
    assert (
        dot_product("a = torch.ones(3) @ torch.ones(3)", LOOP, "i = (a * a).sum()\ntotal = sum([1])") is None
    )


@pytest.mark.parametrize(
    "code",
    [
        "names = getattr(dot_product, '__glo' + 'bals__')\nnames['dot_product'] = names['torch'].dot",
        "for part in ['__glo', 'bals__']:\n    getattr(dot_product, part + 'bals__')",
        "for name in ['__globals__']:\n    getattr(dot_product, name)['dot_product'] = torch.dot",
        "for name in ['exp']:\n    name = '__glo' + 'bals__'\n    getattr(dot_product, name)",
        "read = getattr",
        "[*map(type(torch).__getattribute__, [dot_product], ['__glo' + 'bals__'])]",
    ],
)
def test_a_computed_getattr_elsewhere_may_change_any_name(code: str) -> None:
    assert dot_product(LOOP, code) is not None


def test_a_getattr_of_names_that_are_spelt_out_elsewhere_is_no_matter() -> None:
    assert softmax(BY_HAND, "for name in ['exp', 'log']:\n    getattr(torch, name)") is None


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
    assert softmax(code, BY_HAND) in (None, "exec", UNSEEN)


def test_too_much_code_is_for_review() -> None:
    assert softmax(*["x = 1  # " + "x" * 100_000] * 4, BY_HAND) == UNSEEN


def test_by_hand_work_may_use_what_is_of_use() -> None:
    cells = [
        "import math, functools, sys\nimport numpy as np\nfrom torch import nn",
        "import torch.nn.functional as F",
        "class Exp(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "    def forward(self, x):\n        return x.exp() * np.sqrt(1.0) * math.e ** (0 / sys.maxsize)",
        "def softmax(scores):\n    top = functools.reduce(torch.maximum, scores)\n"
        "    F = Exp()(scores - top)\n    return F / F.sum()",
    ]
    assert softmax(*cells) is None


def test_code_that_did_not_run_clears_nobody() -> None:
    draft = "import torch\ndef softmax(scores):\n    return torch.softmax(scores, 0)\n"
    failing = RanCell(1, draft + "1 / 0\n" + BY_HAND, failed_at=4)
    assert read_question("softmax", SOFTMAX, [RanCell(0, BY_HAND), failing]).used == "softmax"
    below = RanCell(1, "1 / 0\n" + draft, failed_at=1)
    assert read_question("softmax", SOFTMAX, [RanCell(0, BY_HAND), below]).used is None
    somewhere = RanCell(1, BY_HAND + "1 / 0", failed_at=0)
    assert read_question("softmax", SOFTMAX, [RanCell(0, draft), somewhere]).used == "softmax"
    assert softmax(draft, "%%capture\n1 / 0\n" + BY_HAND) == "softmax"
    assert softmax(draft, "%%html\n" + BY_HAND) == "softmax"
    assert softmax(draft, "%%writefile clean.py\n" + BY_HAND) == "softmax"


@pytest.mark.parametrize(
    ("elsewhere", "found"),
    [
        ("import os\nos.sys.modules.clear()", "sys.modules"),
        ("from warnings import sys as harmless\nharmless.modules.clear()", "sys.modules"),
        ("print.__self__.__import__('sys')", "__import__"),
        ("match print:\n    case object(__self__=found): found.print = None", "__self__"),
        ("steps = (1 for _ in [0])\nsteps.gi_frame.f_back.f_globals.clear()", "f_globals"),
        ("import logging.config\nlogging.config.BaseConfigurator({}).resolve('sys')", "logging.config"),
    ],
)
def test_what_leads_to_all_modules_is_found_wherever_it_stands(elsewhere: str, found: str) -> None:
    assert softmax(BY_HAND, elsewhere) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("torch.sys.exit()", "sys.exit"),
        ("plt.np.add.reduce(scores)", "numpy.add"),
        ("torch.os.getcwd()", "os"),
        ("torch.nn.functional.math.fsum(scores)", None),
    ],
)
def test_a_module_inside_another_is_taken_for_itself(body: str, found: str | None) -> None:
    code = f"def softmax(scores):\n    {body}\n    return torch.exp(scores)"
    assert softmax("import matplotlib.pyplot as plt", code) == found


def test_harmless_parts_of_modules_raise_no_flag() -> None:
    imports = "import collections.abc, logging, math, os.path\nimport torch.nn.functional as F\nimport os"
    code = "def softmax(scores):\n    logging.info(math.pi)\n    return F.relu(torch.select(scores, 0, 0))"
    assert softmax(imports, "print(os.path.join('a', 'b'))", code) is None


def test_a_star_import_of_what_is_shown_binds_no_name_of_python() -> None:
    code = BY_HAND.replace("return", "assert len(scores), range(1)\n    return", 1)
    assert softmax("from IPython.display import *", code) is None
    assert softmax("from somewhere import *", code) is not None


def test_packages_that_are_customary_elsewhere_are_no_code_of_the_submission() -> None:
    lines = (
        "from google.colab import drive\nimport pandas as pd\nimport torchvision, einops\n"
        "import numpy as np\nfrom tqdm.auto import tqdm\nfrom jaxtyping import Float\nimport tiktoken"
    )
    assert softmax(lines, BY_HAND) is None
    assert softmax(lines, BY_HAND.replace("torch.exp", "pd.exp")) == "pandas"


def test_compiling_which_changes_nothing_here_is_no_use() -> None:
    assert softmax(BY_HAND.replace("def", "@torch.compile\ndef", 1)) is None
    assert softmax(BY_HAND, "softmax = torch.compile(softmax, mode='max-autotune')") is None
    assert softmax(BY_HAND.replace("def", "@torch.jit.script\ndef", 1)) == "jit"
    assert softmax(BY_HAND, "softmax = torch.compile.__globals__['_original']") is not None
