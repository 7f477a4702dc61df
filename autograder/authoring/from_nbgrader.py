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
_PLAIN = {"jupytext": {"notebook_metadata_filter": "-all"}}
_MISTAKE = '''"""Wrong answers that are known."""

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
    """What a notebook has become: the files of an exercise, and the packages that it needs."""

    files: dict[str, str | bytes]
    packages: tuple[str, ...]


def draft(path: Path, name: str, installed: Sequence[str] | None = None) -> Imported:
    """Return the exercise that nbgrader's notebook becomes; SourceError if it is another's.

    If the course exists already, `installed` are its packages.
    """
    import jupytext  # here, since it loads half of Jupyter

    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception:  # whatever the file holds
        cells = []
    if not any(_about(cell).get("grade") for cell in cells):
        fix = "give the one in nbgrader's source folder, with solutions and tests"
        raise SourceError(f"{path}: is not a notebook with cells that nbgrader grades; {fix}")
    made = _Conversion(cells, path.parent)
    codes = [cell.source for cell in cells if cell.cell_type == "code"]
    needed = packages([one for code in codes for one in (code, _without_magics(code)[0])], path.parent)
    if lacking := [one for one in needed if installed is not None and one not in installed]:
        made.notes.append(f"Add to `packages` in course.yaml: {', '.join(lacking)}.")
    notebook = nbformat.v4.new_notebook(cells=made.cells, metadata=_PLAIN)
    files: dict[str, str | bytes] = {
        f"{name}.py": jupytext.writes(notebook, fmt="py:percent"),
        "test_hidden.py": made.suite(f"The hidden tests of {name}: a first draft, made from {path.name}."),
        **made.files.content,
    }
    if function := made.returning():
        files[MISTAKES] = _MISTAKE.format(name=function)
    return Imported(files, needed)


def _about(cell: Any) -> Any:
    return cell.metadata.get("nbgrader", {})


@dataclass
class _Answer:
    """A question or an answer that an instructor grades, with the test cells that belong to it."""

    name: str
    is_tested: bool
    cell: Any = None  # the check, or the answer that an instructor grades
    points: float = 0.0
    visible: list[str] = field(default_factory=list)


class _Conversion:
    """Goes through a notebook's cells in order, and gathers the cells and hidden tests that come of them."""

    def __init__(self, cells: list[Any], folder: Path) -> None:
        self.cells: list[Any] = []
        self.files = Files(folder)
        self.notes: list[str] = []
        self._left = list(cells)  # the cells that follow
        self._names = Names()
        self._answers: dict[str, _Answer] = {}
        self._owners: dict[str, _Answer] = {}  # the answer that binds a name
        self._solutions: dict[str, str] = {}
        self._tests: list[str] = []
        self._imports = {"question"}
        self._fetched: dict[str, str] = {}  # names that tests have fetched, each with a test cell
        self._read: list[frozenset[str]] = []  # the names that each code cell reads
        while self._left:
            self._take(self._left.pop(0))
        for answer in self._answers.values():
            self._finish(answer)
        self._note_calls()
        self.notes += self.files.notes

    def suite(self, title: str) -> str:
        """Return the hidden tests, below a title and what their author has to look at."""
        tests = "".join(f"\n\n{test}\n" for test in self._tests)
        notes = "".join(["\n\nTo do:\n", *(f"\n- {note}" for note in dict.fromkeys(self.notes)), "\n"])
        doc = f'"""{title}{notes if self.notes else ""}"""'
        return f"{doc}\n\nfrom autograder.testing import {', '.join(sorted(self._imports))}\n{tests}"

    def returning(self) -> str:
        """Return a question that is a function whose result no later answer needs, or nothing."""
        for name, code in self._solutions.items():
            returns = any(_returns(node, name) for node in parsed(code).body)
            others = (other for question, other in self._solutions.items() if question != name)
            if (
                returns
                and any(self._answers[name].visible)
                and not any(name in _words(one) for one in others)
            ):
                return name
        return ""

    def _take(self, cell: Any) -> None:
        about, is_code = _about(cell), cell.cell_type == "code"
        about["grade_id"] = about.get("grade_id") or f"cell_{len(self.cells)}"
        text = cell.source if is_code else self.files.add_text(cell)
        if cell.cell_type == "raw":
            self.notes.append(f"The raw cell {about['grade_id']} is a text cell now.")
        if is_code:
            self.files.add_code(_without_magics(text)[0])
        if about.get("task"):
            self._add(_SCHEME.sub("", text).strip(), is_code=False)
            model = "\n".join(_SCHEME.findall(text)).strip() or "Write a model answer here."
            self._manual(about, model, is_code=False)
        elif about.get("solution"):
            self._solution(about, text, is_code=is_code)
        elif about.get("grade") and is_code:
            self._test(about, text)
        elif is_code:
            self._code(about, text)
        else:
            self._add(text, is_code=False)

    def _add(self, text: str, *, is_code: bool = True, **keys: object) -> Any:
        if {"solution", "manual"} & keys.keys() and BEGIN not in text:
            text = f"{BEGIN}\n{text}\n{END}"  # nbgrader clears the whole of such a cell
        make = nbformat.v4.new_code_cell if is_code else nbformat.v4.new_markdown_cell
        self.cells.append(make(text, metadata=keys))
        return self.cells[-1]

    def _code(self, about: Any, text: str) -> None:
        """Take a code cell without an answer. Magics of a cell that is needed get a cell of their own."""
        code, magics = _without_magics(text)
        tree = parsed(code)
        if _only_shows(tree):
            self._add(text, title="demo")
            if magics and not tree.body:
                self._note_unreadable(about, text)
            return
        own = [line for line in magics if not re.match(r"[ \t]*%(%|time|timeit|prun)", line)]
        self._note_magics(about, [line for line in magics if line not in own])
        if own:
            self._add("\n".join(own), title="demo")
        self._bind(about, code, "")
        self._add(code.strip("\n"))

    def _note_unreadable(self, about: Any, text: str) -> None:
        """Note a cell that is not Python though it seems to bind names."""
        if re.search(r"^\w+[ \t]*=[^=]|^(?:import|from|def|class)[ ]", text, re.MULTILINE):
            why = "is not plain Python: it is a demo now, and grading skips it"
            self.notes.append(f"{about['grade_id']} {why}.")

    def _note_magics(self, about: Any, magics: Sequence[str]) -> None:
        shown = (line.strip().replace("\\", "\\\\").replace('"', "'") for line in magics)
        self.notes += [f"{about['grade_id']}: `{line}` is left out." for line in shown]

    def _bind(self, about: Any, code: str, answer: str) -> None:
        """Add what a cell binds, and note where that changes what an earlier test gets."""
        tree, before = parsed(code), self._names.notebook
        bound = frozenset[str]().union(*map(bindings, tree.body))
        for name in sorted(bound & before & self._fetched.keys()):
            test = self._fetched[name]
            seen = f"{test} above it used the earlier value"
            self.notes.append(f"{about['grade_id']} binds {name} again; {seen}.")
        for name in sorted(read_names(tree) - before - bound):
            if name in self._names.sources:
                why = "which only a test binds; bind it in a code cell"
                self.notes.append(f"{about['grade_id']} uses {name}, {why}.")
        self._read.append(read_names(tree))
        self._names.add_cell(code, answer)

    def _solution(self, about: Any, text: str, *, is_code: bool) -> None:
        """Take an answer: as a question if tests can ask for a name that it binds, else as a manual one."""
        if not is_code or about.get("grade"):
            self._manual(about, text, is_code=is_code)
            return
        code, magics = _without_magics(text)
        self._note_magics(about, magics)
        bound = [name for one in parsed(code).body for name in sorted(bindings(one)) if name.isascii()]
        bound = [name for name in bound if not name.startswith("_")]
        free = [name for name in bound if name not in self._answers]
        if not free:
            identity = about["grade_id"]
            self.notes.append(f"{identity} binds no name that a test could ask for: an instructor grades it.")
            answer = self._manual(about, text, is_code=True, points=0.0)
        else:
            following = self._following_words()
            name = max(free, key=lambda one: (one == about["grade_id"], one in following, bound.index(one)))
            answer = self._answers[name] = _Answer(name, is_tested=True)
            self._solutions[name] = code
            self._bind(about, code, name)
            self._add(code.strip("\n"), solution=name)
        self._owners |= dict.fromkeys(bound, answer)

    def _following_words(self) -> set[str]:
        """Return the words of the test cells up to the next answer, or else of all later ones."""
        words, later = set[str](), set[str]()
        is_next = True
        for cell in self._left:
            is_test = _about(cell).get("grade") and not _about(cell).get("solution")
            is_next = is_next and not _about(cell).get("solution")
            if is_test and cell.cell_type == "code":
                (words if is_next else later).update(_words(cell.source))
        return words or later

    def _manual(self, about: Any, answer: str, *, is_code: bool, points: float | None = None) -> _Answer:
        """Take an answer that an instructor grades; code stays code."""
        name = re.sub(r"\W|^(?=\d)", "_", about["grade_id"], flags=re.ASCII)
        while name in self._answers:
            name += "_"
        if is_code:
            answer, magics = _without_magics(answer)
            self._note_magics(about, magics)
            self._bind(about, answer, name)
        given = float(about.get("points") or 0) if points is None else points
        taken = _Answer(name, is_tested=False, points=given)
        taken.cell = self._add(answer.strip("\n"), is_code=is_code, manual=name, points=given)
        self._answers[name] = taken
        return taken

    def _test(self, about: Any, text: str) -> None:
        """Take a test cell: a part of its question's check, and the first draft of a hidden test."""
        identity = about["grade_id"]
        answer = self._tested(text)
        if answer is None:
            self.notes.append(f"{identity} tests nothing that stands before it. It is left out.")
            return
        if re.search("### (?:HASHED )?AUTOTEST", text):
            self.notes.append(f"{identity} has lines for nbgrader's autotest: write tests instead.")
        visible, points = _HIDDEN.sub("", text).strip(), float(about.get("points") or 0)
        answer.points += points
        if not answer.is_tested:
            self.notes.append(f"{identity} is left out: an instructor grades {answer.name} for its points.")
            return
        answer.visible.append(visible)
        if answer.cell is None:
            answer.cell = self._add("", check=answer.name, points=1)
        self._hidden_test(identity, answer.name, _MARKER.sub("", text).strip("\n"), points)

    def _tested(self, code: str) -> _Answer | None:
        """Return the answer that a test cell is about: the last one of which it names anything."""
        answers = list(self._answers.values())
        named = {self._owners[word].name for word in _words(code) if word in self._owners}
        return next((one for one in reversed(answers) if one.name in named), answers[-1] if answers else None)

    def _hidden_test(self, identity: str, question: str, code: str, points: float) -> None:
        plain, magics = _without_magics(code)
        self._note_magics({"grade_id": identity}, magics if plain.strip() else [])
        title = ast.get_docstring(parsed(plain)) or f"{question} passes a test of the notebook."
        title = title.splitlines()[0].replace("\\", "\\\\").replace('"', "'")
        made = hidden_test(identity, question, title, plain, self._names)
        self.notes += made.notes
        self._imports |= made.imports
        self._fetched |= dict.fromkeys(made.fetched, identity)
        if made.body and not points:
            self.notes.append(f"{identity} had 0 points; its hidden test has a weight of 1.")
        if made.body:
            name = re.sub(r"\W", "_", identity)
            sides = [one for one in ("student", "reference") if f"{one}." in made.body] or ["student"]
            mark = f'@question("{question}", weight={points or 1:g})'
            body = indent(made.body, "    ")
            self._tests.append(f"{mark}\ndef test_{name}({', '.join(sides)}):\n{body}")

    def _finish(self, answer: _Answer) -> None:
        """Write the check of a question, and the points of each answer."""
        if answer.is_tested and answer.cell is None:
            answer.cell = self._add("", check=answer.name, points=1)
            self.notes.append(f"No cell tests {answer.name}: write its check and its hidden tests.")
        elif not answer.points:
            self.notes.append(f"{answer.name} had 0 points, and has 1 now.")
        answer.cell.metadata["points"] = answer.points or 1
        if answer.is_tested:
            answer.cell.source = self._check(answer)

    def _check(self, answer: _Answer) -> str:
        """Return the code of a visible check, as a function where that changes nothing."""
        code = "\n\n".join(filter(None, answer.visible))
        plain, _ = _without_magics(code)
        if not code or not self._can_be_function(plain):
            return f"# Check of {answer.name}\n{code or '# Its tests are hidden.'}"
        return f'@check("{answer.name}")\ndef check_{answer.name}():\n{indent(plain, "    ")}'

    def _can_be_function(self, code: str) -> bool:
        """Whether nothing else uses what a check binds, and a function can hold its code."""
        tree = parsed(code)
        bound = frozenset[str]().union(*map(bindings, tree.body))
        visible = (one for answer in self._answers.values() for one in answer.visible)
        others = [*self._read, *(read_names(parsed(one)) for one in visible if one not in code)]
        kinds = ast.Global | ast.Nonlocal | ast.Delete
        return (
            bool(tree.body)
            and bound.isdisjoint(self._names.notebook.union(*others))
            and not any(isinstance(node, kinds) for node in ast.walk(tree))
            and not has_long_text(tree)
            and "import *" not in code
        )

    def _note_calls(self) -> None:
        """Note each question whose solution calls an earlier one."""
        earlier = list[str]()
        for name, code in self._solutions.items():
            functions = [one for one in earlier if one in self._names.functions]
            for called in calls(code, functions) if name in self._names.functions else ():
                entry = f"`{BUILDS_ON}: {{{name}: [{called}]}}`"
                self.notes.append(
                    f"{name} calls {called}. So that a wrong {called} costs nothing there, write {entry} "
                    f"below the exercise in course.yaml, and in {ACCEPTED} an answer that calls it."
                )
            earlier.append(name)


def _returns(node: ast.stmt, name: str) -> bool:
    """Whether a statement defines a function of this name that returns something."""
    returns = (one for one in ast.walk(node) if isinstance(one, ast.Return) and one.value)
    return isinstance(node, ast.FunctionDef) and node.name == name and any(returns)


def _words(code: str) -> set[str]:
    return set(re.findall(r"\w+", code))


def _without_magics(code: str) -> tuple[str, list[str]]:
    """Return code without the lines that only IPython reads, and these; no code if it is not Python."""
    if parsed(code).body or not code.strip():
        return code, []
    magics = [match[0].strip() for match in _TIMED.finditer(code)]
    lines, kept = _TIMED.sub(r"\1", code).split("\n"), list[str]()
    for line in lines:
        if line.startswith("%%") and not re.match(r"%%(time|timeit|capture|prun)\b", line):
            return "", [code]
        (magics if _MAGIC.match(line) else kept).append(line)
    plain = "\n".join(kept)
    is_python = parsed(plain).body or not [line for line in kept if line.strip() and line.strip()[0] != "#"]
    return (plain, magics) if is_python else ("", [code])


def _only_shows(tree: ast.Module) -> bool:
    """Whether code binds nothing and has no effect but what it shows, as far as its form tells."""
    for statement in tree.body:
        for node in ast.walk(statement):
            match node:
                case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Delete():
                    return False
                case ast.Import() | ast.ImportFrom():
                    return False
                case ast.Call(ast.Attribute(attr=attribute), keywords=keywords):
                    if _EFFECTS.fullmatch(attribute) or any(one.arg == "inplace" for one in keywords):
                        return False
        if bindings(statement) and not isinstance(statement, ast.For | ast.With):
            return False
    return True
