"""Reads right and wrong answers from accepted.py and mistakes.py, which have one answer in each cell.

A cell begins with a `# %%` line that has keys, such as `# %% accepted="with_einsum"`. Then comes a docstring.
The docstring of a right answer says how the answer differs from the solution. The docstring of a mistake is
the hint. A cell with the key `exception` lists what the command `verify` must not report, and its docstring
gives the reason.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from autograder.course.source import SourceError, marker_keys, parsed, parts, read_text

ACCEPTED, MISTAKES = "accepted.py", "mistakes.py"


class Kind(StrEnum):
    """The kind of answer in a cell. Each value is also a key in the cell's `# %%` line."""

    ACCEPTED = "accepted"
    MISTAKE = "mistake"
    EXCEPTION = "exception"


_FORMS = {
    Kind.ACCEPTED: 'accepted="what_is_different"',
    Kind.MISTAKE: 'mistake="question" name="what_is_wrong"',
    Kind.EXCEPTION: 'exception="question"',
}
_DOCSTRINGS = {
    Kind.ACCEPTED: "how the answer differs from the solution",
    Kind.MISTAKE: "the hint for students",
    Kind.EXCEPTION: "the reason for the exception",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One cell: a right answer, a mistake, or an exception for `verify`."""

    kind: Kind
    question: str  # the question of a mistake or an exception, "" for an accepted answer
    title: str  # the accepted answer's or the mistake's name; it may end in `__` and a suffix
    docstring: str
    code: str  # the code after the docstring
    path: Path
    marker: int  # the number of the `# %%` line above the cell
    line: int  # the first line of the code
    edit: str = ""  # how to edit the solution to get this answer, or "" if the cell contains code
    error: str = ""  # the type of the error that a mistake raises, such as NameError, or ""

    @property
    def name(self) -> str:
        """The title of an accepted answer; for a mistake, QUESTION__TITLE without a suffix `__...`."""
        what = self.title.partition("__")[0] or self.title
        return f"{self.question}__{what}" if self.kind is Kind.MISTAKE else self.title

    @property
    def hint(self) -> str:
        """The docstring on one line."""
        return " ".join(self.docstring.split())

    @property
    def place(self) -> str:
        """The file, and the number of the `# %%` line above the cell."""
        return f"{self.path}:{self.marker}"

    def place_of(self, line: int) -> str:
        """Return FILE:LINE for a line of `code`, counted from 1. For an edit, return `place`."""
        return self.place if self.edit else f"{self.path}:{self.line + line - 1}"


def read_answers(path: Path, *kinds: Kind) -> tuple[Answer, ...]:
    """Return the answers in a file, or no answers if it is missing.

    Raise SourceError for the first cell that is malformed, or whose kind is not in `kinds`.
    """
    return _answers(read_text(path), path, kinds) if path.is_file() else ()


@lru_cache(maxsize=64)
def _answers(text: str, path: Path, kinds: tuple[Kind, ...]) -> tuple[Answer, ...]:
    parsed(path, text)  # raises SourceError with the line if the file is not Python
    lines, answers = dict[tuple[str, str], int](), list[Answer]()
    for line, options, cell in parts(text):
        if line > 1:  # the text above the first `# %%` line describes the file
            answers.append(answer := _answer(path, line, options, cell, kinds))
            key = answer.question, answer.title or str(line)
            if (first := lines.setdefault(key, line)) != line:
                problem = f"this cell has the same name as the cell on line {first - 1}"
                raise SourceError(f"{answer.place}: {problem}; choose another name")
    return tuple(answers)


def _answer(path: Path, line: int, options: str, text: str, kinds: tuple[Kind, ...]) -> Answer:
    place = f"{path}:{line - 1}: this cell"
    keys, title = marker_keys(place, options)
    kind = next((kind for kind in kinds if kind in keys), None)
    expected = marker_keys(place, _FORMS[kind])[0].keys() if kind else set[str]()
    optional = {"error"} if kind is Kind.MISTAKE else set[str]()
    if kind is None or title or not expected <= keys.keys() <= expected | optional:
        forms = " or ".join(map(_FORMS.__getitem__, kinds))
        raise SourceError(f'{place} is not marked as an answer; after its "# %%", write only {forms}')
    tree = parsed(path, text, line)
    if not (docstring := ast.get_docstring(tree)):
        raise SourceError(f"{place} has no docstring; begin it with one: {_DOCSTRINGS[kind]}")
    if not (rest := tree.body[1:]):
        raise SourceError(f"{place} has only a docstring; write the answer below it")
    above = tree.body[0].end_lineno or 1
    lines = text.split("\n")[above:]
    blank = next(number for number, text_line in enumerate(lines) if text_line.strip())
    return Answer(
        kind=kind,
        question="" if kind is Kind.ACCEPTED else keys[kind],
        title=keys["name"] if kind is Kind.MISTAKE else keys[kind] if kind is Kind.ACCEPTED else "",
        docstring=docstring,
        code="\n".join(lines[blank:]),
        path=path,
        marker=line - 1,
        line=line + above + blank,
        edit=_edit(rest) if kind is Kind.MISTAKE else "",
        error=keys.get("error", ""),
    )


def _edit(statements: list[ast.stmt]) -> str:
    """Return the text of a cell that contains only `edit = "..."`, or ""."""
    match statements:
        case [ast.Assign([ast.Name("edit")], value)]:
            return _string(value)
    return ""


def _string(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def lists(answer: Answer, names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield (name of the list, text, FILE:LINE) for each text in the lists of an `exception` cell.

    Raise SourceError for the first statement that is not a list of texts with one of these `names`.
    """
    for statement in ast.parse(answer.code).body:
        match statement:
            case ast.Assign([ast.Name(name)], ast.List(items)) if name in names and all(map(_string, items)):
                yield from ((name, _string(item), answer.place_of(item.lineno)) for item in items)
            case _:
                fix = (
                    f"write a list of texts, as in {names[0]} = [...]; the valid names are {', '.join(names)}"
                )
                raise SourceError(f"{answer.place_of(statement.lineno)}: cannot be read; {fix}")
