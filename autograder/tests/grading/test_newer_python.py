"""What only a newer Python can run goes to an instructor, and whatever else failed stays as it is."""

import json
from typing import Any

import pytest

from autograder.course.course import Course
from autograder.course.settings import Limits, Repairs, RepairsShown
from autograder.grading.grader import Grader
from autograder.grading.newer_python import OURS
from autograder.report.report import QuestionReport, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook
from autograder.tests.classroom import SECRET, cell_of, copy_small_course, small, solved

THEIRS = f"{OURS[0]}.{OURS[1] + 1}"
SAID = (
    f"This notebook was written with Python {THEIRS}. The grader runs Python {OURS[0]}.{OURS[1]}, in which "
)
ASKED = ". An instructor will look at this answer before it gets points."
TWICE = "def double(x):\n    {}\n    return x + x"


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Grader:
    course: Course = copy_small_course(tmp_path_factory.mktemp("newer") / "course")
    limits, repairs = Limits(cell_seconds=2, call_seconds=2, memory_mb=512), Repairs(RepairsShown.OFF)
    return Grader(small(course), {}, limits, zygote, SECRET, repairs=repairs)


def graded(grader: Grader, version: str, double: str, first: str = "") -> dict[str, QuestionReport]:
    """Return the reports on a notebook of this version, with a cell above all others."""
    made: dict[str, Any] = solved(grader.exercise, double=double)
    made["metadata"]["language_info"]["version"] = version
    made["cells"].insert(0, {**cell_of(made, "double"), "source": first, "metadata": {}, "id": "first"})
    report = grader.grade(Notebook(json.dumps(made).encode())).report
    return {question.name: question for question in report.questions}


# Code that no Python here can run stands for that of a later one.
HELD = {
    "a syntax of the answer": ("", TWICE.format("f'{x!later}'"), "code cell 3 is not valid"),
    "a syntax of what it uses": (
        "later type Twice = int\ndef twice(x): return x + x",
        "def double(x):\n    return twice(x)",
        "code cell 1 is not valid",
    ),
    "an imported name": (
        "from itertools import later as one", TWICE.format("one(x, 2)"), "`itertools.later` is missing",
    ),
    "a name of a module": ("import math as m", TWICE.format("m.later(1)"), "`math.later` is missing"),
    "a name inside": (
        TWICE.format("import copy; copy.later(x)"), "double = double", "`copy.later` is missing",
    ),
    "a method": (
        "from pathlib import Path", TWICE.format("Path.later('.')"), "`pathlib.Path.later` is missing",
    ),
    "a star import": ("from math import *", TWICE.format("later(1)"), "`math.later` is missing"),
    "a decorator": (
        "import typing", "@typing.later\ndef double(x):\n    return x + x", "`typing.later` is missing",
    ),
    "a package": (
        "import concurrent.later as c", TWICE.format("c.Pool()"), "`concurrent.later` is missing",
    ),
    "a new package": (
        "from annotationlib import Format",
        TWICE.format("Format.STRING"),
        "`annotationlib.Format` is missing",
    ),
}  # fmt: skip
STUB = "def double(x):\n    raise NotImplementedError()"
LONG = f"import math\nn = {'math.' * 90}pi"
NOT_HELD = {
    "a wrong answer": ("from math import later", "def double(x):\n    return x", Verdict.FAILED),
    "a wrong name": ("import math", TWICE.format("lenght(x)"), Verdict.CRASHED),
    "another package": ("import einops_later", TWICE.format("einops_later.x"), Verdict.CRASHED),
    "an error": ("import math, os.path", TWICE.format("math.sqrt(-1), os.path.join"), Verdict.CRASHED),
    "a stub": ("def twice(x) return", STUB, Verdict.NOT_ATTEMPTED),
    "a right answer": ("later type X = int", TWICE.format("pass"), Verdict.PASSED),
    "long names": (LONG, TWICE.format(f"y = x{'.T()' * 400}"), Verdict.CRASHED),
}


@pytest.mark.parametrize("case", HELD)
def test_an_answer_that_needs_a_newer_python_waits_for_an_instructor(grader: Grader, case: str) -> None:
    first, double, why = HELD[case]
    reports = graded(grader, f"{THEIRS}.2", double, first)
    question = reports["double"]
    assert (question.verdict, question.score) == (Verdict.REVIEW, 0.0)
    assert question.hint == f"{SAID}{why}{ASKED}"
    assert reports["row_sums"].verdict is Verdict.PASSED


@pytest.mark.parametrize("case", NOT_HELD)
def test_what_another_python_cannot_help_is_graded_as_ever(grader: Grader, case: str) -> None:
    first, double, verdict = NOT_HELD[case]
    assert graded(grader, THEIRS, double, first)["double"].verdict is verdict


@pytest.mark.parametrize("version", [f"{OURS[0]}.{OURS[1]}.99", "3.9.1", "", "x"])
def test_a_notebook_of_our_python_or_an_older_one_fails_as_ever(grader: Grader, version: str) -> None:
    first, double, _ = HELD["an imported name"]
    assert graded(grader, version, double, first)["double"].verdict is Verdict.CRASHED
