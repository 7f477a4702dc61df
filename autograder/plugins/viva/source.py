"""Reads a student's answer, and makes copies that have a small change or return an intermediate result."""

import ast
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from autograder.course.code import UNREADABLE, bound_names, parsed, quick_to_parse, readable
from autograder.diagnosis.code import Code
from autograder.diagnosis.mutations import changes
from autograder.diagnosis.trees import is_docstring
from autograder.submission.notebook import NotebookCell

MOST_LINES = 60  # longer answers get no questions: reading them takes over five minutes
_MOST_LETTERS = 80  # at most this many characters of code are quoted
# Statements that do not branch.
_ONCE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return | ast.Assert | ast.Raise
_STEPS = ast.Call | ast.BinOp | ast.Subscript | ast.UnaryOp  # expressions with a result to ask about
# Expressions whose parts may run several times, or not at all.
_BRANCHING = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.JoinedStr, ast.ListComp, ast.SetComp, ast.DictComp)


class Variant(NamedTuple):
    """A copy of an answer that has a small change, or that returns an intermediate result."""

    line: int  # the line at which the copy differs
    quoted: str  # the code of that line, or of the intermediate result
    code: str  # the code of the whole copy
    one_line: bool  # true for a statement on one line, and for a changed statement with a body


@dataclass(frozen=True)
class Answer:
    """The function or class that answers a question. Its lines are numbered as in the cell."""

    name: str
    cell: int
    text: str
    tree: ast.FunctionDef | ast.ClassDef

    @cached_property
    def entry(self) -> ast.FunctionDef | None:
        """The function that a call runs; for a module, its `forward`."""
        if isinstance(self.tree, ast.FunctionDef):
            return self.tree
        methods = (method for method in self.tree.body if isinstance(method, ast.FunctionDef))
        return next((method for method in methods if method.name == "forward"), None)

    @cached_property
    def steps(self) -> list[ast.stmt]:
        """The statements of the function that a call runs, without its docstring."""
        return (
            [statement for statement in self.entry.body if not is_docstring(statement)] if self.entry else []
        )

    @cached_property
    def lines(self) -> dict[int, str]:
        """The lines by number, without docstrings, comments and empty lines."""
        first = min([self.tree.lineno, *(node.lineno for node in self.tree.decorator_list)])
        numbers = {*range(first, (self.tree.end_lineno or first) + 1)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt) and is_docstring(node):
                numbers -= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
        numbered = ((n, line) for n, line in enumerate(self.text.split("\n"), 1) if n in numbers)
        return {n: line for n, line in numbered if line.strip() and not line.lstrip().startswith("#")}

    def variants(self, rng: random.Random, most: int) -> list[Variant]:
        """Return at most `most` copies, each with one small change of the called function."""
        inside = (node for step in self.steps for node in ast.walk(step) if isinstance(node, ast.stmt))
        # The innermost statement around each node. In `inside`, inner statements come after outer statements.
        around = {id(part): statement for statement in inside for part in ast.walk(statement)}
        code, variants = Code((self.tree,)), list[Variant]()
        nodes = [node for node in code.places if id(node.node) in around]
        edits = [edit for node in nodes for edit in changes(node.node, node.scope) if _is_telling(*edit)]
        rng.shuffle(edits)
        for edit in edits:
            edited_part = Code((around[id(edit[0])],))
            with suppress(*UNREADABLE, AttributeError):  # the changed tree is not valid code
                before, after = (c.text.split("\n")[0] for c in (edited_part, edited_part.edited([edit])))
                if len(after) <= _MOST_LETTERS and after != before and len(variants) < most:
                    (statement,) = edited_part.statements
                    one_line = statement.lineno == statement.end_lineno or hasattr(statement, "body")
                    variants.append(Variant(statement.lineno, after, code.edited([edit]).text, one_line))
        return variants

    def inner_results(self) -> Iterator[Variant]:
        """Yield copies that return an intermediate result of the called function, in the order of the code.

        Code below a branch or loop with a `return` is left out, because this code does not always run.
        """
        for statement in self.steps:
            may_return = any(isinstance(part, ast.Return) for part in ast.walk(statement))
            if may_return and not isinstance(statement, _ONCE):
                return
            match statement:
                case ast.Assign(targets=[ast.Name(name), *_]) | ast.AnnAssign(target=ast.Name(name)):
                    pass
                case _:
                    name = ""
            value = getattr(statement, "value", None) if isinstance(statement, _ONCE) else None
            for part in _inner(value) if isinstance(value, ast.expr) else ():
                named = bool(name) and part is value
                quoted = name if named else ast.unparse(part)
                if len(quoted) <= _MOST_LETTERS:
                    line = (statement.end_lineno if named else None) or part.lineno
                    code = Code((self.tree,)).edited([(statement, ast.Return(part))]).text
                    yield Variant(line, quoted, code, statement.lineno == statement.end_lineno)

    def is_straight_to(self, line: int) -> bool:
        """Whether the called function runs all statements above `line` exactly once, for all inputs."""
        return all(isinstance(step, _ONCE) for step in self.steps if step.lineno < line)


class UnwritableError(Exception):
    """Raised for an answer about which no question can be made. The message says why."""


def read_answer(name: str, cells: Sequence[NotebookCell]) -> Answer | None:
    """Return a student's answer to a question, or None if it is not a function or class in Python.

    Raise UnwritableError if no question can be made about it.
    """
    for cell in (cell for cell in reversed(cells) if name in bound_names(cell.text)):
        if not (readable([cell.text]) and quick_to_parse(cell.text)):
            raise UnwritableError("its cell is too long, or its code is nested too deeply")
        for node in reversed(parsed(cell.text) or []):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                answer = Answer(name, cell.number, cell.text.replace("\r\n", "\n"), node)
                if len(answer.lines) > MOST_LINES:
                    raise UnwritableError(f"it has more than {MOST_LINES} lines")
                if not _can_be_unparsed(node):
                    raise UnwritableError("Python cannot turn its syntax tree back into code")
                return answer
    return None


def _can_be_unparsed(node: ast.stmt) -> bool:
    """Whether Python can turn this syntax tree into code. Very large numbers and very long sums fail."""
    with suppress(*UNREADABLE):
        return bool(ast.unparse(node))
    return False


def _is_telling(old: ast.AST, new: ast.AST) -> bool:
    """Whether a change makes a useful question.

    The change must not replace a `return` or an expression statement. A constant may replace only a constant.
    """
    constant = ast.Constant | ast.UnaryOp
    return isinstance(old, constant) or (
        not isinstance(new, constant) and not isinstance(old, ast.Return | ast.Expr)
    )


def _inner(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the operations in an expression that run exactly once, inner operations first."""
    if isinstance(value, (*_BRANCHING, ast.GeneratorExp)):
        return
    children = [*ast.iter_child_nodes(value)]
    if isinstance(value, ast.Call):
        called = [value.func.value] if isinstance(value.func, ast.Attribute) else []
        children = [*called, *value.args, *(keyword.value for keyword in value.keywords)]
    for child in children:
        if isinstance(child, ast.expr):
            yield from _inner(child)
    if isinstance(value, _STEPS):
        yield value
