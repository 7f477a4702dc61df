"""Files that are no notebooks, or odd ones: a clear word on each, in no time, and the next one is graded."""

import ast
import json
import os
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import autograder
from autograder.grading.grader import Grader
from autograder.report.report import Status
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import read_notebook
from autograder.tests.classroom import SECRET, Notebook, open_course, small, solved
from autograder.tests.hostile.attacks import LIMITS, RIGHT

GIGABYTE = 1 << 30


@pytest.fixture(scope="module")
def grader(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Grader:
    course = open_course(tmp_path_factory.mktemp("desk") / "course")
    return Grader(small(course), {}, LIMITS, zygote, SECRET)


@pytest.fixture
def right(grader: Grader) -> Notebook:
    """Return a notebook that scores in full."""
    return solved(grader.exercise, **RIGHT)


def hundreds_of_megabytes(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [], "x": "')
        file.truncate(GIGABYTE)


NO_NOTEBOOK: dict[str, Callable[[Path], object]] = {
    "hundreds of megabytes": hundreds_of_megabytes,
    "lists 100,000 deep": lambda path: path.write_bytes(b"[" * 100_000 + b"]" * 100_000),
    "objects 100,000 deep": lambda path: path.write_bytes(b'{"nbformat": 4, "x": ' + b'{"a":' * 100_000),
    "not a number": lambda path: path.write_bytes(b'{"nbformat": NaN, "cells": [], "metadata": {}}'),
    "5,000 digits": lambda path: path.write_bytes(b'{"nbformat": ' + b"4" * 5000 + b"}"),
    "version 3": lambda path: path.write_bytes(b'{"nbformat": 3, "worksheets": 7}'),
    "cells that are no list": lambda path: path.write_bytes(b'{"nbformat": 4, "cells": {"0": {}}}'),
    "zero bytes": lambda path: path.touch(),
    "a picture": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
    "a program": lambda path: path.write_bytes(b"print('score: 5')"),
    "a folder": lambda path: path.mkdir(),
    "a pipe": lambda path: os.mkfifo(path),
    "a link to a right answer": lambda path: path.symlink_to(path.with_name("right.ipynb")),
    "a link to an endless file": lambda path: path.symlink_to("/dev/zero"),
    "nothing": lambda path: None,
}


@pytest.mark.parametrize("kind", NO_NOTEBOOK)
def test_a_file_that_is_no_notebook_gets_a_report_and_the_next_is_graded(
    kind: str, grader: Grader, right: Notebook, tmp_path: Path
) -> None:
    (tmp_path / "right.ipynb").write_text(json.dumps(right), encoding="utf-8")
    NO_NOTEBOOK[kind](tmp_path / "01_small.ipynb")
    memory, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    report = grader.grade(read_notebook(tmp_path / "01_small.ipynb")).report
    assert time.process_time() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 64 << 10  # kilobytes
    assert (report.status, report.score) == (Status.UNREADABLE, 0)
    assert report.message
    assert report.message.isprintable()
    assert str(tmp_path) not in report.message
    assert grader.grade(read_notebook(tmp_path / "right.ipynb")).report.score == 5


def odd(right: Notebook) -> Iterator[tuple[str, bytes]]:
    """Yield right answers in files that are odd and yet notebooks."""
    text = json.dumps(right)
    yield "a byte order mark", b"\xef\xbb\xbf" + text.encode()
    yield "a key twice, the first one empty", ('{"cells": [], ' + text[1:]).encode()
    yield "a lone surrogate", json.dumps({**right, "metadata": {"title": "\ud800"}}).encode()
    yield "a long number", (text[:-1] + ', "x": ' + "9" * 4000 + "}").encode()
    yield "no numbers", (text[:-1] + ', "x": [NaN, Infinity, -Infinity, 1e999, -0.0]}').encode()
    yield "numbers without an end", (text[:-1] + ', "x": [' + "7," * 3_000_000 + "0]}").encode()
    yield "19 megabytes of outputs", json.dumps({**right, "x": "x" * (19 << 20)}).encode()


def test_an_odd_file_that_is_a_notebook_is_graded_as_one(
    grader: Grader, right: Notebook, tmp_path: Path
) -> None:
    path = tmp_path / "01_small.ipynb"
    for kind, content in odd(right):
        path.write_bytes(content)
        assert grader.grade(read_notebook(path)).report.score == 5, kind


def test_nothing_of_ours_extracts_an_archive() -> None:
    engine = Path(autograder.__file__).parent
    for path in engine.glob("**/*.py"):
        text = path.read_text(encoding="utf-8")
        if "tests" in path.relative_to(engine).parts or ("extract" not in text and "unpack" not in text):
            continue
        used = {ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
        assert "shutil.unpack_archive" not in used, path
        assert not any(name.endswith((".extract", ".extractall")) for name in used), path
