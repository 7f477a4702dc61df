"""A student's answer: its lines, copies with a small change, and copies that return an inner result."""

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from autograder.course.code import UNREADABLE, bound_names, quick_to_parse, readable
from autograder.diagnosis.code import Code
from autograder.diagnosis.mutations import Change, changes
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
    edit: Change
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
    def code(self) -> Code:
        """The answer as code that can be edited."""
        return Code((self.tree,))

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
        own = {id(part) for step in self.steps for part in ast.walk(step)}
        places = [place for place in self.code.places if id(place.node) in own]
        pairs = [pair for place in places for pair in changes(place.node, place.scope)]
        chance.shuffle(pairs)
        made = (one for old, new in pairs if _is_telling(old, new) for one in self._changed((old, new)))
        return [*islice(made, most)]

    def inner(self) -> Iterator[Variant]:
        """Yield copies that return an inner result of the called function, in the order of these."""
        for one in self.steps:
            value = getattr(one, "value", None) if isinstance(one, _ONCE) else None
            target = getattr(one, "targets", [getattr(one, "target", None)])[0]
            name = target.id if isinstance(target, ast.Name) else ""
            for part in _inner(value) if isinstance(value, ast.expr) else ():
                named = bool(name) and part is value and not isinstance(one, ast.AugAssign)
                quoted, edit = name if named else ast.unparse(part), (one, ast.Return(part))
                if len(quoted) <= _MOST_LETTERS:
                    line = (one.end_lineno if named else None) or part.lineno
                    yield Variant(line, quoted, edit, self.code.edited([edit]).text, _is_line(one))

    def both(self, one: Variant, other: Variant) -> str:
        """Return a copy with two edits, or nothing where one of them lies in the other."""
        nested = any(part is one.edit[0] for part in ast.walk(other.edit[0]))
        return "" if nested else self.code.edited([one.edit, other.edit]).text

    def is_straight_to(self, line: int) -> bool:
        """Whether each statement of the called function before a line runs once, whatever goes in."""
        return all(isinstance(one, _ONCE) for one in self.steps if one.lineno < line)

    @cached_property
    def _statements(self) -> dict[int, ast.stmt]:
        """The innermost statement around each node."""
        walked = (one for one in ast.walk(self.tree) if isinstance(one, ast.stmt))
        return {id(part): one for one in walked for part in ast.walk(one)}

    def _changed(self, edit: Change) -> Iterator[Variant]:
        statement = self._statements[id(edit[0])]
        try:
            after = Code((statement,)).edited([edit]).text.split("\n")[0]
            if len(after) <= _MOST_LETTERS and after != Code((statement,)).text.split("\n")[0]:
                one_line = _is_line(statement) or hasattr(statement, "body")
                yield Variant(statement.lineno, after, edit, self.code.edited([edit]).text, one_line)
        except (*UNREADABLE, AttributeError):
            return  # the change makes no code


def read_answer(name: str, cells: Sequence[NotebookCell]) -> Answer | None:
    """Return a student's answer to a question, or None where it is no short function or class in Python."""
    for cell in reversed(cells):
        if name not in bound_names(cell.text) or not readable([cell.text]) or not quick_to_parse(cell.text):
            continue
        try:
            body = ast.parse(cell.text).body
        except UNREADABLE:
            return None
        for node in reversed(body):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                answer = Answer(name, cell.number, cell.text.replace("\r\n", "\n"), node)
                return answer if len(answer.lines) <= MOST_LINES else None
    return None


def _is_telling(old: ast.AST, new: ast.AST) -> bool:
    """Whether a change is more than the loss of a result, or a constant in the place of a call."""
    constant = ast.Constant | ast.UnaryOp
    return isinstance(old, constant) or (
        not isinstance(new, constant) and not isinstance(old, ast.Return | ast.Expr)
    )


def _is_line(statement: ast.stmt) -> bool:
    return statement.lineno == statement.end_lineno


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
