"""Grades questions again that fail because of a wrong earlier answer, with a right one in its place.

A mistake is paid once, where it was made. What such a question is worth with a right earlier answer counts if
it is better, and the report says so.
"""

import ast
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from autograder.course.code import bindings, bound_names, parsed, pieces, readable, rests_on
from autograder.course.exercise import Building
from autograder.course.names import checked_question
from autograder.grading.diagnosis import Submitted
from autograder.grading.judge import Judge
from autograder.grading.outcomes import Running, TestOutcome
from autograder.grading.session import Given, Session
from autograder.report.report import WRONG, QuestionReport, Verdict
from autograder.submission.notebook import NotebookCell
from autograder.testing.given import bytecode, global_names, marshalled
from autograder.testing.inputs import Inputs
from autograder.testing.suite import HiddenTest, Run

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


@dataclass(frozen=True, slots=True)
class Carrying:
    """Runs questions of one submission again, in workers in which right earlier answers stand in.

    Code in such a worker can read the right answers. So nothing of what it says reaches the student: only
    which hidden tests passed counts, and which edits repair the answer.
    """

    running: Running
    judge: Judge
    reference: Sequence[str]  # code cells
    first: Session  # in which the submission ran before
    inputs: Inputs
    submitted: Submitted
    outcomes: Mapping[HiddenTest, TestOutcome]  # of the submission as it is

    def again(
        self, rerun: Rerun, standing: Mapping[str, QuestionReport], *, repaired: bool
    ) -> dict[str, QuestionReport]:
        """Run questions again with right earlier ones; return their reports where they are better.

        What is wrong all the same is said in the words of the submission as it is, unless it is to be
        `repaired` and a repair says it.
        """
        running, judge = self.running, self.judge
        given = compiled(self.reference, sorted(rerun.earlier), rerun.calls.keys())
        opened = partial(self.first.another, self.submitted.cells, given)
        with opened() as session:
            runs = list(running.tests(session, self.inputs, running.tests_of(rerun.calls)))
        if any(run.exhausted for run in runs):
            return {}
        outcomes = [TestOutcome(run.test, run, self._words(run.test)) for run in runs]
        again = {name: judge.question(name, outcomes, self.submitted) for name in rerun.calls}
        better = {name: new for name, new in again.items() if is_better(new, standing[name])}
        unsolved = [name for name, new in better.items() if new.verdict is not Verdict.PASSED]
        seen: list[Run] = []
        if repaired and unsolved:
            with opened() as session:
                seen = list(running.disclosed(session, unsolved).values())
        submitted = replace(self.submitted, open=partial(opened, running.repair_limits))
        for name in unsolved:
            better[name] = judge.explained(
                better[name], outcomes, submitted, repaired=repaired, named_by=seen
            )
        return {name: with_note(new, rerun.calls[name]) for name, new in better.items()}

    def _words(self, test: HiddenTest) -> Run | None:
        """Return the run that explains a test of the submission as it is, unless it ended too early."""
        run = self.outcomes[test].disclosed
        return run if run and run.kind in (Verdict.FAILED, Verdict.NOT_JUDGED) else None


def compiled(reference: Sequence[str], names: Sequence[str], graded: Container[str]) -> Given:
    """Return the code of the reference's functions: compiled, without docstrings and without its source.

    It holds the statements that they rest on and no others, and none that answers a question to be graded.
    """
    statements = [statement for code in reference for statement in ast.parse(code).body]
    wanted, kept = set(names), set[int]()
    found = [(at, one) for at, one in enumerate(statements) if not any(n in graded for n in bindings(one))]
    while new := {at for at, one in found if at not in kept and wanted & bindings(one)}:
        kept |= new
        wanted = {name for at in new for name in global_names(bytecode([statements[at]]))}
    code = bytecode([statements[at] for at in sorted(kept)])
    return Given(tuple(names), marshalled(code))


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
    defining = [cell.text for cell in cells if name in bound_names(cell.text)]
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
