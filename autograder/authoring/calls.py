"""Finds the author's answers that cannot be called in the same ways as the solution.

For example, an author adds a parameter to the solution, but not to a known mistake. Then the known mistake
fails every test because of its parameters, even if no test catches the mistake that the author means.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from autograder.course.answers import Answer
from autograder.course.exercise import Exercise
from autograder.testing.exchange import StudentError
from autograder.testing.suite import Run

_REFUSED_CALL = r"^{}(\.\w+)?\(\) (got an? |got multiple|got some|missing \d+ required|takes )"


def other_signatures(exercise: Exercise, answers: Iterable[Answer]) -> Iterator[str]:
    """Yield a problem for each function or method that cannot be called like the solution's."""
    right = {
        name: function.args for text in exercise.solutions.values() for name, function in _functions(text)
    }
    for answer in answers:
        for name, function in _functions(answer.code):
            if name in right and not _accepts_usual_calls(function.args, right[name]):
                actual, expected = map(ast.unparse, (function.args, right[name]))
                takes = f"{name} takes ({actual}), but the solution takes ({expected})"
                yield f"{answer.place_of(function.lineno)}: {takes}; change one of the two"


def _functions(code: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the name and the node of each top-level function, and of each method of a top-level class."""
    for node in ast.parse(code).body:
        match node:
            case ast.FunctionDef(name=name):
                yield name, node
            case ast.ClassDef(name=name, body=body):
                methods = (part for part in body if isinstance(part, ast.FunctionDef))
                yield from ((f"{name}.{method.name}", method) for method in methods)


def _accepts_usual_calls(arguments: ast.arguments, others: ast.arguments) -> bool:
    """Whether the parameters `arguments` accept the usual calls of a function with the parameters `others`.

    A usual call passes required arguments by position, and optional arguments by position or by name.
    """
    positional, expected = ([*each.posonlyargs, *each.args] for each in (arguments, others))
    required = len(expected) - len(others.defaults)
    names = {argument.arg for argument in (*positional, *arguments.kwonlyargs)}
    optional = {argument.arg for argument in (*expected[required:], *others.kwonlyargs)}
    return (
        (len(positional) >= len(expected) or arguments.vararg is not None)
        and len(positional) - len(arguments.defaults) <= required
        and (optional <= names or arguments.kwarg is not None)
    )


def stale(answer: Answer, failed: Sequence[Run]) -> str:
    """Return a message if a known mistake fails only because of its parameters or a missing name, else "".

    If a known mistake should fail in this way, its `# %%` line names the error, as in `error="NameError"`.
    For such a known mistake, return a message only if it does not fail with the named error.
    """
    errors = [_error_before_result(answer.question, run.error) for run in failed]
    is_stale = all(errors) and any(run.test.basic for run in failed)
    error = errors[0].partition(":")[0] if is_stale else ""
    if error == answer.error:
        return ""
    if answer.error:
        return f'{answer.error} does not describe how this answer fails; delete error="{answer.error}"'
    fix = f'if it should fail in this way, add error="{error}" to the `# %%` line above it'
    return f"fails before it returns a result: {errors[0]}; correct this answer's parameters and names; {fix}"


def _error_before_result(question: str, error: BaseException | None) -> str:
    """Return the error if an answer does not accept a test's arguments or uses a missing name, else ""."""
    match error:
        case StudentError(type="TypeError") if re.match(_REFUSED_CALL.format(question), error.message):
            return str(error)
        case StudentError(type="NameError"):
            return str(error)
        case NameError():  # raised while the answer's cell runs
            return f"NameError: {error}"
    return ""
