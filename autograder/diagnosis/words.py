"""Describes a repair in words: the line, the part of it, and the kind of mistake."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from autograder.diagnosis.code import Code, is_signed
from autograder.diagnosis.fragments import Edit
from autograder.diagnosis.trees import path_to_difference
from autograder.report.report import Place
from autograder.report.text import one_line

_MOST = 60  # characters of a student's code that are quoted
KINDS: Mapping[str, str] = {  # what an edit does; nothing is said of what it writes
    "argument": "other arguments",
    "assigned": "a plain assignment",
    "bound": "another bound",
    "buffer": "a buffer instead of this attribute",
    "comparison": "another comparison",
    "condition": "another condition",
    "copy": "a copy instead of a second name for the same tensor",
    "dimension": "another dimension",
    "discarded": "the result of this call kept instead of thrown away",
    "error": "another kind of error",
    "function": "another function",
    "in place": "a new tensor instead of a change in place",
    "missing": "one more step",
    "name": "another variable",
    "number": "another number",
    "operator": "another operator",
    "order": "the parts in another order",
    "place": "something else",
    "overwritten": "without this line",
    "return in the loop": "the `return` after the loop instead of inside it",
    "statement": "one more line",
    "step": "other values in this step",
    "swapped": "two names exchanged",
    "switch": "the other truth value",
    "too much": "one step less",
    "unread": "a value that is not used so far",
    "value": "another value",
}


@dataclass(frozen=True, slots=True)
class Spot:
    """What an edit changes, so that it can be shown in every answer with the same syntax tree.

    A node is a statement's number and the node's own among all nodes of that statement.
    """

    changed: tuple[int, int] | None  # the smallest part of the student's text
    others: tuple[tuple[int, int], ...] = ()  # that the edit changes too
    is_definition: bool = False  # a whole one, which is too long to be quoted


@dataclass(frozen=True, slots=True)
class Looked:
    """The code of one question in a submission, and where it stands."""

    code: Code
    texts: Mapping[int, str]  # of all cells on which it rests, by number
    main: str  # the text of the cell that defines the question

    def where(self, edit: Edit) -> str:
        """Return "in line 7, at `dim=-2`", in the student's own words."""
        return self.at(self.spot(edit))

    def at(self, spot: Spot) -> str:
        """Return "in line 7, at `dim=-2`" of what an edit of the same syntax tree changes."""
        text, node = self._text(spot), self._node(spot.changed)
        quoted = one_line(ast.get_source_segment(text, node) or "", _MOST + 1) if node else ""
        quoted = quoted if len(quoted) <= _MOST else f"{quoted[:_MOST]}…"
        *before, last = self._lines(spot) or [0]
        where = f"in lines {', '.join(map(str, before))} and {last}" if before else f"in line {last}"
        where += "" if text == self.main else f" of the cell that begins with `{_first(text)}`"
        return f"{where}, at `{quoted}`" if quoted and not spot.is_definition else where

    def place(self, question: str, edit: Edit) -> Place | None:
        """Return the first line that an edit changes in the cell that answers the question."""
        return self.line(question, self.spot(edit))

    def line(self, question: str, spot: Spot) -> Place | None:
        """Return the first changed line in the cell that answers the question."""
        lines = self._lines(spot) if spot.changed and self._text(spot) == self.main else []
        return Place(question, lines[0]) if lines else None

    def spot(self, edit: Edit) -> Spot:
        """Return what an edit changes."""
        others = (self._found(old, edit.cell) for old, _ in edit.more)
        is_definition = isinstance(edit.old, ast.FunctionDef | ast.ClassDef)
        return Spot(self._found(_changed(edit), edit.cell), tuple(filter(None, others)), is_definition)

    def _found(self, node: ast.AST, cell: int | None) -> tuple[int, int] | None:
        """Return where a node stands in the student's own code; an edit may have copied it meanwhile."""
        wanted = _extent(node)
        for number, statement in enumerate(self.code.statements if wanted[1] else ()):
            if self.code.cells[number] == cell:
                for at, one in enumerate(ast.walk(statement)):
                    if _extent(one) == wanted:
                        return number, at
        return None

    def _node(self, found: tuple[int, int] | None) -> ast.AST | None:
        if found is None:
            return None
        return next(islice(ast.walk(self.code.statements[found[0]]), found[1], None))

    def _text(self, spot: Spot) -> str:
        cells = self.code.cells
        return self.texts.get(cells[spot.changed[0]], "") if spot.changed else ""

    def _lines(self, spot: Spot) -> list[int]:
        """Return the lines that an edit changes, as its cell counts them."""
        nodes = map(self._node, (spot.changed, *spot.others))
        return sorted({getattr(node, "lineno", 0) for node in nodes} - {0})


def _extent(node: ast.AST) -> tuple[object, ...]:
    """Return a node's type, and where it begins and ends in the text."""
    ends = (getattr(node, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
    return type(node), *ends


@dataclass(frozen=True, slots=True)
class Unplaced(Looked):
    """The code of an answer whose explanation is shared with others that have the same syntax tree.

    In the words, the numbers of `spots` stand between zeros in the place of lines and quotations.
    """

    spots: list[Spot] = field(default_factory=list)

    def where(self, edit: Edit) -> str:
        """Return the number of the spot."""
        return f"\0{self._number(edit)}\0"

    def place(self, question: str, edit: Edit) -> Place | None:
        """Return a place with the number of the spot instead of a line."""
        return Place(question, self._number(edit)) if Looked.place(self, question, edit) else None

    def _number(self, edit: Edit) -> int:
        self.spots.append(self.spot(edit))
        return len(self.spots) - 1


def _changed(edit: Edit) -> ast.AST:
    """Return the smallest part of the student's text that an edit changes."""
    part = _part(edit)
    return part if getattr(part, "lineno", 0) else edit.at or edit.old


def _first(text: str) -> str:
    line = next(
        (one for one in text.splitlines() if one.startswith(("def ", "class "))), text.partition("\n")[0]
    )
    return one_line(line.strip(), _MOST // 2)


def _part(edit: Edit) -> ast.AST:
    """Return the smallest part of what is edited that the edit changes."""
    old, new = edit.old, edit.make()
    if edit.kind == "return in the loop" and isinstance(old, ast.For):
        return old.body[-1]
    if isinstance(new, list) or edit.kind in ("missing", "too much"):
        return old
    return _smallest(old, new)


def _smallest(old: ast.AST, new: ast.AST) -> ast.AST:
    """Return the smallest part of a node that differs from another one; of calls, perhaps an argument."""
    part, made = old, new
    for one, other in path_to_difference(old, new):
        if getattr(one, "lineno", 0):  # an operator has no place
            part, made = one, other
        if is_signed(one):
            break
    if (
        isinstance(part, ast.Call)
        and isinstance(made, ast.Call)
        and ast.unparse(part.func) == ast.unparse(made.func)
    ):
        ones, others = _arguments(part), _arguments(made)
        match (
            [ones[text] for text in ones if text not in others],
            [others[text] for text in others if text not in ones],
        ):
            case [one], [other]:
                return _smallest(one, other)
            case [one], []:
                return one
    return part


def _arguments(node: ast.Call) -> dict[str, ast.expr]:
    """Return a call's arguments by their texts."""
    return {ast.unparse(one): one for one in (*node.args, *(keyword.value for keyword in node.keywords))}


def shown(edit: Edit) -> str:
    """Return what stands there instead, where an author lets students see it."""
    new = edit.make()
    parts = new if isinstance(new, list) else [new]
    return "; ".join(
        ast.unparse(ast.fix_missing_locations(part)) for part in parts if not isinstance(part, ast.Pass)
    )
