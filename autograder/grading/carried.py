"""Finds questions that fail by an earlier question's mistake: they are graded once more, with a right one.

A mistake is paid once, where it was made. What such a question is worth with a right earlier answer counts if
it is better, and the report says so.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course.building import Building
from autograder.course.names import checked_question
from autograder.grading.readable import readable
from autograder.report.report import QuestionReport, Verdict
from autograder.submission.matching import seems_to_define
from autograder.submission.notebook import NotebookCell

# Of tests: a question with one of these has been answered wrongly, or not in a way that could be run.
_WRONG = {Verdict.FAILED, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.BLOCKED, Verdict.NOT_DEFINED}
_NOTHING = (ast.Pass, ast.Raise)  # statements that answer nothing


@dataclass(frozen=True, slots=True)
class Rerun:
    """Later questions that run again in one worker, and the earlier ones for which right ones stand in."""

    questions: frozenset[str]
    earlier: frozenset[str]


def reruns(
    building: Building, questions: Mapping[str, QuestionReport], cells: Sequence[NotebookCell]
) -> list[Rerun]:
    """Return which questions to run again, given how all of them stand, and the submission's cells.

    A question runs again where it fails and calls an earlier one that fails, too. In its worker no other
    right answer can be had. Questions with the same earlier ones share a worker.
    """
    by_earlier = defaultdict[frozenset[str], set[str]](set)
    for later, names in building.builds_on.items():
        carrying = (name for name in names if _carries(building, name, later, questions, cells))
        if earlier := frozenset(name for name in carrying if _is_called(name, cells)):
            by_earlier[earlier].add(later)
    return [Rerun(frozenset(later), earlier) for earlier, later in by_earlier.items()]


def carried(before: QuestionReport, again: QuestionReport, earlier: Sequence[str]) -> QuestionReport:
    """Return the better of two reports on a question; the one with right earlier answers says so."""
    if again.score is None or before.score is None or again.score <= before.score:
        return before
    names = [f"`{name}`" for name in earlier]
    were, right = ("were", "right ones") if len(names) > 1 else ("was", "a right one")
    note = f"{' and '.join(names)} {were} wrong; this question was graded with {right}."
    return replace(again, hint=f"{note} {again.hint}".rstrip())


def _carries(
    building: Building,
    earlier: str,
    later: str,
    questions: Mapping[str, QuestionReport],
    cells: Sequence[NotebookCell],
) -> bool:
    """Whether the later question may fail by what is wrong in the earlier one."""
    even_empty = earlier in building.even_empty
    faults = _WRONG | {Verdict.NOT_ATTEMPTED} if even_empty else _WRONG
    wrong = all(any(test.verdict in faults for test in questions[name].tests) for name in (earlier, later))
    undecided = questions[later].verdict is Verdict.REVIEW
    return wrong and not undecided and (even_empty or _is_attempted(earlier, questions, cells))


def _is_attempted(name: str, questions: Mapping[str, QuestionReport], cells: Sequence[NotebookCell]) -> bool:
    """Whether there is an answer to a question: a definition of more than a stub."""
    if questions[name].verdict is Verdict.NOT_ATTEMPTED:
        return False
    defining = [cell.text for cell in cells if seems_to_define(cell.text, name)]
    return bool(defining) and not _is_empty(name, defining[-1])


def _is_empty(name: str, code: str) -> bool:
    """Whether code defines a function that does nothing but return a constant, pass or raise an error."""
    if not readable([code]):
        return False
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    made = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == name]
    return bool(made) and all(_does_nothing(statement) for statement in made[-1].body)


def _does_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return(value=value):
            return value is None or isinstance(value, ast.Constant)
        case ast.Expr(value=value):
            return isinstance(value, ast.Constant)
    return isinstance(statement, _NOTHING)


def _is_called(name: str, cells: Sequence[NotebookCell]) -> bool:
    """Whether code other than its own check and definition spells the name of a question."""
    return any(_uses(name, cell.text) for cell in cells if checked_question(cell.name) is None)


def _uses(name: str, code: str) -> bool:
    return re.search(rf"(?<!def )\b{name}\b", code) is not None
