"""Makes a known mistake of answers that failed alike, for which the course had no name."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import suggestion
from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.publishing.dashboard import Group, class_statistics
from autograder.publishing.graded_work import read_graded_work

_WHAT = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_MODULES = {"torch", "math"}  # which such an answer may import, and nothing else
_NAMES = {  # that it may not use
    *("breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "input", "locals", "open"),
    *("setattr", "vars"),
}
_ATTRIBUTES = frozenset((
    "classes", "distributed", "from_file", "hub", "load", "multiprocessing", "ops", "save", "utils",
    # of numpy, pandas and matplotlib
    "ctypeslib", "fromfile", "genfromtxt", "lib", "loadtxt", "memmap", "query", "savefig", "savetxt", "savez",
    "to_csv", "to_excel", "to_feather", "to_hdf", "to_json", "to_parquet", "to_pickle", "to_sql", "tofile",
))  # fmt: skip


def find_group(course: Course, exercises: Sequence[Exercise], name: str) -> Group:
    """Return the group of this name among the answers that have been graded."""
    groups = class_statistics(read_graded_work(course, exercises)).groups
    found = next((group for group in groups if group.name == name), None)
    if found is None:
        raise UsageError(f'"{name}" is no group; {suggestion(name, [group.name for group in groups])}')
    return found


def mistaken_code(group: Group) -> str:
    """Return the code of a group's first answer, without comments and docstrings.

    A known mistake runs without walls, so code that could do more than compute is refused. An instructor
    reads the rest.
    """
    whose = f"the answer of {group.students[0]}"
    try:
        tree = ast.parse(group.answer)
    except (SyntaxError, ValueError):
        raise UsageError(f"{whose} is not valid Python; write the mistake yourself") from None
    if risks := sorted(set(_risks(tree))):
        raise UsageError(
            f"{whose} uses {', '.join(risks)}, but known mistakes run without walls; "
            "write the mistake yourself"
        )
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree) + "\n"


def write_mistake(exercise: Exercise, group: Group, what: str, words: str, code: str) -> Path:
    """Write solutions/EXERCISE/mistakes/QUESTION__WHAT.py, whose docstring is what students read."""
    if not _WHAT.fullmatch(what):
        raise UsageError(f'"{what}": use small letters, digits and underscores, such as no_softmax')
    path = exercise.folder / "mistakes" / f"{group.question}__{what}.py"
    if path.exists():
        raise UsageError(f"{path}: exists already; choose another name")
    said = " ".join(words.split()).replace("\\", "\\\\").replace('"', "'")
    return write_whole(path, f'"""{said}"""\n\n{code}')


def _risks(tree: ast.AST) -> Iterator[str]:
    """Yield what in some code could do more than compute."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (one.name for one in names if one.name not in ("torch", "math", "torch.nn"))
            case ast.ImportFrom(module=module, names=names):
                inside = (module or "").partition(".")[0] in _MODULES
                yield from (one.name for one in names if not inside or one.name in _ATTRIBUTES)
            case ast.Name(id=name) if name in _NAMES or name.startswith("__"):
                yield name
            case ast.Attribute(attr="__init__"):
                pass
            case ast.Attribute(attr=name) if name in _ATTRIBUTES or name.startswith(("_", "read_")):
                yield f".{name}"  # it is not for others to use, or may read a file, as those of pandas do
