"""Checks hints.yaml, and finds parts of answers in files that students get.

The file hints.yaml in an exercise's folder has a list of hints for each question, from vague to plain. A hint
is a text or a mapping. In a mapping, `hint` is the text, and `when` is a regular expression. Students get
such a hint only if `when` matches the last message of the question's check in the notebook. The mappings in
solutions/hints.yaml are hints for all questions. Students can read all hints, so hints must not contain any
part of a solution.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.course.exercise import Exercise
from autograder.course.names import suggestion
from autograder.course.source import Cell, Role, read_yaml, wrong_lines
from autograder.course.yaml_lines import KeyPath, Problem

_COMPUTING = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.comprehension, ast.AugAssign)
_SIMPLE = (ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Assert)
_WORDS = 6  # a line of the author's written answer with at least this many words is secret
_GAP = r"[\s#]*"  # text between two tokens: white space, and "#" where a comment continues on the next line


@dataclass(frozen=True, slots=True)
class Secret:
    """A part of an answer, and a pattern that finds it in other texts, even with other white space."""

    name: str  # the name of the question or written answer
    text: str
    pattern: re.Pattern[str]

    def line(self, text: str) -> int | None:
        """Return the index of the line of `text` on which this part begins, or None if it does not occur."""
        match = self.pattern.search(text)
        return text.count("\n", 0, match.start()) if match else None


def secrets(exercise: Exercise) -> list[Secret]:
    """Return the parts of an exercise's answers that students must not read.

    - In a solution, a simple statement with a binary operator, `... if ... else ...` or a
      comprehension is secret.
    - A simple statement with a call is secret if the call has several arguments or a keyword argument, or if
      it is the solution's only statement.
    - In a written answer, each line of six or more words is secret.

    A statement that students also get in their notebook is not secret.
    """
    trees = [ast.parse(cell.released()) for cell in exercise.cells if cell.is_reference]
    nodes = (node for tree in trees for node in ast.walk(tree))
    given = {ast.unparse(node) for node in nodes if isinstance(node, _SIMPLE)}
    parts = (secret for cell in exercise.cells for secret in _of(cell, given))
    return list({secret.text: secret for secret in parts}.values())


def _of(cell: Cell, given: set[str]) -> Iterator[Secret]:
    """Yield the secret parts of a cell. `given` contains the statements that students get."""
    if cell.role is Role.MANUAL and not cell.in_code:
        lines = map(str.strip, cell.model.split("\n"))
        yield from (_secret(cell, line) for line in lines if len(line.split()) >= _WORDS)
    elif cell.role in (Role.SOLUTION, Role.MANUAL):
        hidden = {number + 1 for number, _ in cell.hidden()}
        nodes = [node for node in ast.walk(ast.parse(cell.text)) if isinstance(node, _SIMPLE)]
        nodes = [node for node in nodes if node.lineno in hidden]
        for node in nodes:
            text = re.sub("#.*", "", ast.get_source_segment(cell.text, node) or "")
            if ast.unparse(node) not in given and _is_secret(node, alone=len(nodes) == 1):
                yield _secret(cell, text)


def _is_secret(statement: ast.stmt, *, alone: bool) -> bool:
    """Whether a statement reveals a part of the solution. `alone`: the solution has no other statement."""
    parts = list(ast.walk(statement))
    calls = [part for part in parts if isinstance(part, ast.Call)]
    several = any(part.keywords or len(part.args) > 1 for part in calls)
    return several or (alone and bool(calls)) or any(isinstance(part, _COMPUTING) for part in parts)


def _secret(cell: Cell, text: str) -> Secret:
    """Return a Secret whose pattern ignores white space, comment signs and the kind of quotes."""
    tokens = re.findall(r"\w+|[^\w\s]", text)
    pattern = _GAP.join("""["']""" if sign in "\"'" else re.escape(sign) for sign in tokens)
    return Secret(cell.name, " ".join(text.split()), re.compile(rf"(?<![\w.]){pattern}(?![\w(]|\.\w)"))


def check_hints(exercise: Exercise) -> None:
    """Raise SourceError with a list of problems if hints of the exercise or of the course are invalid."""
    private = secrets(exercise)
    for folder, wrong in ((exercise.folder.parent, _wrong_shared), (exercise.folder, _wrong_own)):
        if (path := folder / "hints.yaml").is_file():
            document = read_yaml(path)
            faults = [(key, text) for key, text in wrong(exercise, document.data, private) if text]
            if faults:
                raise wrong_lines(path, [Problem(document.line(key), text) for key, text in faults])


def _wrong_own(exercise: Exercise, data: Any, private: list[Secret]) -> Iterator[tuple[KeyPath, str]]:
    if not isinstance(data, dict):
        yield (), "must have questions as keys, and below each question a list of hints"
        return
    for question, hints in data.items():
        if question not in exercise.points:
            yield (question,), f'"{question}" is not a question; {suggestion(str(question), exercise.points)}'
        elif not isinstance(hints, list) or not hints:
            yield (question,), f'"{question}" needs a list of hints; write "- " before each hint'
        else:
            yield from (((question, number), _wrong(hint, private)) for number, hint in enumerate(hints))


def _wrong_shared(_: Exercise, data: Any, private: list[Secret]) -> Iterator[tuple[KeyPath, str]]:
    for number, hint in enumerate(data if isinstance(data, list) else [None]):
        has_keys = isinstance(hint, dict)
        yield (number,), _wrong(hint, private) if has_keys else "needs `when` and `hint` in each item"


def _wrong(hint: Any, private: list[Secret]) -> str:
    """Return the problem of a hint, or "" if it is valid."""
    match hint:
        case str(text):
            pattern = ""
        case {"when": str(pattern), "hint": str(text), **more} if not more:
            pass
        case _:
            return (
                "a hint must be a text, or have the keys `when` and `hint`; put text with a colon in quotes"
            )
    try:
        re.compile(pattern)
    except re.error as error:
        return f"`when` is not a valid regular expression: {error}; correct the expression"
    quoted = next((secret.text for secret in private if secret.line(text) is not None), "")
    return f'quotes the solution: "{quoted}"; write a hint without this text' if quoted else ""
