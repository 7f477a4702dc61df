"""Leaves out statements that need something the worker lacks: a package, a file, the network or a GPU.

A notebook from Colab or from a student's machine may contain such lines. The cell runs without them, so that
its other lines can be graded, and a note tells the student.
"""

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence
from copy import copy

HERE = "where notebooks are graded"
LEFT_OUT = "which was left out"
NO_INPUT = "a graded cell cannot ask for input"
_MAX_QUOTE = 80  # largest number of characters of a statement in a message
_DISPLAYS = ("matplotlib", "gui", "config")  # magics that only affect how output is displayed
_NO_GPU = (AssertionError, RuntimeError)
_IMPORTS = (ast.Import, ast.ImportFrom)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
# Statements to run in place of a failed statement, and a note on the part that is left out.
Rest = tuple[Sequence[ast.stmt], str]


class Omissions:
    """The statements that were left out of a notebook's cells, and the names that are therefore undefined."""

    def __init__(self) -> None:
        # {undefined name: (the left-out statement that should define the name, why it was left out)}. The
        # name "*" stands for the last `from package import *` of a missing package.
        self._origins: dict[str, tuple[str, str]] = {}
        # For the cell that ran last: {undefined name: error of the left-out statement that should define it}.
        self._unbound: dict[str, BaseException] = {}

    def rest(self, statement: ast.stmt, error: BaseException | None) -> Rest | None:
        """Return the statements to run in place of a failed statement.

        Return None for a statement that would fail on any machine.
        """
        # A cell magic such as %%time runs its body as a separate cell, where failed statements are left out.
        if error is None or _magic(statement)[:1] == ("run_cell_magic",):
            return None
        if type(error) is NameError and self._origin(str(error.name))[0]:
            return self._without_name(statement, error)
        why = self._reason(statement, error)
        if not why or isinstance(statement, _DEFINITIONS):
            return None
        if isinstance(statement, _IMPORTS) and len(statement.names) > 1:
            return tuple(_one_by_one(statement)), ""
        return self._left_out(statement, error, why)

    def first_unbound(self, names: Collection[str]) -> BaseException | None:
        """Empty `_unbound`, and return its first error for an undefined name, or None.

        `names` are the defined names.
        """
        unbound, self._unbound = self._unbound, {}
        return next((error for name, error in unbound.items() if name not in names), None)

    def cause(self, name: str) -> str:
        """Return the left-out statement that should define `name`, and the reason; or "" if there is none."""
        statement, why = self._origin(name)
        return f"{statement}, {LEFT_OUT}: {why}" if statement else ""

    def _origin(self, name: str) -> tuple[str, str]:
        from_star = name and name not in self._origins and not hasattr(builtins, name)
        return self._origins.get("*" if from_star else name, ("", ""))

    def _without_name(self, statement: ast.stmt, error: NameError) -> Rest | None:
        """Return a definition without the decorators and annotations that use a missing name."""
        name = str(error.name)
        why = f"`{name}` should come from {self._origin(name)[0]}, {LEFT_OUT}"
        if not isinstance(statement, _DEFINITIONS):
            return self._left_out(statement, error, why)
        kept = [decorator for decorator in statement.decorator_list if not _mentions(decorator, name)]
        if len(kept) < len(statement.decorator_list):
            statement.decorator_list = kept
            return (statement,), f"A decorator of {statement.name} was left out: {why}."
        if [node for node in ast.walk(statement) if _quote_annotation(node, name)]:
            return (statement,), f"Annotations of {statement.name} were ignored: {why}."
        return None

    def _left_out(self, statement: ast.stmt, error: BaseException, why: str) -> Rest:
        names, quoted = list(_bound(statement)), _quoted(statement)
        self._origins.update(dict.fromkeys(names, (quoted, why)))
        if not isinstance(statement, _IMPORTS):
            self._unbound.update(dict.fromkeys(names, error))
        return (), f"Line {statement.lineno}, {quoted}, was left out: {why}."

    def _reason(self, statement: ast.stmt, error: BaseException) -> str:
        """Return the reason why a statement cannot work here, or "" if it would fail on any machine."""
        if isinstance(error, ImportError):
            return f"the imported package or name does not exist {HERE}"
        from IPython.core.error import UsageError  # the grader imports this module, but not IPython

        _, *magic = _magic(statement) or ("",)
        if magic and (isinstance(error, UsageError) or magic[0] in _DISPLAYS):
            return f"this magic does not exist {HERE}"
        if isinstance(error, EOFError):  # raised by input()
            return NO_INPUT
        if isinstance(error, OSError):
            kind = type(error).__name__
            return f"{kind}: it needs a file, a program or the network, which is not available {HERE}"
        if isinstance(error, _NO_GPU) and isinstance(statement, (ast.Expr, ast.Assert)):
            return f"there is no GPU {HERE}" if "cuda" in ast.unparse(statement).lower() else ""
        return ""


def _magic(statement: ast.stmt) -> tuple[str, ...]:
    """Return ("run_line_magic", "cd", "x") for get_ipython().run_line_magic("cd", "x"); else ()."""
    call = getattr(statement, "value", None)
    method = getattr(call, "func", None)
    if not isinstance(call, ast.Call) or not isinstance(method, ast.Attribute):
        return ()
    arguments = (str(each.value) for each in call.args if isinstance(each, ast.Constant))
    return (method.attr, *arguments) if ast.unparse(method.value) == "get_ipython()" else ()


def _one_by_one(statement: ast.Import | ast.ImportFrom) -> Iterator[ast.stmt]:
    """Split an import of several names, so that the failure of one name does not affect the other names."""
    for alias in statement.names:
        single = copy(statement)
        single.names = [alias]
        yield single


def _bound(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]


def _mentions(tree: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


def _quote_annotation(node: ast.AST, name: str) -> bool:
    """Make a node's annotation a string if it uses `name`, so that Python does not evaluate it."""
    part = "returns" if isinstance(node, _FUNCTIONS) else "annotation"
    annotation = getattr(node, part, None)
    if annotation is None or not _mentions(annotation, name):
        return False
    setattr(node, part, ast.copy_location(ast.Constant(ast.unparse(annotation)), annotation))
    return True


def _quoted(statement: ast.stmt) -> str:
    """Return a statement's first line in backquotes. A magic is written as the student typed it."""
    _, *magic = _magic(statement) or ("",)
    text = f"%{' '.join(magic)}".rstrip() if magic else ast.unparse(statement).partition("\n")[0]
    return f"`{' '.join(text.split())[:_MAX_QUOTE]}`"
