"""Collects hidden tests with pytest, and runs each of them many times without pytest's reports.

With pytest's public API, each run of a test produces reports on setup, call and teardown. Formatting them
takes a hundred times as long as a hidden test. Therefore this module uses private names of pytest. It is the
only module that does so.

- `Function._initrequest` and `Session._setupstate` create a test's fixtures for each run and tear them down.
- `Function._fixtureinfo` lists the fixtures.

pyproject.toml limits pytest's version; tests/testing/test_pytest_internals.py fails if these names change.
"""

import ast
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course.names import suggestion
from autograder.course.source import SourceError, imported, parsed, read_text
from autograder.worker.namespace import silence

_UNUSED = (
    "cacheprovider", "capture", "debugging", "doctest", "faulthandler", "junitxml", "logging", "monkeypatch",
    "nose", "pastebin", "recwarn", "setuponly", "setupplan", "stepwise", "terminal", "terminalreporter",
    "threadexception", "tmpdir", "unittest", "unraisableexception", "warnings",
)  # fmt: skip


class CollectedTests:
    """The tests of one file, collected once and run any number of times.

    This class is also the pytest plugin with the fixtures `student` and `reference`.
    """

    def __init__(self, path: Path) -> None:
        _check_source(path)
        self.items: list[pytest.Function] = []
        self._given: dict[str, object] = {}
        self._problem = self._line = ""
        with silence():
            code = _collect(path, self)
        if code == pytest.ExitCode.INTERRUPTED and not self._problem:
            raise KeyboardInterrupt  # raise the user's Ctrl-C again, which pytest has caught
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) or self._problem:
            problem = self._problem or f"pytest ended with exit code {int(code)}"
            raise SourceError(f"{path}{self._line}: cannot be collected: {problem}")
        for item in self.items:
            _check_fixtures(path, item)

    def run(self, item: pytest.Function, student: object, reference: object) -> BaseException | None:
        """Run one of the `items`; return the exception that it raised, or None."""
        self._given = {"student": student, "reference": reference}
        setup = item.session._setupstate
        try:
            # Printed output and warnings could show lines of the hidden test.
            with silence(), warnings.catch_warnings(action="ignore"):
                warnings.filterwarnings("error", category=pytest.PytestReturnNotNoneWarning)
                item._initrequest()
                item.funcargs.update(self._arguments(item))
                try:
                    setup.setup(item)
                    item.runtest()
                finally:
                    setup.teardown_exact(None)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # pytest's outcomes, such as a skip, do not derive from Exception
            return error
        return None

    def _arguments(self, item: pytest.Function) -> Iterator[tuple[str, object]]:
        """Yield the test's arguments `student`, `reference` and those of `pytest.mark.parametrize`.

        Passing these arguments is faster than pytest's lookup. Pytest still looks up the other fixtures.
        """
        given = self._given | (item.callspec.params if hasattr(item, "callspec") else {})
        for name, makers in item._fixtureinfo.name2fixturedefs.items():
            if name in given and makers[-1].func.__module__ in (__name__, "_pytest.python"):
                yield name, given[name]

    @pytest.fixture
    def student(self) -> object:
        """Return the submission under test."""
        return self._given["student"]

    @pytest.fixture
    def reference(self) -> object:
        """Return the trusted solution."""
        return self._given["reference"]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Store the reason why a file cannot be collected, and its line."""
        if report.failed:
            text = str(report.longrepr).strip()
            self._problem = text.splitlines()[-1].removeprefix("E").strip()
            lines = re.findall(rf"\b{re.escape(report.nodeid)}:(\d+): in ", text)
            self._line = f":{lines[-1]}" if lines else ""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the test functions that pytest collected."""
        self.items = [item for item in session.items if isinstance(item, pytest.Function)]


def _check_source(path: Path) -> None:
    """Raise SourceError if a file is missing, is not Python, or has two tests of the same name."""
    if not path.is_file():
        raise SourceError(f"{path}: missing; write the hidden tests there")
    problems = [
        f"{path}:{node.lineno}: {node.name} replaces the test of the same name in line {first}; rename one"
        for node, first in _repeated(parsed(path, read_text(path)).body)
    ]
    if problems:
        raise SourceError("\n".join(problems))


def _repeated(body: list[ast.stmt]) -> Iterator[tuple[ast.FunctionDef | ast.ClassDef, int]]:
    """Yield each test or class whose name is already used, and the line of its first use."""
    first: dict[str, int] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.lower().startswith("test"):
            if first.setdefault(node.name, node.lineno) != node.lineno:
                yield node, first[node.name]
            if isinstance(node, ast.ClassDef):
                yield from _repeated(node.body)


def _collect(path: Path, plugin: object) -> int | pytest.ExitCode:
    """Collect a file in a separate pytest session, without plugins, settings or a conftest.

    Tests may import modules from the course's folder `solutions`.
    """
    # Unload modules of these names. Pytest would use them, even if they belong to another course.
    for module in (path, *imported(path)):
        sys.modules.pop(module.stem, None)
    arguments = [
        str(path), "--collect-only", "-c", "/dev/null", f"--rootdir={path.parent}", "--noconftest",
        "--import-mode=importlib", "--assert=plain", "--strict-markers", "--disable-plugin-autoload",
        "-o", "markers=question",
        *(word for name in _UNUSED for word in ("-p", f"no:{name}")),
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as environment:
        environment.setattr(sys, "path", [*sys.path, str(path.parents[1])])
        for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):  # the user may have set these for other tests
            environment.delenv(variable, raising=False)
        return pytest.main(arguments, [plugin])


def _check_fixtures(path: Path, item: pytest.Function) -> None:
    fixtures = {
        *item._fixtureinfo.name2fixturedefs,
        *(item.callspec.params if hasattr(item, "callspec") else ()),
    }
    for name in item.fixturenames:
        if name not in {*fixtures, "request"}:
            fix = suggestion(name, ("student", "reference", *sorted(fixtures)))
            line = (item.reportinfo()[1] or 0) + 1
            raise SourceError(
                f'{path}:{line}: {item.originalname} takes "{name}", which is not a fixture; {fix}'
            )
