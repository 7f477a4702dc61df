"""Otter's package: the same hidden tests, as doctests."""

import doctest
from typing import Any

from autograder.bench.asserts import hidden_tests
from autograder.bench.otter import ok_file
from autograder.course.course import Course
from autograder.tests.classroom import small


def test_otter_s_files_pass_right_answers_and_fail_wrong_ones(course: Course) -> None:
    exercise = small(course)
    tests = hidden_tests(exercise)
    spec: dict[str, Any] = {}
    exec(ok_file("double", 2, tests["double"]), spec)
    (suite,) = spec["test"]["suites"]
    assert len(suite["cases"]) == len(tests["double"])

    def failures(code: tuple[str, ...]) -> int:
        variables: dict[str, Any] = {}
        for cell in code:
            exec(cell, variables)
        runner = doctest.DocTestRunner(verbose=False)
        for case in suite["cases"]:
            runner.run(
                doctest.DocTestParser().get_doctest(case["code"], dict(variables), "double", None, None),
                out=lambda _: None,
            )
        return runner.failures

    assert failures(exercise.reference) == 0
    assert failures(exercise.variant("def double(x):\n    return x * x")) > 0
