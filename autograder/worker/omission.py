"""Leaves out of a cell what cannot work here: packages, files, the network, a GPU.

A notebook that runs in Colab or on a student's own machine may hold lines that have no meaning where it is
graded. Such a line must not cost the definitions below it: the cell runs on without it and says so.
"""

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence
from copy import copy

HERE = "where notebooks are graded"
LEFT_OUT = "which was left out"
NO_INPUT = "a graded cell cannot ask for input"
_MAX_QUOTE = 80  # characters of a statement that a message quotes
_DISPLAYS = ("matplotlib", "gui", "config")  # magics that only say how things are shown
_NO_GPU = (AssertionError, RuntimeError)
_IMPORTS = (ast.Import, ast.ImportFrom)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
# What to run in the place of a statement that failed, and a note on what is left out.
Rest = tuple[Sequence[ast.stmt], str]


class Omissions:
    """What was left out of a notebook's cells so far, and the names that are missing because of it."""

    def __init__(self) -> None:
        # By missing name: the statement that should have made it, and why it was left out. "*" is the last
        # import of all names from something that is not there.
        self._origins: dict[str, tuple[str, str]] = {}
        self._unmade: dict[str, BaseException] = {}  # by name: why the running cell did not make it

    def rest(self, statement: ast.stmt, error: BaseException | None) -> Rest | None:
        """Return what is left of a statement that failed, or None where it would fail everywhere."""
        if error is None or _magic(statement)[:1] == ("run_cell_magic",):  # whose body is a cell of its own
            return None
        if type(error) is NameError and self._origin(str(error.name))[0]:
            return self._without_name(statement, error)
        why = self._reason(statement, error)
        if not why or isinstance(statement, _DEFINITIONS):
            return None
        if isinstance(statement, _IMPORTS) and len(statement.names) > 1:
            return tuple(_one_by_one(statement)), ""
        return self._left_out(statement, error, why)

    def unmade(self, names: Collection[str]) -> BaseException | None:
        """Return why the cell that ran lacks a name which a statement left out of it should have made."""
        unmade, self._unmade = self._unmade, {}
        return next((error for name, error in unmade.items() if name not in names), None)

    def cause(self, name: str) -> str:
        """Return where a missing name should come from and why it does not; nothing if it was never made."""
        statement, why = self._origin(name)
        return f"from {statement}, {LEFT_OUT}: {why}" if statement else ""

    def _origin(self, name: str) -> tuple[str, str]:
        known = name in self._origins or not name or hasattr(builtins, name)
        return self._origins.get(name if known else "*", ("", ""))

    def _without_name(self, statement: ast.stmt, error: NameError) -> Rest | None:
        """Return a statement without its uses of a missing name, so far as it can do without them."""
        name = str(error.name)
        why = f"`{name}` should come from {self._origin(name)[0]}, {LEFT_OUT}"
        if not isinstance(statement, _DEFINITIONS):
            return self._left_out(statement, error, why)
        kept = [decorator for decorator in statement.decorator_list if not _mentions(decorator, name)]
        if len(kept) < len(statement.decorator_list):
            statement.decorator_list = kept
            return (statement,), f"A decorator of {statement.name} was left out: {why}."
        if [node for node in ast.walk(statement) if _write_out(node, name)]:
            return (statement,), f"Annotations of {statement.name} were not read: {why}."
        return None

    def _left_out(self, statement: ast.stmt, error: BaseException, why: str) -> Rest:
        names, quoted = list(_bound(statement)), _quoted(statement)
        self._origins.update(dict.fromkeys(names, (quoted, why)))
        if not isinstance(statement, _IMPORTS):
            self._unmade.update(dict.fromkeys(names, error))
        return (), f"Line {statement.lineno}, {quoted}, was left out: {why}."

    def _reason(self, statement: ast.stmt, error: BaseException) -> str:
        """Return why a statement cannot work here, or nothing where it fails everywhere."""
        if isinstance(error, ImportError):
            return f"what it imports is not there {HERE}"
        from IPython.core.error import UsageError  # only here: the grader reads answers by this module, too

        _, *magic = _magic(statement) or ("",)
        if magic and (isinstance(error, UsageError) or magic[0] in _DISPLAYS):
            return f"this magic is not there {HERE}"
        if isinstance(error, EOFError):  # nobody answers input()
            return NO_INPUT
        if isinstance(error, OSError):
            kind = type(error).__name__
            return f"{kind}: it needs a file, a program or the network, which is not there {HERE}"
        if isinstance(error, _NO_GPU) and isinstance(statement, (ast.Expr, ast.Assert)):
            return f"there is no GPU {HERE}" if "cuda" in ast.unparse(statement).lower() else ""
        return ""


def _magic(statement: ast.stmt) -> tuple[str, ...]:
    """Return what IPython makes of a line that begins with %: the shell's method and its arguments."""
    call = getattr(statement, "value", None)
    method = getattr(call, "func", None)
    if not isinstance(call, ast.Call) or not isinstance(method, ast.Attribute):
        return ()
    arguments = (str(each.value) for each in call.args if isinstance(each, ast.Constant))
    return (method.attr, *arguments) if ast.unparse(method.value) == "get_ipython()" else ()


def _one_by_one(statement: ast.Import | ast.ImportFrom) -> Iterator[ast.stmt]:
    """Yield an import of several names as one import a name, so that one that fails loses no other."""
    for alias in statement.names:
        single = copy(statement)
        single.names = [alias]
        yield single


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield every name that a statement could have bound."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]


def _mentions(tree: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


def _write_out(node: ast.AST, name: str) -> bool:
    """Turn a node's annotation into text if it uses `name`, as `from __future__ import annotations` would."""
    part = "returns" if isinstance(node, _FUNCTIONS) else "annotation"
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
