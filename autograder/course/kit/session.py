"""Counts the questions that pass, gives hints, writes the page, and tells pytest of all this."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.course.kit.contents import MEANING
from autograder.course.kit.finding import in_order, missing
from autograder.course.kit.page import NO_JINJA, write_page
from autograder.course.kit.progress import keep, progress
from autograder.course.kit.questions import NotebookFile

HERE = Path(__file__).parent


class Tally:
    """Counts the questions that pass, in all notebooks of a run, gives hints and writes pages."""

    def __init__(self) -> None:
        self.passed: dict[str, bool] = {}  # by pytest's name of the question
        self.notes: list[str] = []
        self.missing: list[Callable[[], str]] = []  # by folder: what to do where nothing was checked

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a question when its check has run."""
        notes: Any = dict(report.user_properties).get("question")
        if report.when == "call" and notes is not None:
            self.passed[report.nodeid] = report.passed
            self.notes += [note for note in notes if note not in self.notes]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Give a hint instead of running the checks, where one is asked for."""
        asked = session.config.getoption("--hint", None)
        if not asked or session.testsfailed:
            return None
        known: dict[str, Any] = {test.name: test for test in session.items if hasattr(test, "question")}
        unknown = f"no question `{asked}`; use one of {', '.join(known)}"
        hint = known[asked].hint() if asked in known else unknown
        session.config.get_terminal_writer().line(f"\n{hint}")
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Print the notes, the count and what it means at the end."""
        result = yield
        gc.freeze()  # torch's many objects need not be searched for garbage when pytest ends
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        if terminal:
            for line in self._lines(session):
                terminal.write_line(line)
        return result

    def _lines(self, session: pytest.Session) -> Iterator[str]:
        """Yield what is said at the end."""
        yield from (f"note: {note}" for note in self.notes)
        tests = [test for test in getattr(session, "items", ()) if hasattr(test, "question")]
        if self.passed:
            unasked = len(tests) - len(self.passed)
            rest = f" ({unasked} not checked)" if unasked else ""
            yield f"questions passed: {sum(self.passed.values())} of {len(tests)}{rest}"
            yield MEANING
            yield from self._kept(session, tests)
        elif not session.testscollected and not session.testsfailed:
            yield from (advice() for advice in self.missing)

    def _kept(self, session: pytest.Session, tests: list[Any]) -> Iterator[str]:
        """Keep how each exercise stands, write its page where one is asked for, and say both."""
        line = ""
        for path in dict.fromkeys(test.path for test in tests):
            own = [test for test in tests if test.path == path]
            results = [self.passed[test.nodeid] for test in own if test.nodeid in self.passed]
            if len(results) == own[0].total and own[0].state and hasattr(session.config, "cache"):
                keep(own[0].home, own[0].state, sum(results), len(own))
            line = progress(own[0].home)
            if results and session.config.getoption("--page", False):
                yield _page([test for test in own if test.nodeid in self.passed], line)
        if line:
            yield line


def _page(tests: list[Any], line: str) -> str:
    """Write the page on one notebook; return where it is, or why there is none."""
    notebook = tests[0].notebook
    facts = {"exercise": notebook.path.stem, "notebook": notebook.path.name, "notes": notebook.notes}
    facts |= {"meaning": MEANING, "progress": line}
    try:
        path = write_page(notebook.path.parent, facts, [test.finding() for test in tests])
    except ImportError:
        return NO_JINJA
    except OSError as error:
        return f"the page could not be written: {error}"
    return f"page: {path}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, once for several such folders."""
    with contextlib.suppress(ValueError):
        parser.addoption("--hint", metavar="QUESTION", help="give a hint for a question, then a plainer one")
        parser.addoption("--page", action="store_true", help="write what the checks find as checks.html")


def pytest_configure(config: pytest.Config) -> None:
    """Register one tally, even if several such folders are run together."""
    os.environ.setdefault("MPLBACKEND", "agg")  # matplotlib must open no windows
    if not config.pluginmanager.has_plugin("tally"):
        config.pluginmanager.register(Tally(), "tally")
    tally: Any = config.pluginmanager.get_plugin("tally")
    tally.missing.append(lambda: missing(HERE))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> NotebookFile | None:
    """Collect the exercise's notebook that was saved last, or one that was asked for by name."""
    if file_path.suffix != ".ipynb":
        return None
    config = parent.config
    asked = [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
    chosen, *others = in_order(file_path.parent)
    if file_path != chosen and file_path not in asked:
        return None
    notebook: NotebookFile = NotebookFile.from_parent(parent, path=file_path)
    if file_path == chosen:
        notebook.others, notebook.stands_for_all = others, True
    return notebook
