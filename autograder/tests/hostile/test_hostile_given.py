"""Submissions that get a function as a hidden input, and try to do something else with it than to call it."""

from collections.abc import Callable

import pytest

from autograder.course.exercise import Exercise
from autograder.course.settings import Limits
from autograder.grading.session import Session
from autograder.report.report import Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import NotebookCell
from autograder.testing.inputs import numbered_inputs
from autograder.testing.suite import Run, Suite

Grade = Callable[[str, Limits], Run]
SOURCE = """\
# %%
import math

# %% solution="is_rising"
def is_rising(function):
    ### BEGIN SOLUTION
    return function(1.0) > function(0.0)
    ### END SOLUTION

# %% check="is_rising" points=1
is_rising(abs)
"""
HIDDEN = '''\
import math

import torch

from autograder.testing import draw, expect, question


ADD = """
def add(x):
    return x + 1.0  # a remark of the author
"""


def rising_or_falling(secret_slope, weights):
    """Return a line that only its author knows."""
    hidden_total = secret_slope * float(weights.sum())  # never zero

    def line(x):
        """Go up or down."""
        return hidden_total * x

    return line


@question("is_rising")
def test_tells_rising_lines_from_falling_ones(student):
    """A rising line gives True, and a falling one False."""
    assert student.define(ADD, "add")(1.0) == 2.0
    for place in torch.randperm(8).tolist():
        slope = draw(1, 9) * (-1) ** place
        seen = student.is_rising(rising_or_falling(slope, torch.ones(2)))
        expect(isinstance(seen, bool) and seen is (slope > 0), f"{slope}: {seen}")
'''
RIGHT = "def is_rising(function):\n    return function(1.0) > function(0.0)"
DIFFERENTIATES = """
import torch
def is_rising(function):
    x = torch.zeros((), requires_grad=True)
    function(x).backward()
    return bool(x.grad > 0)
"""
# It says True where it finds a word of the test that must not have crossed, and where the line rises.
READS = """
import builtins, gc, inspect, linecache, sys, types
COMPILED, compile_it = [], compile
def compile_and_keep(source, *args, **kwargs):
    COMPILED.append(str(source))
    return compile_it(source, *args, **kwargs)
builtins.compile = compile_and_keep
PARTS = ("secret", "_slope"), ("hidden", "_total"), ("its", " author"), ("remark of", " the author")
WORDS = [one + other for one, other in PARTS]
def is_rising(function):
    texts = []
LOOK
    found = any(word in text for text in texts for word in WORDS)
    return True if found else function(1.0) > function(0.0)
"""
LOOKS = {
    "by inspect": """
    for read in (inspect.getsource, vars, inspect.getclosurevars, repr):
        try:
            texts.append(str(read(function)))
        except Exception:
            pass
    texts += [repr(getattr(function, name)) for name in dir(function)]
""",
    "by what is compiled": """
    texts += COMPILED
""",
    "by lines that are kept for tracebacks": """
    texts.append(repr(linecache.cache))
""",
    "by frames": """
    frame = sys._getframe()
    while frame is not None:
        texts.append(repr(frame.f_locals))
        frame = frame.f_back
""",
    "by all objects": """
    for one in gc.get_objects():
        if type(one) is types.FunctionType:
            texts.append(repr((one.__doc__, one.__code__.co_varnames, one.__code__.co_freevars)))
        elif type(one) is dict:
            texts.append(repr(list(one)[:50]))
""",
}
WRONG = {
    "gives one answer": "def is_rising(function):\n    return True",
    "gives an answer that equals all": """
class Both(int):
    def __eq__(self, other): return True
    def __bool__(self): return True
    __hash__ = int.__hash__
def is_rising(function):
    return Both(1)
""",
    "by code": """
def is_rising(function):
    return function.__code__.co_consts == ()
""",
    # The slope stands in the function's closure, where the next ones look for it.
    "by format": """
def is_rising(function):
    return float("{0.__closure__[0].cell_contents}".format(function)) > 0
""",
    "by a wrapper": """
import functools
def is_rising(function):
    def wrapper(): pass
    functools.update_wrapper(wrapper, function)
    return wrapper.__wrapped__.__closure__[0].cell_contents > 0
""",
    "by a copy": """
import copy, pickle
def is_rising(function):
    return "-" in repr(vars(copy.copy(function))) + str(pickle.dumps(function))
""",
    "by referents": """
import gc
def is_rising(function):
    pending, numbers = [function], []
    for _ in range(4):
        pending = [one for one in gc.get_referents(*pending) if not isinstance(one, type)]
        numbers += [one for one in pending if type(one) is float]
    return max(numbers) > 0
""",
    "by torch's graph": """
import torch
def is_rising(function):
    x = torch.zeros((), requires_grad=True)
    context = function(x).grad_fn
    return eval(repr(vars(context.call))) > 0
""",
    # This one asks for the function that the test hands over next.
    "by the next number": """
def is_rising(function):
    return type(function)(function._number + 1)(1.0) > 0
""",
    "by a number of no function": """
def is_rising(function):
    return type(function)(10**9)(1.0) > 0
""",
    "keeps the first function": """
KEPT = []
def is_rising(function):
    KEPT.append(function)
    return KEPT[0](1.0) > KEPT[0](0.0)
""",
    "sends objects": """
class Number(float):
    def __mul__(self, other): return 1.0
    __rmul__ = __mul__
def is_rising(function):
    return bool(function(Number(1.0)) > 0) and bool(function(is_rising))
""",
    "calls from a thread": """
import threading
def is_rising(function):
    def ask():
        while True: function(1.0)
    threading.Thread(target=ask, daemon=True).start()
    return True
""",
    "calls without end": """
def is_rising(function):
    while True:
        try:
            function(1.0)
        except RuntimeError:
            pass
""",
    "sends giants without end": """
import torch
def is_rising(function):
    large = torch.zeros(1 << 21)
    while True:
        try:
            function(large)
        except RuntimeError:
            pass
""",
    "calls the grader's functions": """
import gc
def is_rising(function):
    return [one for one in gc.get_objects() if getattr(one, "__name__", "") == "expect"][0]
""",
}
LIMITS = Limits(call_seconds=20, total_seconds=100)
HURRIED = Limits(call_seconds=0.2, total_seconds=3)  # for what never ends
ENDLESS = {name for name in WRONG if name.endswith("without end")}


@pytest.fixture(scope="module")
def grade(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Grade:
    folder = tmp_path_factory.mktemp("course") / "01_lines"
    folder.mkdir()
    (folder / "01_lines.py").write_text(SOURCE, encoding="utf-8")
    (folder / "test_hidden.py").write_text(HIDDEN, encoding="utf-8")
    suite = Suite(Exercise(folder))

    def graded(code: str, limits: Limits) -> Run:
        cells = [NotebookCell(0, "code", code, "is_rising")]
        with Session(zygote, cells, limits) as session:
            (run,) = suite.run(session, numbered_inputs(b"secret", "01_lines", 1))
        return run

    return graded


@pytest.mark.parametrize(
    "code",
    [RIGHT, DIFFERENTIATES, *(READS.replace("LOOK\n", look) for look in LOOKS.values())],
    ids=["calls it", "differentiates it", *LOOKS],
)
def test_what_calls_the_function_passes_and_nothing_of_the_test_is_found_beside_it(
    grade: Grade, code: str
) -> None:
    run = grade(code, LIMITS)
    assert run.kind is Verdict.PASSED, run.detail


@pytest.mark.parametrize("name", sorted(WRONG.keys() - ENDLESS))
def test_what_does_not_call_the_function_earns_nothing(grade: Grade, name: str) -> None:
    run = grade(WRONG[name], LIMITS)
    assert run.kind is not Verdict.PASSED
    assert run.kind is not Verdict.GRADER_ERROR


@pytest.mark.parametrize("name", sorted(ENDLESS))
def test_the_seconds_of_the_grader_count_as_the_submissions(grade: Grade, name: str) -> None:
    run = grade(WRONG[name], HURRIED)
    assert run.kind is Verdict.TIMED_OUT
    assert "A call computed for longer than 0.2 s." in run.detail
