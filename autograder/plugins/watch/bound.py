"""Computes how much repeated attempts can leak about hidden inputs; only this loads the hidden tests."""

import math

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.settings import Tells
from autograder.grading.outcomes import told_bits
from autograder.plugins.watch.rounds import settings_of
from autograder.testing.suite import Suite


def what_pages_tell(course: Course, exercise: Exercise) -> str:
    """Return how much repeated attempts can tell of hidden inputs, by the bound that `verify` prints."""
    settings, suite = settings_of(course, exercise), Suite(exercise)
    rules, builds_on = course.rules(exercise.name), course.builds_on(exercise.name)
    bits = told_bits(len(suite.tests), len(rules), len(builds_on))
    if settings.tells is Tells.SCORE:
        bits = min(bits, math.ceil(math.log2(len(_scores(exercise, suite)) + 1)))  # and no score at all
    bound = f"each can leak at most {bits} bits of hidden inputs, those of a day {bits * settings.a_day}"
    return f"{exercise.name}: {settings.a_day} attempts a day; {bound}"


def _scores(exercise: Exercise, suite: Suite) -> set[float]:
    """Return every score that the tests can give."""
    totals = {0.0}
    for name, points in exercise.points.items():
        weights, passed = [test.weight for test in suite.of(name)], {0.0}
        for weight in weights:
            passed |= {round(one + weight, 9) for one in passed}
        scores = {round(points * one / sum(weights), 4) for one in passed}
        totals = {round(total + one, 4) for total in totals for one in scores}
    return totals
