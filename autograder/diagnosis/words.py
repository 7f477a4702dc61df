"""Describes a repair in words: the line, the part of it, and the kind of mistake."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.diagnosis.code import Code, is_signed
from autograder.diagnosis.pieces import Edit
from autograder.diagnosis.trees import way
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
    "function": "another function",
    "in place": "a new tensor instead of a change in place",
    "missing": "one more step",
    "name": "another variable",
    "number": "another number",
    "operator": "another operator",
    "order": "the parts in another order",
    "place": "something else",
    "return in the loop": "the `return` after the loop instead of inside it",
    "step": "other values in this step",
    "switch": "the other truth value",
    "too much": "one step less",
    "unread": "a value that is not used so far",
    "value": "another value",
}


@dataclass(frozen=True, slots=True)
class Looked:
    """The code of one question in a submission, and where it stands."""

    code: Code
    texts: Mapping[int, str]  # of all cells on which it rests, by number
    main: str  # the text of the cell that defines the question

    def where(self, edit: Edit) -> str:
        """Return "in line 7, at `dim=-2`", in the student's own words."""
        text = self.texts.get(edit.cell, "") if edit.cell is not None else ""
        quoted = one_line(ast.get_source_segment(text, _changed(edit)) or "", _MOST + 1)
        quoted = quoted if len(quoted) <= _MOST else f"{quoted[:_MOST]}…"
        *before, last = _lines(edit) or [0]
        where = f"in lines {', '.join(map(str, before))} and {last}" if before else f"in line {last}"
        where += "" if text == self.main else f" of the cell that begins with `{_first(text)}`"
        if isinstance(edit.old, ast.FunctionDef | ast.ClassDef):
            return where
        return f"{where}, at `{quoted}`" if quoted else where

    def place(self, question: str, edit: Edit) -> Place | None:
        """Return the first line that an edit changes in the cell that answers the question."""
        in_main = edit.cell is not None and self.texts.get(edit.cell) == self.main
        lines = _lines(edit) if in_main else []
        return Place(question, lines[0]) if lines else None


def _lines(edit: Edit) -> list[int]:
    """Return the lines that an edit changes, as its cell counts them."""
    changed = (_changed(edit), *(old for old, _ in edit.more))
    return sorted({getattr(node, "lineno", 0) for node in changed} - {0})


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
    for one, other in way(old, new):
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
