"""Checks the notebook in this folder from a fresh start: save it, then run `pytest` here.

Your cells run once, from top to bottom. Then the check of each question runs by itself.
"""

import ast
import contextlib
import gc
import hashlib
import io
import json
import os
import re
import traceback
import warnings
from collections import namedtuple
from functools import cached_property

import pytest

# A question's check cell is known by its fingerprint, however a notebook was saved.
Question = namedtuple("Question", ["name", "points", "check"])

EXERCISE = "06_causal_attention"
QUESTIONS = (
    Question("causal_mask", points=2, check="197aad499c10"),
    Question("masked_attention_weights", points=3, check="57411a84f397"),
    Question("MaskedSelfAttention", points=3, check="29bd1132f960"),
    Question("Head", points=4, check="6e84bf867318"),
    Question("CausalAttention", points=4, check="010bee40783a"),
)
# The fingerprints of the demo cells: they only draw, so they are not run.
DEMOS = (
    "8b12d0cab59e",
    "cb403b995e3a",
    "fe66a07ea9dd",
    "9e277a0bdcb2",
    "80099a405795",
    "390619ac9189",
    "26d4b98965c8",
)


class UnsolvedError(Exception):
    """Why a question does not pass, in words for you."""


class Cell:
    """A code cell; its `number` counts code cells from 1, and tracebacks call it `file`."""

    def __init__(self, path, number, saved):
        self.file = f"{path}, code cell {number}"
        self.number = number
        self.code = "".join(saved["source"])
        self.metadata = saved.get("metadata", {})

    @cached_property
    def fingerprint(self):
        """A short name for the code, which comments and blank lines do not change."""
        lines = (line.rstrip() for line in self.code.splitlines())
        kept = "\n".join(line for line in lines if line and not line.lstrip().startswith("#"))
        return hashlib.sha256(kept.encode("utf-8", "replace")).hexdigest()[:12]

    @cached_property
    def checks(self):
        """The question that the cell checks, or "": its first line tells, or its id, or its code."""
        heading = re.match(r"\s*# Check of (\w+)", self.code)
        grade_id = self.metadata.get("nbgrader", {}).get("grade_id")
        for name, check in ((question.name, question.check) for question in QUESTIONS):
            if (heading and heading[1] == name) or grade_id == f"check-{name}" or self.fingerprint == check:
                return name
        return ""

    @cached_property
    def is_yours(self):
        """Whether the cell is neither a check nor a demo."""
        return not (self.checks or "demo" in self.metadata.get("tags", ()) or self.fingerprint in DEMOS)

    @property
    def label(self):
        """How messages call the cell."""
        if self.checks:
            return f"the check of {self.checks}"
        owner = next((question.name for question in QUESTIONS if self.makes(question.name)), "")
        return f"the cell of {owner}" if owner else f"code cell {self.number}"

    def makes(self, name):
        """Whether the cell seems to define, assign or import `name`, judged by its text."""
        name = re.escape(name)
        defined, imported = rf"(async +)?(def|class) +{name}\b", rf"(from|import) .*\b{name}\b"
        assigned = rf"(\w+ *, *)*{name}\b[^=(\n]*=(?!=)"
        return bool(re.search(rf"(?m)^({defined}|{imported}|{assigned})", self.code))

    def line(self, number):
        """Return a line of the cell, or "" where it has no such line."""
        lines = self.code.splitlines()
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def claim(self, number):
        """Return the assert around a line, without its message; where there is none, the line itself."""
        code = plain(self.code)
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Assert) and node.lineno <= number <= node.end_lineno:
                return "assert " + " ".join(ast.get_source_segment(code, node.test).split())
        return self.line(number)

    def run(self, variables):
        """Run the cell with the notebook's variables; return the error that it raises, or None."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(plain(self.code), self.file, "exec", dont_inherit=True), variables)  # noqa: S102 - your own code
            except (Exception, SystemExit) as error:
                return error
        return None


class Notebook:
    """The notebook: runs its cells once, then the check of each question, and says why one does not pass."""

    def __init__(self, path):
        self.path = path
        self.errors = {}  # what each failing cell raised
        self.notes = []  # what you should know, even where all checks pass

    @cached_property
    def cells(self):
        """The code cells, in order."""
        try:
            cells = json.loads(self.path.read_text(encoding="utf-8-sig"))["cells"]
            codes = [cell for cell in cells if cell["cell_type"] == "code"]
            return [Cell(self.path, number, cell) for number, cell in enumerate(codes, 1)]
        except ValueError as error:
            raise UnsolvedError(f"{self.path.name} is not JSON: {error}. Save it from Jupyter.") from None
        except (KeyError, TypeError, AttributeError):
            raise UnsolvedError(f"{self.path.name} is JSON, but no notebook of today's format.") from None

    @cached_property
    def variables(self):
        """The variables after all your cells have run; a cell that fails does not stop the others."""
        variables = {"__name__": "__main__", "display": print}
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for cell in self.cells:
                if cell.is_yours and (error := cell.run(variables)):
                    self.errors[cell] = error
                    if cell.label == f"code cell {cell.number}":
                        self.notes.append(f"does not run from top to bottom. {self._described(error)}")
        return variables

    def ask(self, question):
        """Run the check of `question`; raise UnsolvedError where it does not pass."""
        check = self._check(question)
        if question.name not in self.variables:
            raise UnsolvedError(self._absence(question.name))
        self._note_twins(question.name)
        if error := check.run(dict(self.variables)):
            raise UnsolvedError(self._failure(question.name, error))

    def _check(self, question):
        """Return the check cell of `question`: the original one if it is there, else a changed one."""
        name = question.name
        found = [cell for cell in self.cells if cell.checks == name]
        if not found:
            lost = f"its check cell, which begins with `# Check of {name}`, is missing"
            raise UnsolvedError(f"{name}: {lost}. Copy it back from a fresh notebook of this exercise.")
        original = [cell for cell in found if cell.fingerprint == question.check]
        if not original:
            self.notes.append(f"has a changed check of {name}; a fresh notebook has the original")
        return (original or found)[0]

    def _note_twins(self, name):
        """Note where the cell of a question, or its check, is there more than once."""
        for label in (f"the cell of {name}", f"the check of {name}"):
            twins = " and ".join(str(cell.number) for cell in self.cells if cell.label == label)
            if "and" in twins:
                self.notes.append(f"has {label} more than once, as code cells {twins}; keep one")

    def _absence(self, name):
        """Say why nothing is called `name` after all cells have run."""
        for cell, error in self.errors.items():
            if cell.makes(name):
                return f"{name}: its cell does not run. {self._described(error)}"
        return f"{name}: no cell defines it. Is it spelt as in the exercise, and is its cell still there?"

    def _failure(self, name, error):
        """Say why the check of `name` does not pass."""
        cell, number = self._place(error)
        line = cell.line(number) if cell else ""
        if line == "raise NotImplementedError()":
            return f"{name}: not filled in yet"
        if isinstance(error, AssertionError) and cell and cell.checks:
            return f"{str(error) or 'This must hold:'}\n    {cell.claim(number)}"
        nudge = f"\nDoes {name} return its result?" if "'NoneType' object" in str(error) else ""
        return f"{name}: {self._described(error)}{nudge}"

    def _described(self, error):
        """Return what an error says, the line that raised it and, for an unknown name, where to look."""
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        cell, number = self._place(error)
        place = f"\n    {cell.label}, line {number}: {cell.line(number)}" if cell else ""
        lost = f"\n{self._lost(error.name, cell)}" if type(error) is NameError and cell else ""
        return f"{type(error).__name__}{': ' if text else ''}{text}{place}{lost}"

    def _lost(self, name, user):
        """Say why `name` is unknown when the cell `user` runs."""
        for cell in self.cells:
            if cell is not user and cell.makes(name):
                if cell in self.errors:
                    return f"`{name}` should come from {cell.label}, which fails itself."
                if not cell.is_yours:
                    return f"`{name}` is made only in {cell.label}. Did you mean one of your own variables?"
                if cell.number > user.number:
                    return f"`{name}` is used before it is made: {cell.label} stands further down."
        return f"No cell makes `{name}`. Your kernel may remember it from a cell that is gone: restart it."

    def _place(self, error):
        """Return the cell and line where an error arose: the innermost ones in its traceback."""
        cells = {cell.file: cell for cell in self.cells}
        if isinstance(error, SyntaxError) and error.filename in cells:
            return cells[error.filename], error.lineno or 0
        for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
            if frame.f_code.co_filename in cells:
                return cells[frame.f_code.co_filename], number
        return None, 0


def plain(code):
    """Return a cell as plain Python with the same lines; IPython's magics and shell lines do nothing here."""
    with contextlib.suppress(SyntaxError):
        ast.parse(code)
        return code
    if code.startswith("%%") and not re.match(r"%%(time|timeit|capture)\b", code):
        return ""
    return re.sub(r"(?m)^([ \t]*)(([\w, ]+=)?[ \t]*[%!?].*|[\w.]+\?+[ \t]*$)", r"\1pass", code)


class NotebookFile(pytest.File):
    """The notebook as pytest sees it."""

    def collect(self):
        """Return a test for each question."""
        notebook = Notebook(self.path)
        for question in QUESTIONS:
            test = QuestionTest.from_parent(self, name=question.name)
            test.question, test.notebook = question, notebook
            yield test


class QuestionTest(pytest.Item):
    """The check of one question."""

    def runtest(self):
        """Run the check."""
        try:
            self.notebook.ask(self.question)
        finally:
            notes = [f"{self.path.name} {note}" for note in self.notebook.notes]
            self.user_properties.append(("question", notes))

    def repr_failure(self, excinfo, style=None):
        """Show only why the question does not pass, without a traceback."""
        if isinstance(excinfo.value, UnsolvedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        """Return the heading of the question's report."""
        worth = f"{self.question.points:g} point{'' if self.question.points == 1 else 's'}"
        return self.path, None, f"{self.name} ({worth})"


class Tally:
    """Counts the questions that pass, in all notebooks of a run."""

    def __init__(self):
        self.passed = []
        self.notes = []

    def pytest_runtest_logreport(self, report):
        """Count a question when its check has run."""
        notes = dict(report.user_properties).get("question")
        if report.when == "call" and notes is not None:
            self.passed.append(report.passed)
            self.notes += [note for note in notes if note not in self.notes]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session):
        """Print the notes and the count at the end."""
        result = yield
        gc.freeze()  # torch's many objects need not be searched for garbage when pytest ends
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        if terminal and self.passed:
            for note in self.notes:
                terminal.write_line(f"note: {note}")
            terminal.write_line(f"questions passed: {sum(self.passed)} of {len(self.passed)}")
        return result


def pytest_configure(config):
    """Register one tally, even if several such folders are run together."""
    os.environ.setdefault("MPLBACKEND", "agg")  # matplotlib must open no windows
    if not config.pluginmanager.has_plugin("tally"):
        config.pluginmanager.register(Tally(), "tally")


def pytest_collect_file(file_path, parent):
    """Collect the exercise's notebook or, where it has another name, every notebook here."""
    proper = file_path.with_name(f"{EXERCISE}.ipynb")
    if file_path == proper or (file_path.suffix == ".ipynb" and not proper.exists()):
        return NotebookFile.from_parent(parent, path=file_path)
    return None
