"""Other graders' hidden tests judge as ours do: the reference is right, and each mistake is wrong."""

import warnings
from typing import Any

import pytest

from autograder.bench.asserts import HELPERS, hidden_tests
from autograder.course.course import load_course
from autograder.course.exercise import Exercise
from autograder.tests.classroom import CONFIG

REAL = load_course(CONFIG.parent)


def failing(exercise: Exercise, code: tuple[str, ...], tests: dict[str, list[str]]) -> set[str]:
    """Return the questions of which a test raises on the notebook `code`."""
    variables: dict[str, Any] = {"__name__": "__main__"}
    with warnings.catch_warnings(action="ignore"):
        for cell in (*code, HELPERS):
            exec(cell, variables)
        return {question for question in tests for test in tests[question] if raises(test, variables)}


def raises(test: str, variables: dict[str, Any]) -> bool:
    try:
        exec(test, dict(variables))
    except Exception:
        return True
    return False


@pytest.mark.parametrize("exercise", REAL.exercises.values(), ids=lambda exercise: exercise.name)
def test_others_tests_pass_the_reference_and_catch_mistakes_where_ours_do(exercise: Exercise) -> None:
    tests = hidden_tests(exercise)
    assert set(tests) == set(exercise.points)
    assert all(tests.values())
    assert failing(exercise, exercise.reference, tests) == set()
    forbidden = REAL.rules(exercise.name)  # a rule finds these, no test
    mistakes = {m.question: m for m in exercise.mistakes if "library" not in m.name or not forbidden}
    for question, mistake in mistakes.items():
        assert failing(exercise, exercise.variant(mistake.code), tests) == {question}, mistake.path
