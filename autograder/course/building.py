"""Which earlier questions a later one may call, so that a mistake in one of them is paid once."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.course.exercise import Exercise
from autograder.course.names import suggestion
from autograder.course.source import Role, SourceError
from autograder.course.yaml_lines import KeyPath

BUILDS_ON = "builds_on"
_LISTS = ("even_empty", "no_examples")  # the settings that are lists of questions


@dataclass(frozen=True, slots=True)
class Building:
    """What the questions of one exercise may build on.

    Where a question fails and one that it builds on has failed too, it is graded once more with a right one.
    An answer that was left empty is no mistake that could be carried forward, unless it is in `even_empty`.
    """

    builds_on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by the later question
    even_empty: tuple[str, ...] = ()


def problems(exercise: Exercise, entry: Mapping[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong with an exercise's entry in course.yaml that may have any form, and where.

    What a later question builds on has to come before it, and to be a function: its calls are answered by
    the grader, which cannot keep objects for a submission.
    """
    order = exercise.questions
    functions = set(_functions(exercise)) if order else set()
    builds_on = entry.get(BUILDS_ON)
    for later, names in builds_on.items() if isinstance(builds_on, dict) and order else ():
        for place, name in enumerate(names if isinstance(names, list) and later in order else ()):
            path = (BUILDS_ON, str(later), place)
            before = order[: order.index(later)]
            if name not in order:
                yield path, f'{exercise.name} has no question "{name}"; {suggestion(str(name), order)}'
            elif name not in before:
                fix = f"use one of {', '.join(before)}" if before else "it is the first, so delete this"
                yield path, f'"{name}" does not come before {later}; {fix}'
            elif name not in functions:
                yield path, f'"{name}" is no function, so no right one can stand in for it; delete it here'
    for key in _LISTS:
        listed = entry.get(key)
        for place, name in enumerate(listed if isinstance(listed, list) and order else ()):
            if name not in order:
                problem = f'{exercise.name} has no question "{name}"; {suggestion(str(name), order)}'
                yield (key, place), problem


def _functions(exercise: Exercise) -> Iterator[str]:
    """Yield the questions whose answers are functions."""
    try:
        solutions = [cell for cell in exercise.cells if cell.role is Role.SOLUTION]
    except SourceError:
        return
    for cell in solutions:
        for node in ast.parse(cell.text).body:
            if isinstance(node, ast.FunctionDef) and node.name == cell.name:
                yield cell.name
