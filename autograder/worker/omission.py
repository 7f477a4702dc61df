"""Leaves out of a cell what cannot work where notebooks are graded: packages, files, the network, a GPU.

A notebook that runs in Colab or on a student's own machine may hold lines that have no meaning here. Such a
line must not cost the definitions below it: the cell runs on without it and says so in its output.
"""

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass

from IPython.core.error import UsageError

from autograder.worker.description import describe
from autograder.worker.protocol import Header

_MAX_QUOTE = 80  # characters of a statement that a message quotes
_HERE = "where notebooks are graded"
_ELSEWHERE = (OSError, EOFError)  # files, folders, programs, the network, and somebody who answers input()
_DISPLAYS = ("matplotlib", "gui", "config")  # magics that only say how things are shown
_NO_GPU = (AssertionError, RuntimeError)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Rest:
    """What to run in the place of a statement that failed, and what to say about the parts left out."""

    statements: Sequence[ast.stmt]
    note: str = ""


class Omissions:
    """What was left out of a notebook's cells so far, and the names that are missing because of it."""

    def __init__(self) -> None:
        self._origins: dict[str, str] = {}  # by missing name: the statement that should have made it
        self._star = ""  # the last import of all names from something that is not there
        self._unmade: dict[str, BaseException] = {}  # by name: why the running cell did not make it

    def start_cell(self) -> None:
        """Forget why the cell before this one lacks names."""
        self._unmade = {}

    def rest(self, statement: ast.stmt, error: BaseException | None) -> Rest | None:
        """Return what is left of a statement that failed, or None where it would fail everywhere."""
        if error is None or _magic(statement)[:1] == ("run_cell_magic",):  # whose body is a cell of its own
            return None
        if type(error) is NameError and error.name is not None and self._origin(error.name):
            return self._without_name(statement, error, error.name)
        why = _reason(statement, error)
        if not why or isinstance(statement, _Definition):
            return None
        if isinstance(statement, ast.Import | ast.ImportFrom) and len(statement.names) > 1:
            return Rest(tuple(_one_by_one(statement)))
        return self._left_out(statement, error, why)

    def explained(self, described: Header) -> Header:
        """Return an error's description, with a sentence more where something left out has led to it."""
        match described:
            case {"type": "NameError", "message": str(message)}:
                origin = self._origin(message.removeprefix("name '").partition("'")[0])
                return (
                    {**described, "message": f"{message}. It should come {origin}."} if origin else described
                )
            case {"type": "ModuleNotFoundError", "message": str(message)}:
                return {**described, "message": f"{message} {_HERE}"}
        return described

    def unmade(self, names: Collection[str]) -> BaseException | None:
        """Return why the cell that ran lacks a name which a statement left out of it should have made."""
        return next((error for name, error in self._unmade.items() if name not in names), None)

    def _origin(self, name: str) -> str:
        """Return where a missing name should come from, or nothing for a name that was never to be made."""
        origin = self._origins.get(name, "" if hasattr(builtins, name) else self._star)
        return f"from {origin}, which was left out" if origin else ""

    def _without_name(self, statement: ast.stmt, error: NameError, name: str) -> Rest | None:
        """Return a statement without its uses of a missing name, so far as it can do without them."""
        why = f"`{name}` should come {self._origin(name)}"
        if not isinstance(statement, _Definition):
            return self._left_out(statement, error, why)
        kept = [decorator for decorator in statement.decorator_list if not _mentions(decorator, name)]
        if len(kept) < len(statement.decorator_list):
            statement.decorator_list = kept
            return Rest((statement,), f"A decorator of {statement.name} was left out: {why}.")
        if [node for node in ast.walk(statement) if _write_out(node, name)]:
            return Rest((statement,), f"Annotations of {statement.name} were not read: {why}.")
        return None

    def _left_out(self, statement: ast.stmt, error: BaseException, why: str) -> Rest:
        names, quoted = list(_bound(statement)), _quoted(statement)
        self._origins |= dict.fromkeys(names, quoted)
        if "*" in names:
            self._star = quoted
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            self._unmade |= dict.fromkeys(names, error)
        return Rest((), f"Line {statement.lineno}, {quoted}, was left out: {why}.")


def _reason(statement: ast.stmt, error: BaseException) -> str:
    """Return why a statement cannot work here, or nothing where it fails everywhere."""
    if isinstance(error, ImportError):
        return f"what it imports is not there {_HERE}"
    _, *magic = _magic(statement) or ("",)
    if magic and (isinstance(error, UsageError) or magic[0] in _DISPLAYS):
        return f"this magic is not there {_HERE}"
    if isinstance(error, _ELSEWHERE):
        said = describe(error)
        return f"{said['type']}, since your files, network and programs are not there {_HERE}"
    if isinstance(error, _NO_GPU) and isinstance(statement, ast.Expr | ast.Assert):
        return f"there is no GPU {_HERE}" if "cuda" in ast.unparse(statement).lower() else ""
    return ""


def _magic(statement: ast.stmt) -> tuple[str, ...]:
    """Return what IPython makes of a line that begins with %: the shell's method and its arguments."""
    match getattr(statement, "value", None):
        case ast.Call(ast.Attribute(ast.Call(ast.Name("get_ipython")), name), arguments):
            return (name, *(str(each.value) for each in arguments if isinstance(each, ast.Constant)))
    return ()


def _one_by_one(statement: ast.Import | ast.ImportFrom) -> Iterator[ast.stmt]:
    """Yield an import of several names as one import a name, so that one that fails loses no other."""
    for alias in statement.names:
        single = copy(statement)
        single.names = [alias]
        yield single


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield every name that a statement could have bound."""
    for node in ast.walk(statement):
        match node:
            case ast.Name(name, ast.Store()) | ast.FunctionDef(name) | ast.ClassDef(name):
                yield name
            case ast.alias(name, asname):
                yield asname or name.partition(".")[0]


def _mentions(tree: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


def _write_out(node: ast.AST, name: str) -> bool:
    """Turn a node's annotation into text if it uses `name`, as `from __future__ import annotations` would."""
    part = "returns" if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else "annotation"
    annotation = getattr(node, part, None)
    if annotation is None or not _mentions(annotation, name):
        return False
    setattr(node, part, ast.copy_location(ast.Constant(ast.unparse(annotation)), annotation))
    return True


def _quoted(statement: ast.stmt) -> str:
    """Return a statement's first line, in quotes, and a magic as it is typed."""
    _, *magic = _magic(statement) or ("",)
    text = f"%{' '.join(magic)}".rstrip() if magic else ast.unparse(statement).partition("\n")[0]
    return f"`{' '.join(text.split())[:_MAX_QUOTE]}`"
