"""Grades questions again that fail because of a wrong earlier answer, with a right one in its place.

A mistake is paid once, where it was made. What such a question is worth with a right earlier answer counts if
it is better, and the report says so.
"""

import ast
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from autograder.course.code import bindings, bound_names, parsed, pieces, readable, rests_on
from autograder.course.exercise import BuildsOn
from autograder.course.names import checked_question
from autograder.grading.explanation import Submitted
from autograder.grading.judge import Judge
from autograder.grading.outcomes import TestOutcome
from autograder.grading.session import Given
from autograder.report.report import WRONG, QuestionReport, Verdict
from autograder.submission.notebook import NotebookCell
from autograder.testing.given import bytecode, global_names, marshalled
from autograder.testing.inputs import Inputs
from autograder.testing.suite import HiddenTest, Run

_TOLD = (Verdict.FAILED, Verdict.NOT_JUDGED)  # of runs that end earlier, the words would mislead
Reports = Mapping[str, QuestionReport]
Rerun = dict[str, list[str]]  # later questions that share a worker, each with the wrong ones that it calls


def reruns(builds_on: BuildsOn, questions: Reports, cells: Sequence[NotebookCell]) -> list[Rerun]:
    """Return which questions to run again, given how all of them stand, and the submission's cells.

    A question runs again where it fails and calls an earlier one that fails, too. Questions share a worker
    where none of them is among the earlier ones of another, so that nowhere a right answer can be had to a
    question that is being graded.
    """
    found: list[Rerun] = []
    wrong = {
        later: [name for name in names if _carries(name, later, questions, cells)]
        for later, names in builds_on.items()
    }
    codes = [cell.text for cell in cells if checked_question(cell.name) is None]
    found_pieces = pieces(codes) if any(wrong.values()) else []
    for later, earlier in wrong.items():
        called = rests_on(later, found_pieces)[1] if earlier else set()
        if calls := [name for name in earlier if name in called]:
            shared = next((one for one in found if _apart({**one, later: calls})), None)
            if shared is None:
                found.append(shared := {})
            shared[later] = calls
    return found


def graded_again(
    rerun: Rerun,
    standing: Reports,
    judge: Judge,
    inputs: Inputs,
    submitted: Submitted,
    outcomes: Mapping[HiddenTest, TestOutcome],
    *,
    repaired: bool,
) -> dict[str, QuestionReport]:
    """Run questions again with right earlier ones; return their reports where they are better.

    Code in such a worker can read the right answers. So nothing of what it says reaches the student: only
    which hidden tests passed counts, and which edits repair the answer. What is wrong all the same is said in
    the words of the submission as it is, whose `outcomes` these are, unless it is to be `repaired` and a
    repair says it.
    """
    earlier = sorted({name for names in rerun.values() for name in names})
    beside = replace(submitted, given=compiled(judge.suite.exercise.reference, earlier, rerun))
    with beside.open() as session:
        runs = list(judge.run(session, inputs, judge.tests_of(rerun)))
    if any(run.exhausted for run in runs):
        return {}
    words = {test: run for test, one in outcomes.items() if (run := one.disclosed) and run.kind in _TOLD}
    again = [TestOutcome(run.test, run, words.get(run.test)) for run in runs]
    questions = {name: judge.question(name, again, beside) for name in rerun}
    better = {name: new for name, new in questions.items() if is_better(new, standing[name])}
    unsolved = [name for name, new in better.items() if new.verdict is not Verdict.PASSED]
    seen: list[Run] = []
    if repaired and unsolved:
        with beside.open() as session:
            seen = list(judge.disclosed(session, unsolved).values())
    for name in unsolved:
        better[name] = judge.explained(better[name], again, beside, repaired=repaired, named_by=seen)
    return {name: with_note(new, rerun[name]) for name, new in better.items()}


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


def _carries(earlier: str, later: str, questions: Reports, cells: Sequence[NotebookCell]) -> bool:
    """Whether the later question may fail by what is wrong in the earlier one, if both were graded."""
    if not {earlier, later} <= questions.keys() or questions[later].verdict is Verdict.REVIEW:
        return False
    both = (questions[name].tests for name in (earlier, later))
    wrong = all(any(test.verdict in WRONG for test in tests) for tests in both)
    return wrong and questions[earlier].verdict is not Verdict.NOT_ATTEMPTED and _is_answered(earlier, cells)


def _is_answered(name: str, cells: Sequence[NotebookCell]) -> bool:
    """Whether the last definition of a question does more than return a constant, pass or raise an error."""
    defining = [cell.text for cell in cells if name in bound_names(cell.text)]
    body = parsed(defining[-1]) if defining and readable(defining[-1:]) else None
    made = [node for node in body or () if isinstance(node, ast.FunctionDef) and node.name == name]
    return bool(defining) and not (made and all(map(_does_nothing, made[-1].body)))


def _does_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return(None | ast.Constant()) | ast.Expr(ast.Constant()) | ast.Pass() | ast.Raise():
            return True
    return False


def _apart(calls: Rerun) -> bool:
    """Whether no question is among the earlier ones of another."""
    return not any(name in calls for names in calls.values() for name in names)
