"""Finds questions that fail by an earlier question's mistake: they are graded once more, with a right one.

A mistake is paid once, where it was made. What such a question is worth with a right earlier answer counts if
it is better, and the report says so.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course.exercise import Building
from autograder.course.names import checked_question
from autograder.grading.pieces import parsed, pieces, rests_on
from autograder.report.report import WRONG, QuestionReport, Verdict
from autograder.submission.matching import seems_to_define
from autograder.submission.notebook import NotebookCell
from autograder.submission.readable import readable

_NOTHING = (ast.Pass, ast.Raise)  # statements that answer nothing


@dataclass(frozen=True, slots=True)
class Rerun:
    """Later questions that run again in one worker, each with the wrong ones that its code calls."""

    calls: Mapping[str, Sequence[str]]

    @property
    def earlier(self) -> frozenset[str]:
        """The earlier questions for which right answers stand in."""
        return frozenset(name for names in self.calls.values() for name in names)


def reruns(
    building: Building, questions: Mapping[str, QuestionReport], cells: Sequence[NotebookCell]
) -> list[Rerun]:
    """Return which questions to run again, given how all of them stand, and the submission's cells.

    A question runs again where it fails and calls an earlier one that fails, too. Questions share a worker
    where none of them is among the earlier ones of another, so that nowhere a right answer can be had to a
    question that is being graded.
    """
    found: list[dict[str, list[str]]] = []
    wrong = {
        later: [name for name in names if _carries(name, later, questions, cells)]
        for later, names in building.builds_on.items()
    }
    codes = [cell.text for cell in cells if checked_question(cell.name) is None]
    found_pieces = pieces(codes) if any(wrong.values()) else []
    for later, earlier in wrong.items():
        called = rests_on(later, found_pieces)[1] if earlier else set()
        if calls := [name for name in earlier if name in called]:
            _worker_for(later, calls, found)[later] = calls
    return [Rerun(calls) for calls in found]


def is_better(again: QuestionReport, before: QuestionReport) -> bool:
    """Whether a question scores more than before, or may score once a person has looked."""
    if again.verdict is Verdict.REVIEW:
        return before.score == 0.0
    return again.score is not None and before.score is not None and again.score > before.score


def with_note(question: QuestionReport, earlier: Sequence[str]) -> QuestionReport:
    """Return the report on a question that was graded with right earlier answers, which says so."""
    names = [f"`{name}`" for name in earlier]
    were, right = ("were", "right ones") if len(names) > 1 else ("was", "a right one")
    note = f"{' and '.join(names)} {were} wrong; this question was graded with {right}."
    return replace(question, hint=f"{note} {question.hint}".rstrip())


def _carries(
    earlier: str,
    later: str,
    questions: Mapping[str, QuestionReport],
    cells: Sequence[NotebookCell],
) -> bool:
    """Whether the later question may fail by what is wrong in the earlier one, if both were graded."""
    if not {earlier, later} <= questions.keys():
        return False
    wrong = all(any(test.verdict in WRONG for test in questions[name].tests) for name in (earlier, later))
    undecided = questions[later].verdict is Verdict.REVIEW
    return wrong and not undecided and _is_attempted(earlier, questions, cells)


def _is_attempted(name: str, questions: Mapping[str, QuestionReport], cells: Sequence[NotebookCell]) -> bool:
    """Whether there is an answer to a question: a definition of more than a stub."""
    if questions[name].verdict is Verdict.NOT_ATTEMPTED:
        return False
    defining = [cell.text for cell in cells if seems_to_define(cell.text, name)]
    return bool(defining) and not _is_empty(name, defining[-1])


def _is_empty(name: str, code: str) -> bool:
    """Whether code defines a function that does nothing but return a constant, pass or raise an error."""
    body = parsed(code) if readable([code]) else None
    made = [node for node in body or () if isinstance(node, ast.FunctionDef) and node.name == name]
    return bool(made) and all(_does_nothing(statement) for statement in made[-1].body)


def _does_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return(value=value):
            return value is None or isinstance(value, ast.Constant)
        case ast.Expr(value=value):
            return isinstance(value, ast.Constant)
    return isinstance(statement, _NOTHING)


def _worker_for(later: str, calls: Sequence[str], found: list[dict[str, list[str]]]) -> dict[str, list[str]]:
    """Return the questions of a worker that a question can share, or those of one that is to be its own."""
    for shared in found:
        if _apart({**shared, later: calls}):
            return shared
    found.append({})
    return found[-1]


def _apart(calls: Mapping[str, Sequence[str]]) -> bool:
    """Whether no question is among the earlier ones of another."""
    return not any(name in calls for names in calls.values() for name in names)
