"""Finds questions that fail by an earlier question's mistake: they are graded once more, with a right one.

A mistake is paid once, where it was made. What such a question is worth with a right earlier answer counts if
it is better, and the report says so.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course.building import Building
from autograder.course.names import checked_question
from autograder.report.report import QuestionReport, Verdict
from autograder.submission.matching import seems_to_define
from autograder.submission.notebook import NotebookCell
from autograder.submission.readable import readable

# Of tests: a question with one of these has been answered wrongly, or not in a way that could be run.
_WRONG = {Verdict.FAILED, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.BLOCKED, Verdict.NOT_DEFINED}
_NOTHING = (ast.Pass, ast.Raise)  # statements that answer nothing
_Piece = tuple[frozenset[str], frozenset[str]]  # the names that a statement binds, and all names in it


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
        later: [name for name in names if _carries(building, name, later, questions, cells)]
        for later, names in building.builds_on.items()
    }
    pieces = list(_pieces(cells)) if any(wrong.values()) else []
    for later, earlier in wrong.items():
        called = _rests_on(later, pieces) if earlier else set()
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
    building: Building,
    earlier: str,
    later: str,
    questions: Mapping[str, QuestionReport],
    cells: Sequence[NotebookCell],
) -> bool:
    """Whether the later question may fail by what is wrong in the earlier one, if both were graded."""
    if not {earlier, later} <= questions.keys():
        return False
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


def _pieces(cells: Sequence[NotebookCell]) -> Iterator[_Piece]:
    """Yield which names each top-level statement binds, and all names in it.

    In a cell that cannot be read, each name may rest on each.
    """
    codes = [cell.text for cell in cells if checked_question(cell.name) is None]
    is_readable = readable(codes)
    for code in codes:
        try:
            body = ast.parse(code).body if is_readable else None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            body = None
        if body is None:
            words = frozenset(re.findall(r"[^\W\d]\w*", code))
            yield words, words
        for statement in body or ():
            yield _bound(statement), _named(statement)


def _bound(statement: ast.stmt) -> frozenset[str]:
    """Return the notebook's names that a statement binds, without those that are local to a function."""
    nodes = list(ast.walk(statement))
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        return frozenset(shared | {statement.name})
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return frozenset(stored | {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)})


def _named(statement: ast.stmt) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(statement) if isinstance(node, ast.Name))


def _rests_on(name: str, pieces: Sequence[_Piece]) -> set[str]:
    """Return every name that the code of a name leads to; each piece is looked at once."""
    binding = defaultdict[str, list[int]](list)
    for number, (bound, _) in enumerate(pieces):
        for one in bound:
            binding[one].append(number)
    seen, followed, pending = set[str](), set[int](), [name]
    while pending:
        fresh = set(binding.pop(pending.pop(), ())) - followed
        followed |= fresh
        for number in fresh:
            pending += pieces[number][1] - seen
            seen |= pieces[number][1]
    return seen


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
