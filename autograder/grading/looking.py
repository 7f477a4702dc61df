"""Selects the code of a submission, or of a known mistake, on which the answer to a question depends."""

import ast
from collections.abc import Iterable, Sequence

from autograder.course.answers import Answer
from autograder.course.code import bound_names, code_parts, dependencies, readable
from autograder.course.exercise import Exercise
from autograder.diagnosis.code import Code
from autograder.diagnosis.words import Looked
from autograder.submission.notebook import NotebookCell

_MOST_NODES = 2000  # nodes of a syntax tree; the search for repairs of longer code would take too long


def look(question: str, cells: Sequence[NotebookCell], exercise: Exercise) -> Looked | None:
    """Return the student's definitions on which a question depends, or None.

    None means that the student's code does not define the question, or is too long or too deeply nested.
    """
    written = [cell for cell in cells if cell.text not in exercise.given]
    if not readable([cell.text for cell in written]):
        return None
    statements = code_parts(cell.text for cell in written)
    reached = {id(statement) for statement in dependencies(question, statements)[0]}
    numbers = {written[statement.at].number for statement in statements if id(statement) in reached}
    chosen = [part for part in statements if id(part) in reached and _defines(part.tree)]
    if not any(question in statement.bound for statement in chosen):
        return None
    trees = tuple(statement.tree for statement in chosen if statement.tree is not None)
    others = {name for name in exercise.points if name != question}
    fixed = frozenset(index for index, tree in enumerate(trees) if getattr(tree, "name", "") in others)
    main = next((cell.text for cell in reversed(written) if question in bound_names(cell.text)), "")
    code = Code(trees, tuple(written[statement.at].number for statement in chosen), fixed)
    if len(code.places) > _MOST_NODES:
        return None
    return Looked(code, {cell.number: cell.text for cell in written if cell.number in numbers}, main)


def _defines(tree: ast.stmt | None) -> bool:
    """Whether a statement only defines a name. The search for repairs edits no other statements."""
    match tree:
        case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
            return True
        case ast.Assign(value=ast.Lambda() | ast.Constant() | ast.Name() | ast.Attribute()):
            return True
    return False


def code_of(mistake: Answer) -> Code:
    """Return the definitions of a known mistake."""
    return Code(tuple(statement for statement in ast.parse(mistake.code).body if _defines(statement)))


def definition(statements: Iterable[ast.stmt], question: str) -> Code:
    """Return those statements that define a question's function or class."""
    return Code(tuple(node for node in statements if getattr(node, "name", "") == question))
