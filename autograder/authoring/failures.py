"""Says which hidden tests a right answer fails: on which line of the suite, and by which words."""

import ast
import traceback
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from autograder.report.text import one_line
from autograder.testing.exchange import Local, NotDefinedError
from autograder.testing.expectations import Unmet
from autograder.testing.inputs import Inputs
from autograder.testing.suite import HiddenTest, Suite, TestRun
from autograder.worker.namespace import run_code

_SHOWN = 300  # characters


def failures(
    suite: Suite, cells: tuple[str, ...], sets: Sequence[Inputs], questions: Container[str]
) -> dict[HiddenTest, str]:
    """Run the questions' tests on trusted cells with each of these sets; return what is wrong, by test."""
    namespace, chosen = run_code(cells), {test for test in suite.tests if test.question in questions}
    found: dict[HiddenTest, list[str]] = {}
    for inputs in sets:
        for run in suite.run(Local(namespace), inputs, chosen):
            if run.error is not None:
                found.setdefault(run.test, []).append(_said(suite.exercise.suite, run, run.error))
    return {test: _in_all(said, len(sets)) for test, said in found.items()}


def place(suite: Suite, titles: Iterable[str], question: str) -> str:
    """Return where the tests of a question with these titles stand in their suite."""
    named = set(titles)
    tests = [test for test in suite.of(question) if test.title in named]
    return ", ".join(f"{suite.exercise.suite}:{test.line}" for test in tests)


def _in_all(said: Sequence[str], sets: int) -> str:
    return said[0] if len(said) == sets else f"with some inputs only, {said[0]}"


def _said(path: Path, run: TestRun, error: BaseException) -> str:
    """Return the place of an error in the suite at `path`, and what it says."""
    lines = [
        line
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == str(path)
    ]
    line = lines[-1] if lines else run.test.line
    return f"{path}:{line}: {_words(path, line, error)}"


def _words(path: Path, line: int, error: BaseException) -> str:
    said = one_line(str(error).partition("\n")[0], _SHOWN)
    match error:
        case Unmet():
            return str(error)
        case NotDefinedError():
            return f"nothing is called {error.name}"
        case AssertionError():
            asserts = [
                node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Assert)
            ]
            texts = [
                ast.unparse(node) for node in asserts if node.lineno <= line <= (node.end_lineno or line)
            ]
            if texts:
                return f"{texts[-1]} does not hold{f': {said}' if said else ''}"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
