"""Starts a course or an exercise, from a small working sample or from an nbgrader source notebook."""

import ast
import builtins
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

import nbformat

from autograder.course.course import Course, CourseError
from autograder.course.names import NAME
from autograder.course.packages import DEFAULT, name_of
from autograder.course.source import BEGIN, END, SourceError
from autograder.files import write_whole

_HIDDEN = re.compile(r"^[^\S\n]*### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS.*?$", re.DOTALL | re.MULTILINE)
_MARKER = re.compile(r"^[^\S\n]*### (?:BEGIN|END) HIDDEN TESTS.*\n?", re.MULTILINE)
_SCHEME = re.compile(r"=== BEGIN MARK SCHEME ===(.*?)=== END MARK SCHEME ===", re.DOTALL)
_FIGURE = re.compile(r"!\[[^\]]*\]\(([\w-]+\.(?:svg|png))\)")
_VALUE = 'student.define("def value(x): return x", "value")'  # brings a variable to the grader's side
_PLAIN = {"jupytext": {"notebook_metadata_filter": "-all"}}


def draft(path: Path, name: str) -> dict[str, str | bytes]:
    """Return the files of the exercise that nbgrader's notebook becomes; SourceError if it is another's."""
    import jupytext  # here, since it loads half of Jupyter

    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception:  # whatever the file holds
        cells = []
    if not any(_about(cell).get("grade") for cell in cells):
        fix = "give the one in nbgrader's source folder, with solutions and tests"
        raise SourceError(f"{path}: is not a notebook with cells that nbgrader grades; {fix}")
    made = _Conversion(cells)
    notebook = nbformat.v4.new_notebook(cells=made.cells, metadata=_PLAIN)
    figures = {path.with_name(shown) for cell in made.cells for shown in _FIGURE.findall(cell.source)}
    return {
        f"{name}.py": jupytext.writes(notebook, fmt="py:percent"),
        "test_hidden.py": made.suite(f"The hidden tests of {name}: a first draft, made from {path.name}."),
        **{figure.name: figure.read_bytes() for figure in figures if figure.is_file()},
    }


def _about(cell: Any) -> Any:
    return cell.metadata.get("nbgrader", {})


class _Conversion:
    """Goes through a notebook's cells in order, and gathers the cells and hidden tests that come of them."""

    def __init__(self, cells: list[Any]) -> None:
        self.cells: list[Any] = []
        self._tested = {word for cell in cells if _about(cell).get("grade") for word in _words(cell.source)}
        self._checks: dict[str, Any] = {}  # by question; None until a cell tests it
        self._names: set[str] = set()  # of questions and written answers
        self._ways: dict[str, str] = {}  # by which line a hidden test gets each of the notebook's names
        self._tests: list[str] = []
        self._notes: list[str] = []
        for cell in cells:
            self._take(cell)
        for name in (name for name, check in self._checks.items() if check is None):
            self._add(f"# Check of {name}", check=name, points=1)
            self._notes.append(f"No cell tests {name}: write its check and its hidden tests.")

    def suite(self, title: str) -> str:
        """Return the hidden tests, below a title and what their author has to look at."""
        tests = "".join(f"\n\n{test}\n" for test in self._tests)
        notes = "".join(["\n\nTo do:\n", *(f"\n- {note}" for note in self._notes), "\n"])
        doc = f'"""{title}{notes if self._notes else ""}"""'
        return f"{doc}\n\nfrom autograder.testing import expect_raises, question\n{tests}"

    def _take(self, cell: Any) -> None:
        about, text, is_code = _about(cell), cell.source, cell.cell_type == "code"
        about["grade_id"] = about.get("grade_id") or f"cell_{len(self.cells)}"
        if about.get("task"):
            self._add(_SCHEME.sub("", text).strip(), is_code=False)
            self._manual(about, "\n".join(_SCHEME.findall(text)).strip() or "Write a model answer here.")
        elif about.get("solution"):
            self._solution(about, text, is_code=is_code)
        elif about.get("grade") and is_code:
            self._test(about, text)
        else:
            self._ways |= (ways := _ways(text) if is_code else {})
            self._add(text, is_code=is_code, **({"title": "demo"} if is_code and not ways else {}))

    def _add(self, text: str, *, is_code: bool = True, **keys: object) -> None:
        if {"solution", "manual"} & keys.keys() and BEGIN not in text:
            text = f"{BEGIN}\n{text}\n{END}"  # nbgrader clears the whole of such a cell
        make = nbformat.v4.new_code_cell if is_code else nbformat.v4.new_markdown_cell
        self.cells.append(make(text, metadata=keys))

    def _solution(self, about: Any, text: str, *, is_code: bool) -> None:
        """Take a solution as a question named after what tests call in it, else as a written answer."""
        ours = {name for name, way in _ways(text).items() if "student." in way and name.isascii()}
        names = sorted(ours - self._names, key=lambda one: (one == about.grade_id, one in self._tested, one))
        if is_code and names and not about.get("grade"):
            self._names.add(question := names[-1])
            self._checks[question] = None
            self._ways |= _ways(text)
            self._add(text, solution=question)
            return
        if is_code:
            self._notes.append(f"The code of {about.grade_id} has no tests. It is a text cell now.")
        self._manual(about, f"```python\n{text}\n```" if is_code else text)

    def _manual(self, about: Any, answer: str) -> None:
        name = re.sub(r"\W|^(?=\d)", "_", about.grade_id, flags=re.ASCII)
        while name in self._names:
            name += "_"
        self._names.add(name)
        self._add(answer, is_code=False, manual=name, points=float(about.get("points") or 1))

    def _test(self, about: Any, code: str) -> None:
        """Add a test cell to its question's check, and make a hidden test of all of it."""
        if not self._checks:
            self._notes.append(f"{about.grade_id} tests nothing that stands before it. It is left out.")
            return
        *_, question = [name for name in self._checks if name in _words(code)] or [*self._checks]
        if re.search("### (?:HASHED )?AUTOTEST", code):
            self._notes.append(f"{about.grade_id} has lines for nbgrader's autotest: write tests instead.")
        visible, points = _HIDDEN.sub("", code).strip(), float(about.get("points") or 0)
        if (check := self._checks[question]) is None:
            self._add(f"# Check of {question}\n{visible}".strip(), check=question, points=points or 1)
            self._checks[question] = self.cells[-1]
        else:
            check.metadata.points += points
            check.source += f"\n\n{visible}".rstrip()
        if hidden := self._hidden_test(about.grade_id, question, _MARKER.sub("", code).strip("\n")):
            mark = f'@question("{question}", weight={points or 1:g})'
            name = re.sub(r"\W", "_", about.grade_id)
            self._tests.append(f"{mark}\ndef test_{name}(student):\n{indent(hidden, '    ')}")

    def _hidden_test(self, identity: str, question: str, code: str) -> str:
        """Return the body of a hidden test, or nothing if the code cannot run outside the notebook."""
        tree = _parsed(code)
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        own = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
        if not tree.body or own & self._names:
            why = f"it changes {min(own & self._names)}" if tree.body else "it has no plain Python"
            self._notes.append(f"No hidden test came of {identity}: {why}.")
            return ""
        used = {node.id for node in names} - own - _ways(code).keys() - set(vars(builtins))
        ways = [self._ways[name] for name in sorted(used & self._ways.keys())]
        title = (ast.get_docstring(tree) or f"{question} passes a test of the notebook.").splitlines()[0]
        title = title.replace("\\", "\\\\").replace('"', "'")
        return "\n".join([f'"""{title}"""', *ways, _translated(tree, code)])


def _words(code: str) -> list[str]:
    return re.findall(r"\w+", code)


def _parsed(code: str) -> ast.Module:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError):  # as with IPython's magics
        return ast.Module([], [])


def _ways(code: str) -> dict[str, str]:
    """Return the names that code defines, and by which line a hidden test gets each of them."""
    found: dict[str, str] = {}
    for node in _parsed(code).body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = f"{name} = student.{name}"
            case ast.Assign(targets=targets):
                names = [target.id for target in targets if isinstance(target, ast.Name)]
                found |= {name: f"{name} = {_VALUE}(student.{name})" for name in names}
            case ast.Import() | ast.ImportFrom():
                names = [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
                found |= dict.fromkeys(names, ast.unparse(node))
    return found


def _translated(tree: ast.Module, code: str) -> str:
    """Return the code of a test without its docstring, and with our words for an expected error."""
    lines = code.split("\n")
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.Try | ast.With))
    for node in sorted(statements, key=lambda node: -node.lineno):
        if raised := _expected_error(node):
            lines[node.lineno - 1 : node.end_lineno] = [" " * node.col_offset + raised]
    begin = tree.body[0].end_lineno if ast.get_docstring(tree) else 0
    return "\n".join(lines[begin:]).strip("\n")


def _expected_error(node: ast.stmt) -> str:
    """Return `expect_raises(...)` for a statement that expects an error, in a usual form; else nothing."""
    match node:
        case ast.Try(
            [ast.Expr(ast.Call() as call)], [ast.ExceptHandler(kind, _, [ast.Pass()])], [_, *_], []
        ) | ast.With(
            [ast.withitem(ast.Call(ast.Attribute(_, "raises"), [kind]))], [ast.Expr(ast.Call() as call)]
        ) if kind:
            parts = [call.func, *call.args, *call.keywords]
        case _:
            return ""
    names = tuple(map(ast.unparse, kind.elts)) if isinstance(kind, ast.Tuple) else f'"{ast.unparse(kind)}"'
    return f"expect_raises({', '.join([str(names), *map(ast.unparse, parts)])})"


FIRST = {  # the exercise of a new course, by the package that it is about
    "torch": "01_half",
    "pandas": "01_mean_heights",
    "numpy": "01_scaled",
    "python": "01_counts",
}
_HERE = Path(__file__).parent
_TEMPLATE = ".template"
_CATALOGUE = "misconceptions"  # the folder in solutions/
_COURSE = ("course.yaml", ".gitignore", "nbgrader_config.py", "Makefile", "README.md")
_BESIDE = {".git", ".venv"}  # what may lie in a course's folder before anything else
_Files = Mapping[str, str | bytes]


def create_course(folder: Path, notebook: Path | None = None, subject: str = "torch") -> list[Path]:
    """Write a course with one exercise, made of `notebook` if there is one, and return its files.

    Without a notebook the exercise is about one of the packages in FIRST, which the course then needs.
    CourseError says where `folder` is neither empty nor new: nothing that is there is ever overwritten.
    """
    if folder.is_file() or {path.name for path in folder.glob("*")} - _BESIDE:
        raise CourseError(f"{folder}: is not an empty folder; choose an empty one, or a new one")
    name = _as_name(notebook.stem, "exercise") if notebook else FIRST[subject]
    packages = ", ".join(DEFAULT if subject == "torch" else (subject,) if subject != "python" else ())
    course = _as_name(folder.resolve().name, "course")
    exercise = {f"solutions/{path}": text for path, text in _exercise(name, notebook, subject).items()}
    words = {"NAME": name, "COURSE": course, "PACKAGES": f"[{packages}]"}
    files = {**_filled("new_course", _COURSE, words), **exercise}
    return [write_whole(folder / file, content) for file, content in files.items()]


def create(course: Course, name: str, notebook: Path | None = None) -> list[Path]:
    """Write a new exercise to solutions/<name>/ and return its files; CourseError where that cannot be."""
    solutions = course.root / "solutions"
    folder = solutions / name
    if not re.fullmatch(NAME, name):
        raise CourseError(f'"{name}" is not a name for an exercise; use letters, digits, _ and -')
    if folder.exists():
        raise CourseError(f"{folder}: already exists; choose another name, or delete the folder first")
    packages = set(map(name_of, course.settings.packages))
    subject = next((one for one in FIRST if one in packages), "python")
    files = _exercise(name, notebook, subject)
    if any((solutions / _CATALOGUE).glob("*.py")):  # the sample's entry would concern all other exercises
        files = {path: text for path, text in files.items() if not path.startswith(f"{_CATALOGUE}/")}
    return [write_whole(solutions / path, content) for path, content in files.items()]


def entry(name: str) -> str:
    """Return the line by which course.yaml takes in the exercise `name`."""
    return f"  - name: {name}"


def _as_name(text: str, otherwise: str) -> str:
    return re.sub("[^A-Za-z0-9_-]+", "_", text).strip("_-")[:100] or otherwise


def _exercise(name: str, notebook: Path | None, subject: str) -> _Files:
    """Return the files of an exercise by their paths in solutions/; of a sample, also its misconception."""
    if notebook:
        return {f"{name}/{file}": content for file, content in draft(notebook, name).items()}
    folder = _HERE / f"new_{subject}"
    files = sorted(path.name.removesuffix(_TEMPLATE) for path in folder.glob(f"*{_TEMPLATE}"))
    filled = _filled(folder.name, files, {"NAME": name})
    misconception = filled.pop(f"{_CATALOGUE}.py")
    catalogue = f"{_CATALOGUE}/{FIRST[subject].partition('_')[2]}.py"
    return {**{f"{name}/{file}": text for file, text in filled.items()}, catalogue: misconception}


def _filled(templates: str, files: Sequence[str], words: Mapping[str, str]) -> dict[str, str]:
    """Return `files` made from their templates, with `words` replaced in their names and texts."""
    filled = {}
    for file in files:
        text = (_HERE / templates / f"{file.removeprefix('.')}{_TEMPLATE}").read_text(encoding="utf-8")
        for word, value in words.items():
            file, text = file.replace(word, value), text.replace(word, value)
        filled[file] = text
    return filled
