"""Checks the notebook in this folder from a fresh start: save it, then run `pytest` here.

Your cells run once, from top to bottom. Then the check of each question runs by itself. Ctrl-C ends the cell
that is running, and twice in a row all of them. `pytest --hint QUESTION` gives a hint, then a plainer one.
"""

import __future__

import _thread
import ast
import contextlib
import gc
import hashlib
import io
import json
import os
import re
import threading
import time
import traceback
import warnings
from collections import namedtuple
from functools import cached_property
from pathlib import Path

import pytest

# A question's check cell is known by its fingerprint, however a notebook was saved.
Question = namedtuple("Question", ["name", "points", "check"])

EXERCISE = "10_inference"
QUESTIONS = (
    Question("cached_attention", points=3, check="32276782c30f"),
    Question("grouped_query_attention", points=2, check="0edb8d2f0b3b"),
    Question("rotate", points=2, check="cc1ca45bc701"),
    Question("add_block", points=3, check="11ecbba57f36"),
)
# The fingerprints of the demo cells: they only draw, so they are not run.
DEMOS = (
    "5cfd547af80a",
    "7b12d3be7bcf",
    "63bb03ebacc7",
    "8dd75fed31e7",
    "5c3af24efbe4",
)
# The author's hints, from vague to plain; one with "when" is for a check that fails with these words.
HINTS = {
    "cached_attention": [
        {
            "hint": "A new token asks. Whom does it look at, and which of these were there before it came?"
        },
        {
            "when": "pair|not NoneType|NoneType",
            "hint": "There are two results, and at the beginning of a text the cache is None. What do you join then?"
        },
        {
            "when": "must hold",
            "hint": "The next call knows of the past only what you return now. Are all tokens in it, oldest first?"
        },
        {
            "when": "in pieces of|should get",
            "hint": "Draw the table of new queries and all keys on paper, and mark what is hidden. Is its triangle where yours is?"
        },
        {
            "hint": "Join old and new along the tokens. Row i of the new queries stands at place m - n + i: what comes after is hidden."
        }
    ],
    "grouped_query_attention": [
        {
            "hint": "Write down for h = 6 and g = 3 which query head looks at which head of keys and values."
        },
        {
            "when": "share the first head|find its keys",
            "hint": "Neighbours are one group. Does your function give the heads 0 0 1 1, or 0 1 0 1?"
        },
        {
            "when": "ValueError",
            "hint": "The remainder of a division says whether the heads can be shared evenly. Look at it first."
        },
        {
            "hint": "Either repeat each head of keys and values h / g times, neighbours together, or cut the query heads into g groups."
        }
    ],
    "rotate": [
        {
            "hint": "Take d = 2 first: there is one pair, and its angle is the place itself. Then add the other pairs."
        },
        {
            "when": "which way|places 0, 2 and 2",
            "hint": "Read the formula with (1, 0) at place 2: the result is (cos 2, sin 2). Is the place taken from positions?"
        },
        {
            "when": "Which features are a pair",
            "hint": "The first features of all pairs have even numbers, the second ones odd. In the result they stand in turn again."
        },
        {
            "when": "as exact as float64",
            "hint": "arange without a dtype counts in whole numbers, and divided they are float32. Say which dtype you need."
        },
        {
            "hint": "Angles are a table of (n, d / 2): places down, speeds across. Cut x by steps of 2, turn, and stack in the last dimension."
        }
    ],
    "add_block": [
        {
            "hint": "Redo the table of the example by hand, with the blocks (5) and (1, 3). What changes, and what must not?"
        },
        {
            "when": "NaN|hidden",
            "hint": "Ask for each exp what it gives when a maximum is -inf, and choose what is subtracted so that none is NaN."
        },
        {
            "when": "maximum",
            "hint": "The new maximum is the larger of the old one and the block's own, for each query by itself."
        },
        {
            "when": "denominator|output",
            "hint": "There is one factor for the old sums, exp(old maximum - new maximum). Where must it be multiplied in?"
        },
        {
            "hint": "New maximum first. Then both old sums times their factor, plus the block's terms, measured from the new maximum."
        }
    ]
}

MAX_SECONDS = 60  # for a cell; grading allows less
MAX_PRINTED = 20_000  # characters of what the cells of one question print
MEANING = "these checks see the commonest slips; the score comes from further tests"
HERE = Path(__file__).parent


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

    def local_advice(self, name, number):
        """Say what to do about a name that only another function of the cell knows, or "" where none does."""
        if re.search(rf"\bself\.{re.escape(name)}\b", self.code):
            return f"Your class keeps it as `self.{name}`; read it so."
        for function in ast.walk(ast.parse(plain(self.code))):
            if isinstance(function, ast.FunctionDef) and not function.lineno <= number <= function.end_lineno:
                known = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
                stored = (node for node in ast.walk(function) if isinstance(node, ast.Name))
                known |= {node.id for node in stored if isinstance(node.ctx, ast.Store)}
                if name in known and "self" in known:
                    keep = f"Keep it there, `self.{name} = {name}`, and read `self.{name}`."
                    return f"Only `{function.name}` knows `{name}`. {keep}"
                if name in known:
                    return f"Only `{function.name}` knows `{name}`. Pass it on as an argument, or return it."
        return ""

    def claim(self, number):
        """Return the assert around a line, without its message; where there is none, the line itself."""
        code = plain(self.code)
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Assert) and node.lineno <= number <= node.end_lineno:
                return "assert " + " ".join(ast.get_source_segment(code, node.test).split())
        return self.line(number)

    def run(self, variables, left_out):
        """Run the cell with the notebook's variables; return the error that it raises, or None.

        A line that fails for a package or file that is not there is left out, as in grading: `left_out` then
        has the line by each name that it should have made.
        """
        with warnings.catch_warnings(), Watch() as watch:
            warnings.simplefilter("ignore")
            try:
                for statement, code in self._compiled():
                    try:
                        exec(code, variables)  # noqa: S102 - your own code
                    except (ImportError, NameError, OSError) as error:
                        if not self._is_left_out(statement, error, left_out):
                            raise
            except KeyboardInterrupt as error:
                return watch.stopped(error)
            except (Exception, SystemExit) as error:
                return error
        return None

    def _compiled(self):
        """Yield the cell's statements one by one, each with its code."""
        tree = compile(plain(self.code), self.file, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        futures = (
            node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        )
        flags = 0
        for name in (alias.name for node in futures for alias in node.names):
            flags |= getattr(__future__, name).compiler_flag
        for statement in tree.body:
            module = ast.Module([statement], [])
            yield statement, compile(module, self.file, "exec", flags, dont_inherit=True)

    def _is_left_out(self, statement, error, left_out):
        """Whether the cell can run on without a statement, which is then noted in `left_out`."""
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return False
        if isinstance(error, NameError) and unknown_name(error) not in left_out:
            return False
        aliases = [alias.asname or alias.name.split(".")[0] for alias in getattr(statement, "names", ())]
        stored = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
        line = f"`{self.line(statement.lineno)}` ({self.label}, line {statement.lineno})"
        left_out.update(dict.fromkeys(aliases or stored, line))
        return True


class Watch:
    """Ends a cell that runs for too long, and makes Ctrl-C end that cell alone."""

    last_stop = 0.0

    def __enter__(self):
        self._done, self._late = threading.Event(), False
        threading.Thread(target=self._wait, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._done.set()

    def _wait(self):
        while not self._done.wait(MAX_SECONDS):  # more than once, since a bare `except` may catch it
            self._late = True
            _thread.interrupt_main()

    def stopped(self, error):
        """Return the error of a cell that was stopped; a second Ctrl-C in a row ends everything."""
        if not self._late and time.monotonic() - Watch.last_stop < 2:
            raise error
        Watch.last_stop = time.monotonic()
        why = f"ran longer than {MAX_SECONDS} s" if self._late else "still ran when you pressed Ctrl-C"
        return TimeoutError(f"{why}. Can its loop end?").with_traceback(error.__traceback__)


class Printed(io.StringIO):
    """What cells print, as far as anybody would read it; a loop may print for ever."""

    def write(self, text):
        """Keep the beginning."""
        room = max(0, MAX_PRINTED - self.tell())
        super().write(text[:room])
        return len(text)


class Notebook:
    """The notebook: runs its cells once, then the check of each question, and says why one does not pass."""

    def __init__(self, path):
        self.path = path
        self.errors = {}  # what each failing cell raised
        self.left_out = {}  # the lines without which cells were run, by the names that they should have made
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
        with contextlib.redirect_stdout(Printed()), contextlib.redirect_stderr(Printed()):
            for cell in self.cells:
                if cell.is_yours and (error := cell.run(variables, self.left_out)):
                    self.errors[cell] = error
                    if cell.label == f"code cell {cell.number}":
                        self.notes.append(f"does not run from top to bottom. {self._described(error)}")
        self.notes += [f"runs without {line}" for line in dict.fromkeys(self.left_out.values())]
        return variables

    def ask(self, question):
        """Run the check of `question`; raise UnsolvedError where it does not pass."""
        check = self._check(question)
        if question.name not in self.variables:
            raise UnsolvedError(self._absence(question.name))
        self._note_twins(question.name)
        with contextlib.redirect_stdout(Printed()) as printed:
            error = check.run(dict(self.variables), {})
        print(printed.getvalue(), end="")  # noqa: T201 - pytest shows it where the question does not pass
        if error:
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
        for cell in self.cells:
            magic = re.match(r"%%\w+", cell.code)
            if magic and cell.makes(name):
                return f"{name}: below {magic[0]} its cell defines nothing for others. Delete that line."
        return f"{name}: no cell defines it. Is it spelt as in the exercise, and is its cell still there?"

    def _failure(self, name, error):
        """Say why the check of `name` does not pass."""
        cell, number = self._place(error)
        line = cell.line(number) if cell else ""
        if line == "raise NotImplementedError()":
            return f"{name}: not filled in yet"
        if isinstance(error, AssertionError) and cell and cell.checks:
            claim = cell.claim(number)
            message = str(error) or "This must hold:"
            if "\n" in message:  # pytest's summary shows the first line alone
                values = re.search(r"\b(allclose|equal|assert_close)\(", claim)
                message = f"{name}: {'other values than expected' if values else 'this must hold'}\n{message}"
            return f"{message}\n    {claim}"
        nudge = f"\nDoes {name} return its result?" if "'NoneType' object" in str(error) else ""
        return f"{name}: {self._described(error)}{nudge}"

    def _described(self, error):
        """Return what an error says, the line that raised it and, for an unknown name, where to look."""
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        cell, number = self._place(error)
        place = f"\n    {cell.label}, line {number}: {cell.line(number)}" if cell else ""
        lost = (
            f"\n{self._lost(unknown_name(error), cell, number)}" if type(error) is NameError and cell else ""
        )
        return f"{type(error).__name__}{': ' if text else ''}{text}{place}{lost}"

    def _lost(self, name, user, number):
        """Say why `name` is unknown when the cell `user` runs this line."""
        if name in self.left_out:
            return f"`{name}` should come from {self.left_out[name]}, which does not work here."
        if advice := user.local_advice(name, number):
            return advice
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
    if code.startswith("%%") and not re.match(r"%%(time|capture)\b", code):
        return ""
    return re.sub(r"(?m)^([ \t]*)(([\w, ]+=)?[ \t]*[%!?].*|[\w.]+\?+[ \t]*$)", r"\1pass", code)


def unknown_name(error):
    """Return the name that a NameError is about; Python 3.9 tells it in the message alone."""
    return getattr(error, "name", None) or str(error).partition("'")[2].partition("'")[0]


class NotebookFile(pytest.File):
    """The notebook as pytest sees it."""

    def collect(self):
        """Return a test for each question."""
        notebook = Notebook(self.path)
        notebook.notes += [
            f"was saved last, so it is checked and {other.name} is not" for other in self.others
        ]
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

    def hint(self):
        """Return a hint that was not given yet; those for what the check has seen come first."""
        try:
            self.notebook.ask(self.question)
        except UnsolvedError as failure:
            seen = str(failure)
        else:
            return f"{self.name}: its check passes. {MEANING.capitalize()}."
        hints = HINTS.get(self.name, ())
        fitting = [hint["hint"] for hint in hints if "when" in hint and re.search(hint["when"], seen)]
        hints = fitting + [hint["hint"] for hint in hints if "when" not in hint]
        if not hints:
            return f"{self.name}: {seen}\nThere are no hints for this question."
        cache, key = self.config.cache, f"given_hints/{EXERCISE}/{self.name}"
        given = cache.get(key, [])
        number = next((number for number, hint in enumerate(hints, 1) if hint not in given), len(hints))
        cache.set(key, [*given, hints[number - 1]])
        further = f"\nA plainer one: pytest --hint {self.name}" if number < len(hints) else ""
        return f"{seen}\n\nhint {number} of {len(hints)} for {self.name}: {hints[number - 1]}{further}"

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
    """Counts the questions that pass, in all notebooks of a run, and gives hints."""

    def __init__(self):
        self.passed = []
        self.notes = []
        self.missing = []  # the notebooks that should be there

    def pytest_runtest_logreport(self, report):
        """Count a question when its check has run."""
        notes = dict(report.user_properties).get("question")
        if report.when == "call" and notes is not None:
            self.passed.append(report.passed)
            self.notes += [note for note in notes if note not in self.notes]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        """Give a hint instead of running the checks, where one is asked for."""
        asked = session.config.getoption("--hint", None)
        if not asked or session.testsfailed:
            return None
        known = {test.name: test for test in session.items if hasattr(test, "question")}
        hint = (
            known[asked].hint() if asked in known else f"no question `{asked}`; use one of {', '.join(known)}"
        )
        session.config.get_terminal_writer().line(f"\n{hint}")
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session):
        """Print the notes, the count and what it means at the end."""
        result = yield
        gc.freeze()  # torch's many objects need not be searched for garbage when pytest ends
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        if not terminal:
            return result
        for note in self.notes:
            terminal.write_line(f"note: {note}")
        total = sum(hasattr(test, "question") for test in getattr(session, "items", ()))
        if self.passed:
            unasked = total - len(self.passed)
            rest = f" ({unasked} not checked)" if unasked else ""
            terminal.write_line(f"questions passed: {sum(self.passed)} of {total}{rest}")
            terminal.write_line(MEANING)
        elif not session.testscollected and not session.testsfailed:
            for path in self.missing:
                terminal.write_line(f"no notebook here: save yours as {path} and run pytest in that folder")
        return result


def pytest_addoption(parser):
    """Add the option for hints, once for several such folders."""
    with contextlib.suppress(ValueError):
        parser.addoption("--hint", metavar="QUESTION", help="give a hint for a question, then a plainer one")


def pytest_configure(config):
    """Register one tally, even if several such folders are run together."""
    os.environ.setdefault("MPLBACKEND", "agg")  # matplotlib must open no windows
    if not config.pluginmanager.has_plugin("tally"):
        config.pluginmanager.register(Tally(), "tally")
    config.pluginmanager.get_plugin("tally").missing.append(HERE / f"{EXERCISE}.ipynb")


def pytest_collect_file(file_path, parent):
    """Collect the exercise's notebook that was saved last, or one that was asked for by name."""
    if file_path.suffix != ".ipynb":
        return None
    config = parent.config
    asked = [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
    chosen, *others = in_order(file_path.parent)
    if file_path != chosen and file_path not in asked:
        return None
    notebook = NotebookFile.from_parent(parent, path=file_path)
    notebook.others = others if file_path == chosen else []
    return notebook


def in_order(folder):
    """Return a folder's notebooks of this exercise, or all if none is of it, the one saved last first."""
    found = sorted(folder.glob("*.ipynb"), key=lambda path: (path.stat().st_mtime, path.stem == EXERCISE))
    return [path for path in found[::-1] if is_exercise(path)] or found[::-1]


def is_exercise(path):
    """Whether a notebook seems to be one of this exercise, by its name or by its checks."""
    with contextlib.suppress(UnsolvedError):
        return EXERCISE in path.stem or any(cell.checks for cell in Notebook(path).cells)
    return False
