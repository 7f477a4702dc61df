"""Wrong answers that play no part in grading: known mistakes in other writings, and unknown ones.

They are in held_out/, in the form of mistakes.py.
"""

import ast

import pytest

from autograder.authoring.calls import other_signatures, stale
from autograder.authoring.costs import cost_of
from autograder.authoring.strength import read_declared
from autograder.authoring.trials import SECRET, failed_runs
from autograder.course.exercise import Exercise
from autograder.course.source import Role
from autograder.diagnosis.known import known_mistakes
from autograder.testing.inputs import numbered_inputs
from autograder.testing.suite import Suite
from autograder.tests.classroom import HELD_OUT, real_course

EXERCISES = pytest.mark.parametrize(
    "exercise", real_course().exercises.values(), ids=lambda one: str(one.name)
)
UNKNOWN = "__unknown_"


@EXERCISES
def test_an_exercise_holds_out_wrong_answers_to_each_question_that_are_no_copies(exercise: Exercise) -> None:
    answers = known_mistakes(exercise, HELD_OUT / f"{exercise.name}.py")
    known = [answer for answer in answers if UNKNOWN not in answer.name]
    assert len(known) >= 12
    assert len(answers) - len(known) >= 2
    assert {answer.question for answer in known} == set(exercise.points)
    banked = {ast.dump(ast.parse(mistake.code)) for mistake in known_mistakes(exercise)}
    assert [answer.place for answer in answers if ast.dump(ast.parse(answer.code)) in banked] == []


@EXERCISES
def test_a_held_out_answer_can_be_called_as_the_solution_is(exercise: Exercise) -> None:
    suite, inputs = Suite(exercise), numbered_inputs(SECRET, exercise.name, 0)
    answers = known_mistakes(exercise, HELD_OUT / f"{exercise.name}.py")
    problems = [*other_signatures(exercise, answers)]
    for answer in answers:
        failed = [*failed_runs(suite, exercise.variant(answer.code), inputs, suite.of(answer.question))]
        assert failed, f"{answer.place}: passes all hidden tests of its question"
        if problem := stale(answer, failed):
            problems.append(f"{answer.place}: {problem}")
    assert problems == []


@EXERCISES
def test_a_held_out_answer_keeps_a_share_of_the_points_that_the_rules_allow(exercise: Exercise) -> None:
    suite, checks = (
        Suite(exercise),
        {cell.name: cell.text for cell in exercise.cells if cell.role is Role.CHECK},
    )
    declared = {(one.question, one.text) for one in read_declared(exercise) if one.kind == "shares"}
    answers = known_mistakes(exercise, HELD_OUT / f"{exercise.name}.py")
    costs = [cost_of(suite, answer, checks.get(answer.question)) for answer in answers]
    left = [cost for cost in costs if cost.distance > 1e-9 and (cost.question, cost.mistake) not in declared]
    assert [f"{cost.place}: {cost}" for cost in left] == []
