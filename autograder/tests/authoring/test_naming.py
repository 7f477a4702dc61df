"""Answers that fail alike become a known mistake: named once, proved, and told to all of these students."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.authoring.naming import find_group, mistaken_code, write_mistake
from autograder.authoring.verify import prove
from autograder.batch.grade import grade_submissions
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.errors import UsageError
from autograder.publishing.dashboard import Group, class_statistics
from autograder.publishing.graded_work import read_graded_work
from autograder.sandbox.zygote import Zygote
from autograder.tests.classroom import hand_in, open_course, small, solved
from autograder.tests.in_process import InProcess

WRONG = '''def row_sums(x):
    """Written by {name}."""
    total = x.sum(dim=1)  # {name}'s own words
    return total * total - total.exp().log() + 3'''


def group(answer: str) -> Group:
    return Group("double-1", "01_small", "double", "", ("ann", "ben"), answer)


def run(course: Course, *arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["--course", str(course.root), *arguments], input=typed)


def test_a_group_becomes_a_name_that_is_proved_and_told_to_all(tmp_path: Path, zygote: Zygote) -> None:
    course = open_course(tmp_path / "course")
    for name in ("ann", "ben"):
        hand_in(course, name, solved(small(course), row_sums=WRONG.format(name=name)))
    grade_submissions(course, [small(course)], executor=InProcess(course, zygote))
    (found,) = class_statistics(read_graded_work(course, [small(course)])).groups
    assert (found.question, found.students) == ("row_sums", ("ann", "ben"))
    done = run(course, "dashboard")
    assert done.exit_code == 0, done.output
    page = (course.build / "dashboard.html").read_text(encoding="utf-8")
    assert "2 answers to <code>row_sums</code> fail alike (01_small)" in page
    assert f"autograder name {found.name}" in page
    done = run(
        course, "name", found.name, typed="squared_sums\nThe sums are squared.\nWhat is asked for?\ny\n"
    )
    assert done.exit_code == 0, done.output
    written = course.root / "solutions" / "01_small" / "mistakes" / "row_sums__squared_sums.py"
    text = written.read_text(encoding="utf-8")
    assert text.startswith('"""The sums are squared. What is asked for?"""\n\ndef row_sums(x):\n')
    assert "ann" not in text
    course = load_course(course.root)
    (proof,) = prove(course, [small(course)], zygote)
    assert (proof.findings, proof.mistakes) == ((), 4)
    grade_submissions(course, [small(course)], executor=InProcess(course, zygote))
    statistics = class_statistics(read_graded_work(course, [small(course)]))
    assert statistics.groups == ()
    assert [(one.name, one.students) for one in statistics.mistakes] == [
        ("row_sums__squared_sums", ("ann", "ben"))
    ]


@pytest.mark.parametrize(
    "code",
    [
        "import os", "import torch.hub", "from subprocess import run", "from torch import load", "open('x')",
        "eval('1')", "torch.load('x')", "().__class__", "__builtins__", "torch.ops.x", "from . import a",
    ],
)  # fmt: skip
def test_an_answer_that_could_do_more_than_compute_is_refused(code: str) -> None:
    with pytest.raises(match="write the mistake yourself"):
        mistaken_code(group(f"def double(x):\n    return x\n{code}\n"))


def test_an_answer_that_only_computes_loses_its_comments() -> None:
    code = (
        "import torch\nclass A(torch.nn.Module):\n    'Mine.'\n"
        "    def __init__(self):\n        super().__init__()  # I\n"
    )
    assert mistaken_code(group(code)) == (
        "import torch\n\nclass A(torch.nn.Module):\n\n    def __init__(self):\n        super().__init__()\n"
    )
    with pytest.raises(match="not valid Python"):
        mistaken_code(group("def"))


def test_what_is_there_or_is_no_name_is_refused(course: Course) -> None:
    for what in ("../x", "Upper", "squares", ""):
        with pytest.raises(UsageError):
            write_mistake(small(course), group("x = 1"), what, "Words.", "x = 1\n")
    with pytest.raises(match='"double-1" is no group'):
        find_group(course, [small(course)], "double-1")
