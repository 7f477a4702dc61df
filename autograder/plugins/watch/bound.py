"""Computes how much repeated attempts can leak about hidden inputs."""

import math
from collections import defaultdict

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.settings import Tells
from autograder.grading.outcomes import told_bits
from autograder.plugins.watch.rounds import settings_of
from autograder.testing.suite import HiddenTest, Suite


def what_pages_tell(course: Course, exercise: Exercise) -> str:
    """Return how much repeated attempts can tell of hidden inputs, by the bound that `verify` prints."""
    settings, suite = settings_of(course, exercise), Suite(exercise)
    rules, building = course.rules(exercise.name), course.building(exercise.name)
    bits = told_bits(len(suite.tests), len(rules), len(building.builds_on))
    if settings.tells is Tells.SCORE:
        bits = min(bits, math.ceil(math.log2(len(_scores(exercise, suite)) + 1)))  # and no score at all
    bound = f"each can leak at most {bits} bits of hidden inputs, those of a day {bits * settings.a_day}"
    return f"{exercise.name}: {settings.a_day} attempts a day; {bound}"


def _scores(exercise: Exercise, suite: Suite) -> set[float]:
    """Return every score that the tests can give."""
    by_question: dict[str, list[HiddenTest]] = defaultdict(list)
    for test in suite.tests:
        by_question[test.question].append(test)
    totals = {0.0}
    for name, tests in by_question.items():
        passed = {0.0}
        for test in tests:
            passed |= {round(one + test.weight, 9) for one in passed}
        points, weight = exercise.points[name], sum(test.weight for test in tests)
        scores = {round(points * one / weight, 4) for one in passed}
        totals = {round(total + one, 4) for total in totals for one in scores}
    return totals
