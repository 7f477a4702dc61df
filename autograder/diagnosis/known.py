"""The wrong answers that an exercise's author declares: as code, or as edits of the solution."""

import ast
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from autograder.course.answers import Answer, Kind
from autograder.course.exercise import Exercise
from autograder.course.source import SourceError
from autograder.diagnosis.patterns import PatternError, rules


def known_mistakes(exercise: Exercise, path: Path | None = None) -> tuple[Answer, ...]:
    """Return the wrong answers of mistakes.py, or of another file, with their code.

    Each wrong answer must define its own question's name, but no other question's name. Each edit must fit
    the solution. Otherwise raise SourceError.
    """
    answers = (answer for answer in exercise.wrong_answers(path) if answer.kind is Kind.MISTAKE)
    mistakes = tuple(
        edited(answer, exercise.solutions[answer.question]) if answer.edit else answer for answer in answers
    )
    for answer in mistakes:
        if list(exercise.replaced(answer.code)) != [answer.question]:
            raise SourceError(f"{answer.place}: must define {answer.question} and no other question")
    return mistakes


@lru_cache(maxsize=1024)
def edited(answer: Answer, solution: str) -> Answer:
    """Return the answer with its code: the solution, rewritten by the rules in `answer.edit`.

    Raise SourceError if a rule is invalid or matches nothing.
    """
    tree = ast.parse(solution)
    try:
        for rule in rules(answer.edit):
            before, tree = ast.dump(tree), rule.everywhere(tree)
            if ast.dump(tree) == before:
                raise SourceError(
                    f"{answer.place}: {rule.before} matches nothing in the solution of "
                    f"{answer.question}; {_fix(rule.before, tree)}"
                )
    except PatternError as error:
        raise SourceError(f"{answer.place}: {error}") from error
    return replace(answer, code=ast.unparse(tree))


def _fix(pattern: str, solution: ast.Module) -> str:
    """Return advice on a pattern that matches nothing in the solution."""
    match ast.parse(pattern).body:
        case [ast.Assign([ast.Name(name)])]:
            calls = [node for node in ast.walk(solution) if isinstance(node, ast.Call)]
            for call in calls:
                if any(keyword.arg == name for keyword in call.keywords):
                    reason = f"{name} is a keyword argument in the solution, so write the whole call"
                    return f"{reason} on both sides of the rule, such as {ast.unparse(call)}"
    return "copy the left side of the rule from the solution"
