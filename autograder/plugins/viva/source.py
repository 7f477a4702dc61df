"""A student's answer: its lines, copies with a small change, and copies that return an inner result."""

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

MOST_LINES = 60  # of an answer; a longer one takes more than five minutes to read
_MOST_LETTERS = 80  # of code that is quoted
_ONCE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return | ast.Assert | ast.Raise
_STEPS = ast.Call | ast.BinOp | ast.Subscript | ast.UnaryOp
_OTHERWISE = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.JoinedStr, ast.ListComp, ast.SetComp, ast.DictComp)


class Variant(NamedTuple):
    """A copy of an answer: the line that differs, and the code of that line or of what is returned there."""

    line: int
    quoted: str
    code: str
    one_line: bool  # whether the whole statement stands on one line


@dataclass(frozen=True)
class Answer:
    """The function or class with which a student answers a question; lines are counted as in its cell."""

    name: str
    cell: int
    text: str
    tree: ast.FunctionDef | ast.ClassDef

    @cached_property
    def entry(self) -> ast.FunctionDef | None:
        """The function that a call runs, which is a module's `forward`."""
        if isinstance(self.tree, ast.FunctionDef):
            return self.tree
        methods = (one for one in self.tree.body if isinstance(one, ast.FunctionDef))
        return next((one for one in methods if one.name == "forward"), None)

    @cached_property
    def steps(self) -> list[ast.stmt]:
        """The statements of the function that a call runs, without its docstring."""
        return [one for one in self.entry.body if not is_docstring(one)] if self.entry else []

    @cached_property
    def lines(self) -> dict[int, str]:
        """The lines by number, without docstrings, comments and empty lines."""
        first = min([self.tree.lineno, *(one.lineno for one in self.tree.decorator_list)])
        kept = {*range(first, (self.tree.end_lineno or first) + 1)}
        for one in ast.walk(self.tree):
            if isinstance(one, ast.stmt) and is_docstring(one):
                kept -= {*range(one.lineno, (one.end_lineno or one.lineno) + 1)}
        numbered = ((n, line) for n, line in enumerate(self.text.split("\n"), 1) if n in kept)
        return {n: line for n, line in numbered if line.strip() and not line.lstrip().startswith("#")}

    def changed(self, chance: random.Random, most: int) -> list[Variant]:
        """Return some copies with one small change each of the called function."""
        inside = (one for step in self.steps for one in ast.walk(step) if isinstance(one, ast.stmt))
        around = {id(part): one for one in inside for part in ast.walk(one)}  # the innermost comes last
        code, found = Code((self.tree,)), list[Variant]()
        places = [place for place in code.places if id(place.node) in around]
        edits = [edit for place in places for edit in changes(place.node, place.scope) if _is_telling(*edit)]
        chance.shuffle(edits)
        for edit in edits:
            own = Code((around[id(edit[0])],))
            with suppress(*UNREADABLE, AttributeError):  # the change makes no code
                before, after = (one.text.split("\n")[0] for one in (own, own.edited([edit])))
                if len(after) <= _MOST_LETTERS and after != before and len(found) < most:
                    (one,) = own.statements
                    one_line = one.lineno == one.end_lineno or hasattr(one, "body")
                    found.append(Variant(one.lineno, after, code.edited([edit]).text, one_line))
        return found

    def inner(self) -> Iterator[Variant]:
        """Yield copies that return an inner result of the called function, in the order of these.

        They end at a statement that may return: what comes after it may not run.
        """
        for one in self.steps:
            if not isinstance(one, _ONCE) and any(isinstance(part, ast.Return) for part in ast.walk(one)):
                return
            match one:
                case ast.Assign(targets=[ast.Name(name), *_]) | ast.AnnAssign(target=ast.Name(name)):
                    pass
                case _:
                    name = ""
            value = getattr(one, "value", None) if isinstance(one, _ONCE) else None
            for part in _inner(value) if isinstance(value, ast.expr) else ():
                named = bool(name) and part is value
                quoted = name if named else ast.unparse(part)
                if len(quoted) <= _MOST_LETTERS:
                    line = (one.end_lineno if named else None) or part.lineno
                    code = Code((self.tree,)).edited([(one, ast.Return(part))]).text
                    yield Variant(line, quoted, code, one.lineno == one.end_lineno)

    def is_straight_to(self, line: int) -> bool:
        """Whether each statement of the called function before a line runs once, whatever goes in."""
        return all(isinstance(one, _ONCE) for one in self.steps if one.lineno < line)


class UnwritableError(Exception):
    """No question can be made about an answer because of its size or form; the message says why."""


def read_answer(name: str, cells: Sequence[NotebookCell]) -> Answer | None:
    """Return a student's answer to a question, or None if it is not a function or class in Python.

    UnwritableError says why no question can be made about an answer.
    """
    for cell in (cell for cell in reversed(cells) if name in bound_names(cell.text)):
        if not (readable([cell.text]) and quick_to_parse(cell.text)):
            raise UnwritableError("its cell is too long, or its code is nested too deeply")
        for node in reversed(parsed(cell.text) or []):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                answer = Answer(name, cell.number, cell.text.replace("\r\n", "\n"), node)
                if len(answer.lines) > MOST_LINES:
                    raise UnwritableError(f"it has more than {MOST_LINES} lines")
                if not _can_be_written(node):
                    raise UnwritableError("Python cannot write changed copies of its code as text")
                return answer
    return None


def _can_be_written(node: ast.stmt) -> bool:
    """Whether Python can write this code as text, which it cannot for very large numbers and long sums."""
    with suppress(*UNREADABLE):
        return bool(ast.unparse(node))
    return False


def _is_telling(old: ast.AST, new: ast.AST) -> bool:
    """Whether a change is more than the loss of a result, or a constant in the place of a call."""
    constant = ast.Constant | ast.UnaryOp
    return isinstance(old, constant) or (
        not isinstance(new, constant) and not isinstance(old, ast.Return | ast.Expr)
    )


def _inner(value: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression after those that it is made of, without what runs only sometimes or often."""
    if isinstance(value, (*_OTHERWISE, ast.GeneratorExp)):
        return
    children = [*ast.iter_child_nodes(value)]
    if isinstance(value, ast.Call):
        called = [value.func.value] if isinstance(value.func, ast.Attribute) else []
        children = [*called, *value.args, *(one.value for one in value.keywords)]
    for child in children:
        if isinstance(child, ast.expr):
            yield from _inner(child)
    if isinstance(value, _STEPS):
        yield value
