"""Finds the cell after which each question is judged, and later cells that change the question's names.

A question is judged (its hidden tests run) with the variables that the notebook had at its visible check.
Below the check, students often reuse a name or clear all variables. This costs no points.
"""

import ast
import re
from collections.abc import Mapping, Sequence

from autograder.course.code import CodePart, bound_names
from autograder.course.names import checked_question
from autograder.submission.notebook import NotebookCell

STUB = "raise NotImplementedError"
_RESET = re.compile(r"(?m)^\s*%(reset|reset_selective|xdel)\b")  # magics that delete names


def judged_after(stubs: Mapping[str, str], cells: Sequence[NotebookCell]) -> dict[str, int]:
    """Return, by question, the number of the code cell after which the question is judged.

    The cell is the first check below the answer or, without one, the cell of the answer. A question without
    an answer is not in the result. `stubs` has, by question, the text of the answer's cell in a release.
    """
    cell_of_question = dict[str, int]()
    for question, stub in stubs.items():
        answers = [cell for cell in cells if question in bound_names(cell.text)]
        written = [cell.number for cell in answers if STUB not in cell.text]
        if answers:
            checks = (cell.number for cell in cells if _checks(cell, question))
            below = (number for number in checks if number > min(written, default=-1))
            cell_of_question[question] = next(below, _answer(question, answers, stub).number)
    return cell_of_question


def as_judged(statements: Sequence[CodePart], last: int, cells: Sequence[NotebookCell]) -> list[CodePart]:
    """Return the statements that define the variables at cell number `last`.

    Also return later statements that bind a name for the first time, because tests can use this name, too.
    """
    bound = set[str]()
    judged = list[CodePart]()
    for part in statements:
        if cells[part.at].number <= last or part.bound - bound:
            judged.append(part)
        bound |= part.bound
    return judged


def changing_cell(
    name: str, last: int, statements: Sequence[CodePart], cells: Sequence[NotebookCell]
) -> NotebookCell | None:
    """Return the last cell after cell number `last` whose code binds or deletes `name`, or None."""
    changing = [cells[part.at] for part in statements if _changes(part, name)]
    changing += [cell for cell in cells if _RESET.search(cell.text)]
    below = [cell for cell in changing if cell.number > last]
    return max(below, key=lambda cell: cell.number, default=None)


def _checks(cell: NotebookCell, question: str) -> bool:
    """Whether a cell is the check of a question, by its metadata or by its first line."""
    first = cell.text.lstrip().partition("\n")[0].strip()
    by_text = first in (f'@check("{question}")', f"@check('{question}')", f"# Check of {question}")
    return by_text or checked_question(cell.name) == question


def _answer(question: str, answers: Sequence[NotebookCell], stub: str) -> NotebookCell:
    """Return the cell that answers a question.

    It is the first of these cells that exists. Cells with a stub are left out, unless all have one.

    1. the first cell with the question's name in its metadata
    2. the last cell whose definition has the same header as the stub
    3. the last cell that defines a function or class with the question's name
    4. the last cell that binds the question's name
    """
    written = [cell for cell in answers if STUB not in cell.text] or answers
    named = [cell for cell in written if cell.name == question]
    defining = [cell for cell in written if _defines(question, cell.text)]
    first = next((line for line in stub.splitlines() if _defines(question, line)), None)
    with_same_header = [cell for cell in defining if first in cell.text.splitlines()]
    return (named[:1] or with_same_header or defining or written)[-1]


def _defines(question: str, code: str) -> bool:
    """Whether any line of `code` begins the definition of a function or class of this name."""
    lines = (line.split("(")[0].split(":")[0].split() for line in code.splitlines())
    return any(words[-2:] in (["def", question], ["class", question]) for words in lines)


def _changes(part: CodePart, name: str) -> bool:
    """Whether a statement binds or deletes a name. An import of all names (*) can bind every name."""
    nodes = ast.walk(part.tree or ast.Pass())
    deleted = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)}
    return not deleted.union(part.bound).isdisjoint((name, "*"))
