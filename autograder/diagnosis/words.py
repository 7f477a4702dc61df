"""Describes a repair in words: the changed line, the part of the line, and the kind of change."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import islice
from typing import Any

from autograder.diagnosis.code import Code, is_signed
from autograder.diagnosis.fragments import Edit
from autograder.diagnosis.known_results import Mistake
from autograder.diagnosis.misconceptions import Misconception
from autograder.diagnosis.trees import is_same_call, path_to_difference, position
from autograder.report.report import AnswerLine
from autograder.report.text import one_line

_MOST_ALTERNATIVES = 2  # a sentence lists at most this many mistakes with the same results
_LONGEST_QUOTE = 60  # the largest number of characters of student code in a quotation
KINDS: Mapping[str, str] = {  # by kind of edit: a description of the change, without the new code
    "argument": "other arguments",
    "assigned": "a plain assignment",
    "bound": "another bound or index",
    "buffer": "a buffer instead of this attribute",
    "comparison": "another comparison",
    "condition": "another condition",
    "copy": "a copy instead of a second name for the same tensor",
    "dimension": "another dimension",
    "discarded": "an assignment of the result of this call",
    "error": "another kind of error",
    "function": "another function",
    "in place": "a new tensor instead of an in-place change",
    "missing": "one more step",
    "name": "another variable",
    "number": "another number",
    "operator": "another operator",
    "order": "these lines or parts in another order",
    "place": "something else",
    "overwritten": "without this line",
    "return in the loop": "the `return` after the loop instead of inside it",
    "statement": "one more line",
    "step": "other variables or numbers in this expression",
    "swapped": "two names exchanged",
    "switch": "the other truth value",
    "too much": "without this step",
    "unread": "use of a variable that the code defines but never uses",
    "value": "another value",
}


@dataclass(frozen=True, slots=True)
class Spot:
    """The positions of the nodes that an edit changes, valid for all answers with the same syntax tree.

    A position has the index of a statement, and the index of a node in it (in the order of ast.walk).
    """

    changed: tuple[int, int] | None  # the smallest changed part of the student's text
    others: tuple[tuple[int, int], ...] = ()  # further nodes that the edit changes
    # True if the changed code is a definition or a part of a removed step. Such code is not quoted.
    is_unquoted: bool = False


@dataclass(frozen=True, slots=True)
class Looked:
    """The code of one question in a submission, and the cells that contain it."""

    code: Code
    texts: Mapping[int, str]  # the texts of the cells that the question depends on, by cell number
    main: str  # the text of the cell that defines the question

    def where(self, edit: Edit) -> str:
        """Return where an edit changes the code, such as "in line 7, at `dim=-2`"."""
        return self.at(self.spot(edit))

    def at(self, spot: Spot) -> str:
        """Return where a spot is, in the same form as `where`."""
        text, node = self._cell_text(spot), self._node_at(spot.changed)
        quoted = one_line(ast.get_source_segment(text, node) or "", _LONGEST_QUOTE + 1) if node else ""
        quoted = quoted if len(quoted) <= _LONGEST_QUOTE else f"{quoted[:_LONGEST_QUOTE]}…"
        *before, last = self._changed_lines(spot) or [0]
        where = f"in lines {', '.join(map(str, before))} and {last}" if before else f"in line {last}"
        where += "" if text == self.main else f" of the cell that begins with `{_first_line(text)}`"
        return f"{where}, at `{quoted}`" if quoted and not spot.is_unquoted else where

    def place(self, question: str, edit: Edit) -> AnswerLine | None:
        """Return the first line that an edit changes in the answer's cell, or None."""
        return self.line(question, self.spot(edit))

    def line(self, question: str, spot: Spot) -> AnswerLine | None:
        """Return the first changed line of a spot in the answer's cell, or None."""
        lines = self._changed_lines(spot) if spot.changed and self._cell_text(spot) == self.main else []
        return AnswerLine(question, lines[0]) if lines else None

    def spot(self, edit: Edit) -> Spot:
        """Return the spot that an edit changes."""
        others = [self._position(old, edit.cell) for old, _ in edit.more]
        is_unquoted = isinstance(edit.old, ast.FunctionDef | ast.ClassDef)
        changed, (removed, adds_nodes) = _changed_part(edit), _removed_nodes(edit)
        if not getattr(changed, "lineno", 0):
            is_unquoted |= bool(removed) and not adds_nodes
            changed = removed[0] if removed and not adds_nodes else edit.at or edit.old
        others += self._joined_positions(changed, removed, edit.cell)
        return Spot(self._position(changed, edit.cell), tuple(filter(None, others)), is_unquoted)

    def _joined_positions(
        self, changed: ast.AST, removed: Sequence[ast.AST], cell: int | None
    ) -> Iterator[tuple[int, int] | None]:
        """Yield the positions of removed nodes that the student wrote in another statement than `changed`.

        An edit of the code with joined statements can remove such nodes.
        """
        pairs = zip(self.code.statements, self.code.cells, strict=True)
        of_cell = [statement for statement, its_cell in pairs if its_cell == cell]
        statements = [node for statement in of_cell for node in ast.walk(statement) if _is_simple(node)]
        first = _statement_line(changed, statements)
        for node in removed if first else ():
            if _statement_line(node, statements) not in (0, first):
                yield self._position(node, cell)

    def _position(self, node: ast.AST, cell: int | None) -> tuple[int, int] | None:
        """Return the position of a node, or of the node's original, in the student's code."""
        extent = _extent(node)
        for index, statement in enumerate(self.code.statements if extent[1] else ()):
            if self.code.cells[index] == cell:
                for node_index, part in enumerate(ast.walk(statement)):
                    if _extent(part) == extent:
                        return index, node_index
        return None

    def _node_at(self, position: tuple[int, int] | None) -> ast.AST | None:
        if position is None:
            return None
        return next(islice(ast.walk(self.code.statements[position[0]]), position[1], None))

    def _cell_text(self, spot: Spot) -> str:
        cells = self.code.cells
        return self.texts.get(cells[spot.changed[0]], "") if spot.changed else ""

    def _changed_lines(self, spot: Spot) -> list[int]:
        nodes = map(self._node_at, (spot.changed, *spot.others))
        return sorted({getattr(node, "lineno", 0) for node in nodes} - {0})


def _extent(node: ast.AST) -> tuple[object, ...]:
    return type(node), *position(node)


@dataclass(frozen=True, slots=True)
class Unplaced(Looked):
    """The code of an answer, for an explanation that is valid for all answers with the same syntax tree.

    Its texts contain indices of `spots`, between NUL characters. In the explanation of one answer, the
    answer's lines and quotations replace these indices.
    """

    spots: list[Spot] = field(default_factory=list)

    def where(self, edit: Edit) -> str:
        """Return the index of the edit's spot between NUL characters."""
        return f"\0{self._number(edit)}\0"

    def place(self, question: str, edit: Edit) -> AnswerLine | None:
        """Return an AnswerLine with the index of the spot instead of a line number."""
        return AnswerLine(question, self._number(edit)) if Looked.place(self, question, edit) else None

    def _number(self, edit: Edit) -> int:
        self.spots.append(self.spot(edit))
        return len(self.spots) - 1


def _is_simple(node: ast.AST) -> bool:
    """Whether a node is a statement without inner statements."""
    return isinstance(node, ast.stmt) and not hasattr(node, "body")


def _statement_line(node: ast.AST, statements: Iterable[ast.AST]) -> int:
    """Return the first line of the statement that contains a node, or 0."""
    line = position(node)[0]
    spans = (position(statement) for statement in statements if line)
    return next((start for start, _, end, _ in spans if start <= line <= (end or start)), 0)


def _removed_nodes(edit: Edit) -> tuple[list[ast.AST], bool]:
    """Return the nodes that an edit removes from the student's code, and whether the edit also adds nodes."""
    new = edit.make()
    if isinstance(new, list):
        return [], True
    old_nodes = [*_in_order(edit.old)]
    old_labels, new_labels = ([*map(_label, nodes)] for nodes in (old_nodes, _in_order(new)))
    matcher = SequenceMatcher[object](None, old_labels, new_labels, autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    removed = [node for _, start, end, *_ in changes for node in old_nodes[start:end] if position(node)[0]]
    return removed, any(tag != "delete" for tag, *_ in changes)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions of a tree. An expression comes before its parts."""
    if isinstance(node, ast.expr):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _label(node: ast.AST) -> str:
    """Return a text with the type of a node and its name, value or operator, but without its children."""
    names = (str(value) for name, value in ast.iter_fields(node) if name in ("id", "attr", "value"))
    plain = [name for name in names if not name.startswith("<")]
    return " ".join([type(node).__name__, type(getattr(node, "op", None)).__name__, *plain])


def _first_line(text: str) -> str:
    line = next(
        (one for one in text.splitlines() if one.startswith(("def ", "class "))), text.partition("\n")[0]
    )
    return one_line(line.strip(), _LONGEST_QUOTE // 2)


def _changed_part(edit: Edit) -> ast.AST:
    """Return the smallest part of the replaced node that an edit changes."""
    old, new = edit.old, edit.make()
    if edit.kind == "return in the loop" and isinstance(old, ast.For):
        return old.body[-1]
    if isinstance(new, list) or edit.kind in ("missing", "too much"):
        return old
    if edit.kind == "bound" and isinstance(old, ast.Call) and isinstance(new, ast.Call):
        return old if len(old.args) != len(new.args) else _smallest_difference(old, new)
    return _smallest_difference(old, new)


def _smallest_difference(old: ast.AST, new: ast.AST) -> ast.AST:
    """Return the smallest part of `old` that differs from `new`. If one argument differs, look only there."""
    part, other_part = old, new
    for old_node, new_node in path_to_difference(old, new):
        if getattr(old_node, "lineno", 0):  # operators have no line numbers
            part, other_part = old_node, new_node
        if is_signed(old_node):
            break
    if is_same_call(part, other_part):
        old_arguments, new_arguments = _arguments_by_text(part), _arguments_by_text(other_part)
        match (
            [old_arguments[text] for text in old_arguments if text not in new_arguments],
            [new_arguments[text] for text in new_arguments if text not in old_arguments],
        ):
            case [old_node], [new_node]:
                return _smallest_difference(old_node, new_node)
            case [old_node], []:
                return old_node
    return part


def _arguments_by_text(call: Any) -> dict[str, ast.expr]:
    arguments = (*call.args, *(keyword.value for keyword in call.keywords))
    return {ast.unparse(argument): argument for argument in arguments}


def new_code(edit: Edit) -> str:
    """Return the new code of an edit, for courses that show repairs to students."""
    new = edit.make()
    parts = new if isinstance(new, list) else [new]
    return "; ".join(
        ast.unparse(ast.fix_missing_locations(part)) for part in parts if not isinstance(part, ast.Pass)
    )


def same_results(mistakes: Sequence[Mistake]) -> str:
    """Return a sentence and a hint: the student's code has the same results as code with these mistakes.

    The sentence begins with "our code", so that callers can put "Y" or "y" in front.
    """
    misconceptions = [mistake for mistake in mistakes if isinstance(mistake, Misconception)]
    sentences = [one.sentence for one in misconceptions[:_MOST_ALTERNATIVES]]
    match sentences:
        case []:
            return f"our code gives the same results as a known wrong answer. {mistakes[0].hint}"
        case [single]:
            these = f"this mistake: {single}"
        case _:
            these = f"one of these mistakes: {' Or: '.join(sentences)}"
    return f"our code gives the same results as code with {these} {misconceptions[0].hint}"


def short_name(mistake: Mistake) -> str:
    """Return the name of a mistake without its question."""
    return mistake.name.rpartition("__")[2]


def joined(question: str, names: Iterable[str]) -> str:
    """Return the name of a wrong answer to `question` with these mistakes, or "" if no mistake has a name."""
    names = dict.fromkeys(filter(None, names))
    return f"{question}__{'+'.join(names)}" if names else ""
