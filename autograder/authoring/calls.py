"""Finds answers that cannot be called as the solution is, as when its arguments have changed since.

Such a mistake fails every test, whatever it computes, so it would be taken for one that the tests catch.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from autograder.course.answers import Answer
from autograder.course.exercise import Exercise
from autograder.testing.exchange import StudentError
from autograder.testing.suite import Run

_REFUSED = r"^{}(\.\w+)?\(\) (got an? |got multiple|got some|missing \d+ required|takes )"


def other_signatures(exercise: Exercise, answers: Iterable[Answer]) -> Iterator[str]:
    """Yield each function and method of an answer that refuses a call which the solution takes."""
    right = {
        name: function.args for text in exercise.solutions.values() for name, function in _functions(text)
    }
    for answer in answers:
        for name, function in _functions(answer.code):
            if name in right and not _takes(function.args, right[name]):
                shown, asked = map(ast.unparse, (function.args, right[name]))
                place = answer.place_of(function.lineno)
                yield f"{place}: {name} takes ({shown}), but the solution takes ({asked}); make them alike"


def _functions(code: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions and methods that code defines at its top level, with their names."""
    for node in ast.parse(code).body:
        match node:
            case ast.FunctionDef(name=name):
                yield name, node
            case ast.ClassDef(name=name, body=body):
                yield from ((f"{name}.{one.name}", one) for one in body if isinstance(one, ast.FunctionDef))


def _takes(arguments: ast.arguments, others: ast.arguments) -> bool:
    """Whether calls that fit `others` fit these arguments, if only optional ones are passed by name."""
    own, right = ([*one.posonlyargs, *one.args] for one in (arguments, others))
    required = len(right) - len(others.defaults)
    names = {argument.arg for argument in (*own, *arguments.kwonlyargs)}
    optional = {argument.arg for argument in (*right[required:], *others.kwonlyargs)}
    return (
        (len(own) >= len(right) or arguments.vararg is not None)
        and len(own) - len(arguments.defaults) <= required
        and (optional <= names or arguments.kwarg is not None)
    )


def stale(answer: Answer, failed: Sequence[Run]) -> str:
    """Return what is wrong if an answer fails by its call alone or by a missing name, else nothing.

    A mistake may be about such an error; then its marker says so.
    """
    said = [_said(answer.question, run.error) for run in failed]
    is_stale = all(said) and any(run.test.basic for run in failed)
    error = said[0].partition(":")[0] if is_stale else ""
    if error == answer.error:
        return ""
    if answer.error:
        return f'is not caught by {answer.error} alone; delete error="{answer.error}"'
    fix = f'write it for the solution as it is now, or add error="{error}" if that is the mistake'
    return f"fails by its call alone, whatever it computes: {said[0]}; {fix}"


def _said(question: str, error: BaseException | None) -> str:
    """Return the error of a call that the answer refuses, or of a missing name; else nothing."""
    match error:
        case StudentError(type="TypeError") if re.match(_REFUSED.format(question), error.message):
            return str(error)
        case StudentError(type="NameError"):
            return str(error)
        case NameError():  # where the answer is defined
            return f"NameError: {error}"
    return ""
