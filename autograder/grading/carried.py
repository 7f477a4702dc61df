"""Finds questions that may fail only because the answer to an earlier question is wrong.

A mistake should cost points only in its own question. So the tests of the later question run again with a
right answer to the earlier question. If the score is higher, it counts, and the report says so.
"""

import ast
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from autograder.course.code import (
    CodePart,
    bindings,
    bound_names,
    code_parts,
    dependencies,
    parsed,
    readable,
)
from autograder.course.exercise import BuildsOn
from autograder.course.names import checked_question
from autograder.grading.session import Given
from autograder.report.report import WRONG, QuestionReport, Verdict
from autograder.submission.notebook import NotebookCell
from autograder.testing.bytecode import bytecode, global_names, marshalled

Reports = Mapping[str, QuestionReport]
# The questions that run again in one worker. Each has a list of the earlier questions whose failed answers it
# uses. All lists are equal, because the worker has one set of right answers.
Rerun = dict[str, list[str]]


def reruns(builds_on: BuildsOn, questions: Reports, cells: Sequence[NotebookCell]) -> list[Rerun]:
    """Return the questions to run again, given the first reports on all questions.

    A question runs again if its answer fails and uses the failed answer to an earlier question. Questions
    share a worker only if their answers use the same failed answers. Otherwise a student's answer could use a
    right answer that the worker has for another question.
    """
    groups: list[Rerun] = []
    wrong = {
        later: [name for name in names if _both_failed(name, later, questions, cells)]
        for later, names in builds_on.items()
    }
    codes = [cell.text for cell in cells if checked_question(cell.name) is None]
    statements = code_parts(codes) if any(wrong.values()) else []
    for later, earlier in wrong.items():
        called = used_names(later, statements) if earlier else set()
        if calls := [name for name in earlier if name in called]:
            group = next((group for group in groups if calls in group.values()), None)
            if group is None:
                groups.append(group := {})
            group[later] = calls
    return groups


def used_names(question: str, statements: Sequence[CodePart]) -> set[str]:
    """Return all names on which a question's answer depends, directly or indirectly.

    A statement such as `ax.bar(x, y)` can change a variable without binding it. So a variable depends on each
    statement of its cell that uses the variable.
    """
    binding = [statement for statement in statements if question in statement.bound]
    if any(isinstance(statement.tree, ast.FunctionDef | ast.ClassDef) for statement in binding):
        return dependencies(question, statements)[1]
    cells = {statement.at for statement in binding}
    changing = (
        replace(statement, bound=statement.bound | {question})
        if statement.at in cells and question in statement.named
        else statement
        for statement in statements
    )
    return dependencies(question, list(changing))[1]


def compiled(reference: Sequence[str], names: Sequence[str], graded: Container[str]) -> Given:
    """Return compiled code that defines the functions in `names` as the reference does.

    It has these functions and the statements on which they depend. It has no docstrings, no source text, and
    no answers to the questions in `graded`.
    """
    statements = [statement for code in reference for statement in ast.parse(code).body]
    wanted, included = set(names), set[int]()
    bound = {index: bindings(statement) for index, statement in enumerate(statements)}
    candidates = {index: binds for index, binds in bound.items() if not any(name in graded for name in binds)}
    while new := {index for index, binds in candidates.items() if index not in included and wanted & binds}:
        included |= new
        wanted = {name for index in new for name in global_names(bytecode([statements[index]]))}
    code = bytecode([statements[index] for index in sorted(included)])
    return Given(tuple(names), marshalled(code))


def with_note(question: QuestionReport, earlier: Sequence[str]) -> QuestionReport:
    """Return the report with a note that the question was graded with right `earlier` answers."""
    names = [f"`{name}`" for name in earlier]
    answers, right = ("answers", "right answers") if len(names) > 1 else ("answer", "a right answer")
    verb, them = ("are", "them") if len(names) > 1 else ("is", "it")
    wrong = f"Your {answers} to {' and '.join(names)} {verb} wrong"
    note = f"{wrong}, so this question was graded with {right} to {them}."
    return replace(question, hint=f"{note} {question.hint}".rstrip())


def _both_failed(earlier: str, later: str, questions: Reports, cells: Sequence[NotebookCell]) -> bool:
    """Whether both answers failed, so that the earlier one may cause the later failure."""
    if not {earlier, later} <= questions.keys() or questions[later].verdict is Verdict.REVIEW:
        return False
    both = (questions[name].tests for name in (earlier, later))
    wrong = all(any(test.verdict in WRONG for test in tests) for tests in both)
    return wrong and questions[earlier].verdict is not Verdict.NOT_ATTEMPTED and _is_answered(earlier, cells)


def _is_answered(name: str, cells: Sequence[NotebookCell]) -> bool:
    """Whether the last definition of a question does more than `return` a constant, `pass` or `raise`."""
    defining = [cell.text for cell in cells if name in bound_names(cell.text)]
    body = parsed(defining[-1]) if defining and readable(defining[-1:]) else None
    functions = [node for node in body or () if isinstance(node, ast.FunctionDef) and node.name == name]
    return bool(defining) and not (functions and all(map(_does_nothing, functions[-1].body)))


def _does_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return(None | ast.Constant()) | ast.Expr(ast.Constant()) | ast.Pass() | ast.Raise():
            return True
    return False
