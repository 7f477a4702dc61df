"""Turns an nbgrader source notebook, with solutions and tests, into an exercise."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent
from typing import Any

import nbformat

from autograder.authoring.imported_files import Files, packages
from autograder.authoring.imported_tests import (
    Names,
    calls,
    has_long_text,
    hidden_test,
    parsed,
    read_names,
)
from autograder.course.answers import ACCEPTED, MISTAKES
from autograder.course.code import bindings
from autograder.course.exercise import BUILDS_ON
from autograder.course.source import BEGIN, END, SourceError

_HIDDEN = re.compile(r"^[^\S\n]*### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS.*?$", re.DOTALL | re.MULTILINE)
_MARKER = re.compile(r"^[^\S\n]*### (?:BEGIN|END) HIDDEN TESTS.*\n?", re.MULTILINE)
_SCHEME = re.compile(r"=== BEGIN MARK SCHEME ===(.*?)=== END MARK SCHEME ===", re.DOTALL)
_TIMED = re.compile(r"^([ \t]*)%(?:time|timeit|prun)[ \t]+(?:-\w+[ \t]*\d*[ \t]+)*(?=\S)", re.MULTILINE)
_MAGIC = re.compile(r"^[ \t]*(?:[%!].*|\?{1,2}[\w.]+|[\w.]+\?{1,2})[ \t]*$")
_EFFECTS = re.compile(
    "seed|use|set(_.*)?|update|append|extend|insert|remove|pop|sort|add|register.*|simplefilter|filterwarnings"
)
NO_ANSWER = "Write a model answer here."
_PLAIN = {"jupytext": {"notebook_metadata_filter": "-all"}}
_MISTAKE = '''"""Known mistakes: wrong answers that the hidden tests must catch."""

# %% mistake="{name}" name="returns_nothing"
"""`{name}` returns None. Is a `return` missing?"""

edit = """
return X
=>
X
"""
'''


@dataclass(frozen=True)
class Imported:
    """The files and packages of an exercise that `draft` made."""

    files: dict[str, str | bytes]  # the content of each file, by path in the exercise's folder
    packages: tuple[str, ...]


def draft(path: Path, name: str, installed: Sequence[str] | None = None) -> Imported:
    """Return the exercise `name` made from an nbgrader source notebook.

    `installed` are the packages of an existing course. Raise SourceError if nbgrader grades no cell.
    """
    import jupytext  # not at the top, because this import is slow

    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception:  # the file may have any content
        cells = []
    if not any(_settings(cell).get("grade") for cell in cells):
        fix = "give the path of a notebook with solutions and tests from nbgrader's source folder"
        raise SourceError(f"{path}: is not a notebook with cells that nbgrader grades; {fix}")
    conversion = _Conversion(cells, path.parent)
    codes = [cell.source for cell in cells if cell.cell_type == "code"]
    needed = packages([text for code in codes for text in (code, _without_magics(code)[0])], path.parent)
    if lacking := [package for package in needed if installed is not None and package not in installed]:
        conversion.notes.append(f"Add to `packages` in course.yaml: {', '.join(lacking)}.")
    notebook = nbformat.v4.new_notebook(cells=conversion.cells, metadata=_PLAIN)
    title = f"The hidden tests of {name}: a first draft, made from {path.name}."
    files: dict[str, str | bytes] = {
        f"{name}.py": jupytext.writes(notebook, fmt="py:percent"),
        "test_hidden.py": conversion.suite(title),
        **conversion.files.content,
    }
    if function := conversion.question_for_mistake():
        files[MISTAKES] = _MISTAKE.format(name=function)
    return Imported(files, needed)


def _settings(cell: Any) -> Any:
    """Return nbgrader's metadata of a cell, such as grade_id and points."""
    return cell.metadata.get("nbgrader", {})


@dataclass
class _Answer:
    name: str
    is_tested: bool  # whether hidden tests grade the answer; otherwise, an instructor does
    cell: Any = None  # the new cell with the points: the visible check or, without tests, the answer
    points: float = 0.0
    visible: list[str] = field(default_factory=list)  # the code of each test cell that students see


class _Conversion:
    """Converts a notebook's cells, in order, to the cells and hidden tests of an exercise."""

    def __init__(self, cells: list[Any], folder: Path) -> None:
        self.cells: list[Any] = []
        self.files = Files(folder)
        self.notes: list[str] = []
        self._pending = list(cells)  # the cells that are not converted yet
        self._names = Names()
        self._answers: dict[str, _Answer] = {}
        self._owners: dict[str, _Answer] = {}  # the answer that binds each name
        self._solutions: dict[str, str] = {}  # the code of each question's answer
        self._untitled: list[str] = []  # names of the hidden tests whose test cells have no docstring
        self._tests: list[str] = []
        self._imports = {"question"}  # names that hidden tests import from autograder.testing
        self._test_using: dict[str, str] = {}  # by name: the last test cell that uses it
        self._read: list[frozenset[str]] = []  # the names that each code cell reads
        while self._pending:
            self._convert(self._pending.pop(0))
        for answer in self._answers.values():
            self._finish(answer)
        self._note_calls()
        if self._untitled:
            fix = (
                "Name the tested property in each docstring, since students read it as the title of the test"
            )
            self.notes.append(f"{fix}: {', '.join(self._untitled)}.")
        self.notes += self.files.notes

    def suite(self, title: str) -> str:
        """Return the text of test_hidden.py: `title`, the notes for the author, and the hidden tests."""
        tests = "".join(f"\n\n{test}\n" for test in self._tests)
        notes = "".join(["\n\nTo do:\n", *(f"\n- {note}" for note in dict.fromkeys(self.notes)), "\n"])
        doc = f'"""{title}{notes if self.notes else ""}"""'
        return f"{doc}\n\nfrom autograder.testing import {', '.join(sorted(self._imports))}\n{tests}"

    def question_for_mistake(self) -> str:
        """Return the name of a function whose `return` the sample mistake can remove, or "" if none fits."""
        for name, code in self._solutions.items():
            returns = any(_returns(node, name) for node in parsed(code).body)
            others = [other for question, other in self._solutions.items() if question != name]
            is_used = any(name in _words(other) for other in others)
            if returns and any(self._answers[name].visible) and not is_used:
                return name
        return ""

    def _convert(self, cell: Any) -> None:
        settings, is_code = _settings(cell), cell.cell_type == "code"
        settings["grade_id"] = settings.get("grade_id") or f"cell_{len(self.cells)}"
        text = cell.source if is_code else self.files.add_text(cell)
        if cell.cell_type == "raw":
            self.notes.append(f"The raw cell {settings['grade_id']} is a text cell now.")
        if is_code:
            self.files.add_code(_without_magics(text)[0])
        if settings.get("task"):
            self._add(_SCHEME.sub("", text).strip(), is_code=False)
            model = "\n".join(_SCHEME.findall(text)).strip() or NO_ANSWER
            self._manual(settings, model, is_code=False)
        elif settings.get("solution"):
            self._solution(settings, text, is_code=is_code)
        elif settings.get("grade") and is_code:
            self._test(settings, text)
        elif is_code:
            self._code(settings, text)
        else:
            self._add(text, is_code=False)

    def _add(self, text: str, *, is_code: bool = True, **keys: object) -> Any:
        if {"solution", "manual"} & keys.keys() and BEGIN not in text:
            text = f"{BEGIN}\n{text}\n{END}"  # without markers, nbgrader clears the whole cell
        make = nbformat.v4.new_code_cell if is_code else nbformat.v4.new_markdown_cell
        self.cells.append(make(text, metadata=keys))
        return self.cells[-1]

    def _code(self, settings: Any, text: str) -> None:
        """Convert a code cell that is neither an answer nor a test.

        Code that only shows something becomes a demo, a cell that grading skips. In other code, cell magics
        and timing magics are deleted. Other magics of IPython move to a new demo above the cell.
        """
        code, magics = _without_magics(text)
        tree = parsed(code)
        if _only_shows(tree):
            self._add(text, title="demo")
            if magics and not tree.body:
                self._note_unreadable(settings, text)
            return
        moved = [line for line in magics if not re.match(r"[ \t]*%(%|time|timeit|prun)", line)]
        self._note_magics(settings, [line for line in magics if line not in moved])
        if moved:
            self._add("\n".join(moved), title="demo")
        self._bind(settings, code, "")
        self._add(code.strip("\n"))

    def _note_unreadable(self, settings: Any, text: str) -> None:
        """Add a note on a cell that is not Python, if it seems to bind names."""
        if re.search(r"^\w+[ \t]*=[^=]|^(?:import|from|def|class)[ ]", text, re.MULTILINE):
            why = "is not plain Python, so it is now a demo, which grading skips"
            self.notes.append(f"{settings['grade_id']} {why}.")

    def _note_magics(self, settings: Any, magics: Sequence[str]) -> None:
        lines = (line.strip().replace("\\", "\\\\").replace('"', "'") for line in magics)
        self.notes += [f"{settings['grade_id']}: `{line}` is left out." for line in lines]

    def _bind(self, settings: Any, code: str, answer: str) -> None:
        """Record the names that a code cell binds.

        Add a note on each name that the cell binds again after a test has used it, and on each name that the
        cell uses although only a test binds it.
        """
        tree, before = parsed(code), self._names.notebook
        bound = frozenset[str]().union(*map(bindings, tree.body))
        for name in sorted(bound & before & self._test_using.keys()):
            effect = f"the hidden test of {self._test_using[name]} sees only the last value"
            self.notes.append(f"{settings['grade_id']} binds {name} again; {effect}.")
        for name in sorted(read_names(tree) - before - bound):
            if name in self._names.defining_lines:
                why = "which only a test binds; bind it in a code cell"
                self.notes.append(f"{settings['grade_id']} uses {name}, {why}.")
        self._read.append(read_names(tree))
        self._names.add_cell(code, answer)

    def _solution(self, settings: Any, text: str, *, is_code: bool) -> None:
        """Convert an answer's cell. If the cell binds no name for tests, an instructor grades the answer."""
        if not is_code:
            text = self._model_answer(settings["grade_id"], text)
        if not is_code or settings.get("grade"):
            self._manual(settings, text, is_code=is_code)
            return
        code, magics = _without_magics(text)
        self._note_magics(settings, magics)
        statements = parsed(code).body
        bound = [name for each in statements for name in sorted(bindings(each)) if name.isascii()]
        bound = [name for name in bound if not name.startswith("_")]
        free = [name for name in bound if name not in self._answers]
        if not free:
            identity = settings["grade_id"]
            self.notes.append(f"{identity} defines nothing for a test to use, so an instructor grades it.")
            answer = self._manual(settings, text, is_code=True, points=0.0)
        else:
            following = self._following_words()
            # Prefer the cell's grade_id, then a name that the next tests use, then the name bound last.
            name = max(free, key=lambda n: (n == settings["grade_id"], n in following, bound.index(n)))
            answer = self._answers[name] = _Answer(name, is_tested=True)
            self._solutions[name] = code
            self._bind(settings, code, name)
            self._add(code.strip("\n"), solution=name)
            identity = settings["grade_id"]
            if identity.isidentifier() and name not in {identity, *self._names.functions}:
                fix = "To change this name, rename the variable in all files of the exercise"
                self.notes.append(f"The question {identity} is now called {name}, like its variable. {fix}.")
        self._owners |= dict.fromkeys(bound, answer)

    def _model_answer(self, identity: str, text: str) -> str:
        """Return the model answer in a text cell that students fill, or NO_ANSWER if the text is a question.

        The text is a question if it ends with "?" and there is no text above the cell. If only one of these
        is true, the cell is unclear: add a note.
        """
        is_question = BEGIN not in text and text.rstrip("*_ \n").endswith("?")
        has_text_above = self._has_text_above()
        if is_question and not has_text_above:
            self._add(text, is_code=False)
            self.notes.append(f"{identity} asks a question without a model answer: write one below it.")
            return NO_ANSWER
        if is_question or not has_text_above:
            problem = "ends with a question" if is_question else "has no description above it"
            fix = "Students do not see this model answer, so ask the question in a text cell above it"
            self.notes.append(f"{identity} {problem}. {fix}.")
        return text

    def _has_text_above(self) -> bool:
        """Whether a text with more than headings follows the previous answer or check."""
        for cell in reversed(self.cells):
            if {"solution", "manual", "check"} & cell.metadata.keys():
                return False
            lines = cell.source.split("\n") if cell.cell_type == "markdown" else []
            if any(line.strip() and not line.startswith("#") for line in lines):
                return True
        return False

    def _following_words(self) -> set[str]:
        """Return the words in test cells before the next answer. Without such words, use later test cells."""
        words, later = set[str](), set[str]()
        is_next = True
        for cell in self._pending:
            is_test = _settings(cell).get("grade") and not _settings(cell).get("solution")
            is_next = is_next and not _settings(cell).get("solution")
            if is_test and cell.cell_type == "code":
                (words if is_next else later).update(_words(cell.source))
        return words or later

    def _manual(self, settings: Any, answer: str, *, is_code: bool, points: float | None = None) -> _Answer:
        """Add an answer that an instructor grades."""
        name = re.sub(r"\W|^(?=\d)", "_", settings["grade_id"], flags=re.ASCII)
        while name in self._answers:
            name += "_"
        if is_code:
            answer, magics = _without_magics(answer)
            self._note_magics(settings, magics)
            self._bind(settings, answer, name)
        if points is None:
            points = float(settings.get("points") or 0)
        manual = self._answers[name] = _Answer(name, is_tested=False, points=points)
        manual.cell = self._add(answer.strip("\n"), is_code=is_code, manual=name, points=points)
        return manual

    def _test(self, settings: Any, text: str) -> None:
        """Convert a test cell to a hidden test. Add its visible code to the question's check."""
        identity = settings["grade_id"]
        answer = self._tested(text)
        if answer is None:
            self.notes.append(f"{identity} is left out: there is no answer above it that it could test.")
            return
        if re.search("### (?:HASHED )?AUTOTEST", text):
            self.notes.append(f"{identity} uses nbgrader's autotest: replace AUTOTEST lines with asserts.")
        visible, points = _HIDDEN.sub("", text).strip(), float(settings.get("points") or 0)
        answer.points += points
        if not answer.is_tested:
            why = f"an instructor grades {answer.name}, and its points now include those of {identity}"
            self.notes.append(f"{identity} is left out: {why}.")
            return
        answer.visible.append(visible)
        if answer.cell is None:
            answer.cell = self._add("", check=answer.name, points=1)
        self._hidden_test(identity, answer.name, _MARKER.sub("", text).strip("\n"), points)

    def _tested(self, code: str) -> _Answer | None:
        """Return the last answer that binds a name of the test cell, or else the last answer."""
        answers = list(self._answers.values())
        used = {self._owners[word].name for word in _words(code) if word in self._owners}
        last = answers[-1] if answers else None
        return next((answer for answer in reversed(answers) if answer.name in used), last)

    def _hidden_test(self, identity: str, question: str, code: str, points: float) -> None:
        plain, magics = _without_magics(code)
        self._note_magics({"grade_id": identity}, magics if plain.strip() else [])
        docstring = ast.get_docstring(parsed(plain))
        title = docstring or f"{question} passes a test of the notebook."
        title = title.splitlines()[0].replace("\\", "\\\\").replace('"', "'")
        test = hidden_test(identity, question, title, plain, self._names)
        self.notes += test.notes
        self._imports |= test.imports
        self._test_using |= dict.fromkeys(test.fetched, identity)
        if test.body and not points:
            self.notes.append(f"{identity} had 0 points; its hidden test has a weight of 1 now.")
        if test.body:
            name = re.sub(r"\W", "_", identity)
            fixtures = [each for each in ("student", "reference") if f"{each}." in test.body] or ["student"]
            mark = f'@question("{question}", weight={points or 1:g})'
            body = indent(test.body, "    ")
            self._untitled += [] if docstring else [f"test_{name}"]
            self._tests.append(f"{mark}\ndef test_{name}({', '.join(fixtures)}):\n{body}")

    def _finish(self, answer: _Answer) -> None:
        """Write the points of an answer and, if hidden tests grade it, its visible check."""
        if answer.is_tested and answer.cell is None:
            answer.cell = self._add("", check=answer.name, points=1)
            self.notes.append(f"No cell tests {answer.name}. Write its check and hidden tests.")
        elif not answer.points:
            self.notes.append(f"{answer.name} had 0 points, and has 1 now.")
        answer.cell.metadata["points"] = answer.points or 1
        if answer.is_tested:
            answer.cell.source = self._check(answer)

    def _check(self, answer: _Answer) -> str:
        code = "\n\n".join(filter(None, answer.visible))
        plain, _ = _without_magics(code)
        if not code or not self._can_be_function(plain):
            return f"# Check of {answer.name}\n{code or '# All tests of this question are hidden.'}"
        return f'@check("{answer.name}")\ndef check_{answer.name}():\n{indent(plain, "    ")}'

    def _can_be_function(self, code: str) -> bool:
        """Whether a check can become a function. It cannot if, for example, other code uses its variables."""
        tree = parsed(code)
        bound = frozenset[str]().union(*map(bindings, tree.body))
        visible = (text for answer in self._answers.values() for text in answer.visible)
        others = [*self._read, *(read_names(parsed(text)) for text in visible if text not in code)]
        kinds = ast.Global | ast.Nonlocal | ast.Delete
        return (
            bool(tree.body)
            and bound.isdisjoint(self._names.notebook.union(*others))
            and not any(isinstance(node, kinds) for node in ast.walk(tree))
            and not has_long_text(tree)
            and "import *" not in code
        )

    def _note_calls(self) -> None:
        """Add a note on each question whose solution calls the function of an earlier question."""
        earlier = list[str]()
        for name, code in self._solutions.items():
            functions = [question for question in earlier if question in self._names.functions]
            for called in calls(code, functions):
                entry = f"`{BUILDS_ON}: {{{name}: [{called}]}}`"
                self.notes.append(
                    f"{name} calls {called}. If a wrong answer to {called} should cost no points in {name}, "
                    f"add {entry} to the exercise in course.yaml. Also write an answer in {ACCEPTED} "
                    f"in which {name} calls {called}."
                )
            earlier.append(name)


def _returns(node: ast.stmt, name: str) -> bool:
    """Whether a statement defines a function of this name that returns a value."""
    returns = (part for part in ast.walk(node) if isinstance(part, ast.Return) and part.value)
    return isinstance(node, ast.FunctionDef) and node.name == name and any(returns)


def _words(code: str) -> set[str]:
    return set(re.findall(r"\w+", code))


def _without_magics(code: str) -> tuple[str, list[str]]:
    """Return the code without IPython's magics, and a list of these magics.

    If the code without magics is not Python, return "" and a list that contains the whole code.
    """
    if parsed(code).body or not code.strip():
        return code, []
    magics = [match[0].strip() for match in _TIMED.finditer(code)]
    lines, python_lines = _TIMED.sub(r"\1", code).split("\n"), list[str]()
    for line in lines:
        if line.startswith("%%") and not re.match(r"%%(time|timeit|capture|prun)\b", line):
            return "", [code]
        (magics if _MAGIC.match(line) else python_lines).append(line)
    plain = "\n".join(python_lines)
    has_statements = any(line.strip() and line.strip()[0] != "#" for line in python_lines)
    return (plain, magics) if parsed(plain).body or not has_statements else ("", [code])


def _only_shows(tree: ast.Module) -> bool:
    """Whether code seems only to show output and to change no variable."""
    for statement in tree.body:
        for node in ast.walk(statement):
            match node:
                case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Delete():
                    return False
                case ast.Import() | ast.ImportFrom():
                    return False
                case ast.Call(ast.Attribute(attr=attribute), keywords=keywords):
                    if _EFFECTS.fullmatch(attribute) or any(word.arg == "inplace" for word in keywords):
                        return False
        if bindings(statement) and not isinstance(statement, ast.For | ast.With):
            return False
    return True
