"""Checks the notebook in this folder from a fresh start: save it, then run `pytest` here.

Your cells run once, from top to bottom; a cell that fails does not stop the others. Then the check of each
question runs as it was released, even if you have edited it. As in grading, the current folder contains only
the exercise's files.

    pytest                   all questions            pytest -k softmax        one question
    pytest notebook.ipynb    another notebook         pytest --hint softmax    a hint, plainer each time

Ctrl-C ends the running cell or check. exercise.json has the questions, checks and files of the exercise.
"""

from __future__ import annotations

import _thread
import ast
import builtins
import codeop
import contextlib
import io
import json
import linecache
import os
import re
import shutil
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Generator, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

HERE = Path(__file__).absolute().parent
EXERCISE = json.loads((HERE / "exercise.json").read_text(encoding="utf-8"))
NAME, QUESTIONS = EXERCISE["name"], EXERCISE["questions"]
GIVEN: dict[str, Any] = {}  # the names that the notebook's given cell defines, for checks and hints
exec(compile(EXERCISE["given"], "the given cell", "exec"), GIVEN)
MAX_SECONDS = 60  # seconds for one cell or one check; grading allows less
MAX_PRINTED = 20_000  # characters of the output of cells
NOTES: dict[str, None] = {}  # lines to print at the end
TESTS = sys.modules[__name__]


@pytest.fixture(scope="module")
def notebook(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Notebook:
    return Notebook(request.path, tmp_path_factory.mktemp("as_in_grading"))


@pytest.mark.parametrize("question", QUESTIONS)
def test(question: str, notebook: Notebook, pytestconfig: pytest.Config) -> None:
    """Run the check of a question; if it fails, show its message, and a hint if you asked for one."""
    asked = pytestconfig.getoption("--hint")
    if failure := notebook.failure(question):
        if asked:
            print_hint(question, getattr(pytestconfig, "cache", None))
        pytest.fail(printable(failure), pytrace=False)
    elif asked:
        notebook.note(f"passes the check of {question}, so there is no hint")


def print_hint(question: str, cache: pytest.Cache | None) -> None:
    """Print a hint that was not printed before. Pytest shows it below the message of the check."""
    key, given = f"given_hints/{NAME}/{question}", GIVEN["_GIVEN"].setdefault(question, {})
    given.update(dict.fromkeys(cache.get(key, []) if cache else []))
    GIVEN["hint"](question)
    if cache:
        cache.set(key, list(given))


class Cell:
    """A code cell. Tracebacks show its label. `checks` is the question that the cell checks, or ""."""

    def __init__(self, number: int, code: str, name: str = "") -> None:
        self.code, self.name = code, name
        first = re.match(r"""@check\(["'](\w+)["']\)|# Check of (\w+)|$""", code)
        by_text = (first[1] or first[2] or "") if first else ""
        self.checks = name.removeprefix("check-") if name.startswith("check-") else by_text
        question = next((f" ({name})" for name in QUESTIONS if makes(code, name)), "")
        self.label, self.is_answer = f"code cell {number}{question}", bool(question)
        self.error: BaseException | None = None
        remember(self.label, code)


def remember(label: str, code: str) -> None:
    """Store the lines of some code for tracebacks."""
    linecache.cache[label] = len(code), None, code.splitlines(keepends=True), label


def makes(code: str, name: str) -> bool:
    """Whether code seems to define, import or assign `name`."""
    defined, imported = rf"(async +)?(def|class) +{name}\b", rf"(from|import) .*\b{name}\b"
    return bool(re.search(rf"(?m)^({defined}|{imported}|(\w+ *, *)*{name}\b[^=(\n]*=(?!=))", code))


def read_cells(path: Path) -> list[Cell]:
    """Return a notebook's code cells, except demo cells, which only draw figures."""
    try:
        saved = json.loads(path.read_text(encoding="utf-8-sig"))["cells"]
        texts = [(cell, "".join(cell.get("source") or "")) for cell in saved]
        codes = [(cell, text) for cell, text in texts if type_in_grading(path, cell, texts) == "code"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = (
            f"{path.name} cannot be read as a notebook of the current format; save it from Jupyter: {error!r}"
        )
        raise pytest.Collector.CollectError(printable(why)) from None
    return [
        Cell(number, code, cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") or "")
        for number, (cell, code) in enumerate(codes, 1)
        if "demo" not in cell.get("metadata", {}).get("tags", ())
    ]


def type_in_grading(path: Path, cell: dict[str, Any], texts: list[tuple[dict[str, Any], str]]) -> str:
    """Return the type, code or markdown, that a cell has in grading.

    If the type was changed, return the released type, unless a code cell defines the question's name.
    """
    about, now = cell["metadata"].get("nbgrader", {}), str(cell["cell_type"])
    name, released = about.get("grade_id"), str(about.get("cell_type", now))
    if released == now or any(other["cell_type"] == "code" and makes(text, name) for other, text in texts):
        return now
    key = "Y" if released == "code" else "M"
    NOTES[
        f"{path.name} has the answer or check {name} in a {now} cell. It was a {released} cell, so grading "
        f"and these checks read it as {released}. To change it back, select it in Jupyter and press {key}."
    ] = None
    return released


def plain(code: str) -> str:
    """Return a cell as plain Python. Magics and shell lines become `pass`; a %%bash cell becomes empty."""
    with contextlib.suppress(SyntaxError):
        ast.parse(code)
        return code
    if code.startswith("%%") and not re.match(r"%%(time|capture)\b", code):
        return ""
    return re.sub(r"(?m)^([ \t]*)(([\w, ]+=)?[ \t]*[%!?].*|[\w.]+\?+[ \t]*$)", r"\1pass", code)


def printable(text: str) -> str:
    """Return a text in which escape sequences are visible, so that they cannot control your terminal."""
    return "".join(c if c in "\n\t" or c.isprintable() else ascii(c)[1:-1] for c in text)


class Printed(io.StringIO):
    """Stores only the beginning of the output of cells, because a loop may print for ever."""

    def write(self, text: str) -> int:
        return len(text) if self.tell() > MAX_PRINTED else super().write(text)


@contextlib.contextmanager
def as_in_grading(folder: Path) -> Iterator[Printed]:
    """Run the `with` block in `folder`, and yield the output of the block. input() raises EOFError."""
    printed = Printed()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.chdir(folder)
        patch.setattr(sys, "stdin", io.StringIO())
        folders = [entry for entry in sys.path if entry not in (str(HERE), "", ".")]
        patch.setattr(sys, "path", [*folders, str(folder)])  # for modules that %%writefile cells wrote
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            yield printed


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Raise RuntimeError in the `with` block at Ctrl-C or after MAX_SECONDS.

    If code in the block catches the error and goes on, a further Ctrl-C ends pytest.
    """

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        raise RuntimeError(f"stopped by Ctrl-C, or after {MAX_SECONDS} s. Is there a loop that never ends?")

    before = signal.signal(signal.SIGINT, stop)
    timer = threading.Timer(MAX_SECONDS, _thread.interrupt_main)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


class Notebook:
    """A notebook after its cells have run, with its variables."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.folder, self.cells = path, folder, read_cells(path)
        self.variables: dict[str, Any] = {"__name__": "__main__", "display": print}
        self.compile = codeop.Compile()  # a Compile object remembers imports from __future__
        self.states: dict[str, dict[str, Any]] = {}  # the variables for the check of each question
        self.checked: set[str] = set()  # questions whose check cell comes below their answer
        for name in EXERCISE.get("files", ()):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(OSError):  # you may have deleted the file; grading has its own copy
                shutil.copy(HERE / name, folder / name)
        with as_in_grading(folder):
            for cell in self.cells:
                try:
                    with limited():
                        self.run(cell)
                except (Exception, SystemExit) as error:
                    cell.error = error
                self.save_state(cell)
        self.end = dict(self.variables)
        for cell in self.cells:
            if cell.error and not cell.is_answer:
                self.note(f"does not run from top to bottom. {self.described(cell.error)}")

    def note(self, text: str) -> None:
        """Print a note at the end."""
        NOTES[f"{self.path.name} {text}"] = None

    def save_state(self, cell: Cell) -> None:
        """After the answer and the check of a question, save variables with which the check runs again."""
        for name in QUESTIONS:
            is_check = cell.checks == name and name in self.states and name not in self.checked
            answers = (other for other in self.cells if other.name == name and makes(other.code, name))
            is_answer = not cell.checks and cell is next(answers, cell) and makes(cell.code, name)
            if is_check or (is_answer and name not in self.checked):
                self.states[name] = dict(self.variables)
            if is_check:
                self.checked.add(name)

    def set_variables(self, state: dict[str, Any]) -> None:
        """Set the variables to a saved state. Add later variables, except those named like a builtin."""
        later = {name: value for name, value in self.end.items() if name not in vars(builtins)}
        self.variables.clear()
        self.variables.update({**later, **state})

    def run(self, cell: Cell) -> None:
        """Run the statements of a cell. Skip a statement if a package, a file or input is missing."""
        if cell.checks:
            return
        if written := re.match(r"%%(?:write)?file +([\w.]+) *\n", cell.code):
            Path(written[1]).write_text(cell.code[written.end() :], encoding="utf-8")
            return
        for statement in ast.parse(plain(cell.code), cell.label).body:
            code = self.compile(ast.Module([statement], []), cell.label, "exec")  # type: ignore[arg-type]
            try:
                exec(code, self.variables)
            except (ImportError, OSError, EOFError) as error:  # grading also skips such a statement
                text = ast.unparse(statement).partition("\n")[0][:80]
                self.note(f"was run without `{text}`: {type(error).__name__}: {error}")

    def failure(self, question: str) -> str:
        """Return the message of a question's check, or "" if it passes.

        As in grading, the check runs with the values that variables have at the check's cell. If later cells
        change some of these values, a failed check runs again with the last values.
        """
        state = self.states.get(question, self.end)
        self.set_variables(state)
        failure = self.check(question)
        if failure and any(self.end.get(name) is not value for name, value in state.items()):
            self.set_variables(self.end)
            if not self.check(question):
                self.note(f"passes the check of {question} only after later cells have changed variables")
                return ""
        print(end=self.printed if failure else "")  # pytest shows the output below the message
        return failure

    def check(self, question: str) -> str:
        """Run the check of a question with the current variables; return its message, or "" if it passes."""
        self.printed = ""
        if question not in self.variables:
            error = next((cell.error for cell in self.cells if makes(cell.code, question)), None)
            absent = "no cell defines this name. Is it spelled as in the exercise? Was the cell deleted?"
            return f"{question}: {f'its cell does not run. {self.described(error)}' if error else absent}"
        code, label = QUESTIONS[question], f"the check of {question}"
        remember(label, code)
        run = FunctionType(compile(code, label, "exec"), {**self.variables, **GIVEN})
        try:
            with as_in_grading(self.folder) as printed, limited():
                run() if "@check(" in code else GIVEN["check"](question)(run)
        except GIVEN["CheckFailed"] as error:
            self.printed = printed.getvalue()
            return f"{error}{origin(error.__cause__)}"
        return ""

    def described(self, error: BaseException) -> str:
        """Return the message of an error in a cell, the line that raised it, and advice."""
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        if isinstance(error, SystemExit) and not isinstance(error.code, str):
            text = "this ends the program"
        cell, number = self.place(error)
        line = linecache.getline(cell.label, number).strip() if cell else ""
        place = f"\n    {cell.label}, line {number}: {line}" if cell else ""
        return f"{type(error).__name__}{': ' if text else ''}{text}{place}{origin(error)}"

    def place(self, error: BaseException) -> tuple[Cell | None, int]:
        """Return the innermost cell and line in the traceback of an error, or (None, 0)."""
        lines = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
        if isinstance(error, SyntaxError):
            lines.append((error.filename or "", error.lineno))
        cells = {cell.label: cell for cell in self.cells}
        places = [(cells[label], number or 0) for label, number in lines if label in cells]
        return places[-1] if places else (None, 0)


def origin(error: BaseException | None) -> str:
    """Return advice on the undefined name of a NameError, or "" for other errors."""
    if not isinstance(error, NameError) or isinstance(error, UnboundLocalError):
        return ""
    return f"\nDoes a cell above define `{error.name}`? Restart the kernel and run all cells."


def in_order(folder: Path) -> list[Path]:
    """Return a folder's notebooks from new to old. File names with the exercise's name come first."""
    return sorted(
        folder.glob("*.ipynb"),
        key=lambda path: (NAME in path.stem, path.stat().st_mtime, path.stem == NAME),
        reverse=True,
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    with contextlib.suppress(ValueError):  # the conftest.py of another exercise has added --hint
        parser.addoption(
            "--hint", choices=QUESTIONS, help="print a hint for a question, and a plainer hint at each call"
        )


def pytest_configure() -> None:
    os.environ.setdefault("MPLBACKEND", "agg")  # matplotlib must not open windows


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Run the tests of this file on the first notebook of `in_order`, or on the notebooks that you name."""
    if file_path.suffix != ".ipynb" or file_path.parent != HERE:
        return None
    first, *others = in_order(HERE)
    if file_path == first:
        for other in others:
            is_named = NAME in first.stem and NAME not in other.stem
            why = f"its name contains {NAME}" if is_named else "it was saved last"
            NOTES[f"{first.name} is checked, because {why}; {other.name} is not checked"] = None
    elif not parent.session.isinitpath(file_path):
        return None
    read_cells(file_path)  # raises CollectError if the file is not a notebook
    module = pytest.Module.from_parent(parent, path=file_path)
    module.obj = TESTS
    return module


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--hint`, run only the check of that question."""
    if asked := config.getoption("--hint"):
        items[:] = [item for item in items if item.name == f"test[{asked}]"]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, None]:
    report = (yield).get_result()
    report.sections = [(name, printable(text)) for name, text in report.sections]
    if (text := printable(report.longreprtext)) != report.longreprtext:
        report.longrepr = text


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the notes, then what the checks mean. If nothing was checked, say which file to save."""
    for note in NOTES:
        terminalreporter.line(f"note: {printable(note)}")
    if terminalreporter.getreports("passed") or terminalreporter.getreports("failed"):
        terminalreporter.line(
            f"{NAME}: checks find the most common mistakes; the score comes from further tests"
        )
    elif not terminalreporter.getreports("error"):
        advice = f"save the notebook, not an export of it, as {HERE / NAME}.ipynb"
        names = ", ".join(QUESTIONS)
        terminalreporter.line(f"nothing was checked: {advice}; if you named questions, use {names}")
