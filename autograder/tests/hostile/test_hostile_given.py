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

Grade = Callable[[str], Run]
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
    for place in torch.randperm(8).tolist():
        slope = draw(1, 9) * (-1) ** place
        seen = student.is_rising(student.given(rising_or_falling, slope, torch.ones(2)))
        expect(isinstance(seen, bool) and seen is (slope > 0), f"{slope}: {seen}")
'''
RIGHT = "def is_rising(function):\n    return function(1.0) > function(0.0)"
ALWAYS = "def is_rising(function):\n    return True"
EQUAL = """
class Both(int):
    def __eq__(self, other): return True
    def __bool__(self): return True
    __hash__ = int.__hash__
def is_rising(function):
    return Both(1)
"""
BY_CODE = """
KNOWN = {}
def is_rising(function):
    code = function.__code__
    return KNOWN.setdefault((code.co_code, code.co_consts, code.co_names), True)
"""
# The next function that it is given is one of its own; the answers must be right all the same.
REPLACES = """
import marshal
def is_rising(function):
    return function(1.0) > function(0.0)
marshal.loads = lambda code: compile("def given(*_): return lambda x: x", "", "exec")
"""
CALLS_BACK = """
import gc
def is_rising(function):
    return [one for one in gc.get_objects() if getattr(one, "__name__", "") == "expect"][0]
"""
# It says True where it finds a word of the test that must not have crossed, and where the line rises.
READS = """
import gc, inspect, sys, types
PARTS = ("secret", "_slope"), ("hidden", "_total"), ("its", " author"), ("rising_or", "_falling")
WORDS = [one + other for one, other in PARTS]
def is_rising(function):
    texts = []
    for read in (inspect.getsource, vars, inspect.getclosurevars, repr):
        try:
            texts.append(str(read(function)))
        except Exception:
            pass
    code = function.__code__
    texts += [repr((code.co_consts, code.co_names, code.co_varnames, code.co_freevars, code.co_filename))]
    frame = sys._getframe()
    while frame is not None:
        texts.append(repr(frame.f_locals))
        frame = frame.f_back
    for one in gc.get_objects():
        if type(one) is types.FunctionType:
            texts.append(repr((one.__doc__, one.__code__.co_varnames, one.__code__.co_freevars)))
        elif type(one) is dict:
            texts.append(repr(list(one)[:50]))
    found = any(word in text for text in texts for word in WORDS)
    return True if found else function(1.0) > function(0.0)
"""


@pytest.fixture(scope="module")
def grade(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Grade:
    folder = tmp_path_factory.mktemp("course") / "01_lines"
    folder.mkdir()
    (folder / "01_lines.py").write_text(SOURCE, encoding="utf-8")
    (folder / "test_hidden.py").write_text(HIDDEN, encoding="utf-8")
    suite = Suite(Exercise(folder))

    def graded(code: str) -> Run:
        cells = [NotebookCell(0, "code", code, "is_rising")]
        with Session(zygote, cells, Limits()) as session:
            (run,) = suite.run(session, numbered_inputs(b"secret", "01_lines", 1))
        return run

    return graded


@pytest.mark.parametrize("code", [RIGHT, READS], ids=["calls it", "looks for names, docstrings and source"])
def test_what_calls_the_function_passes_and_nothing_of_the_test_is_found_beside_it(
    grade: Grade, code: str
) -> None:
    run = grade(code)
    assert run.kind is Verdict.PASSED, run.detail


@pytest.mark.parametrize("code", [ALWAYS, EQUAL, BY_CODE, REPLACES, CALLS_BACK])
def test_what_does_not_call_the_function_earns_nothing(grade: Grade, code: str) -> None:
    run = grade(code)
    assert run.kind is not Verdict.PASSED
    assert run.kind is not Verdict.GRADER_ERROR
