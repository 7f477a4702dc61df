"""What an author writes for one hidden test: the `@question` mark, and a docstring as the test's title."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import pytest

from autograder.course.exercise import Exercise
from autograder.course.source import SourceError

_Function = TypeVar("_Function", bound=Callable[..., None])


def question(name: str, *, weight: float = 1.0) -> Callable[[_Function], _Function]:
    """Mark a hidden test as belonging to question `name`; `weight` is its share of the question's points."""
    return pytest.mark.question(name, weight=weight)


@dataclass(frozen=True, slots=True)
class HiddenTest:
    """One hidden test: a property of one question, with the title that the student sees."""

    question: str
    title: str
    weight: float
    number: int  # its place in the suite, and the seed of its random numbers
    function: str  # the name of its function; a parametrized test shares it with others


def read_test(exercise: Exercise, item: pytest.Function, number: int) -> HiddenTest:
    """Return the test that pytest collected as `item`; SourceError where its author left something out."""
    place = f"{exercise.suite}: {item.name}"
    mark = item.get_closest_marker("question")
    if mark is None:
        raise SourceError(f'{place} belongs to no question; put @question("...") above it')
    name, weight = mark.args[0], float(mark.kwargs.get("weight", 1.0))
    if name not in exercise.points:
        raise SourceError(
            f'{place} tests "{name}", which is no question; use one of {", ".join(exercise.points)}'
        )
    doc = (getattr(item.obj, "__doc__", None) or "").strip()
    if not doc:
        raise SourceError(f"{place} has no docstring; it is the title that students read")
    if weight <= 0:
        raise SourceError(f"{place} has weight {weight:g}; it must be above 0")
    return HiddenTest(name, doc.splitlines()[0], weight, number, item.originalname)
