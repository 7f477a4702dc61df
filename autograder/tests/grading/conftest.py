"""What several tests of grading need."""

from collections.abc import Callable
from functools import cache

import pytest

from autograder.grading.grader import Grader
from autograder.sandbox.zygote import Zygote
from autograder.tests.classroom import real_course


@pytest.fixture(scope="module")
def grader_of(zygote: Zygote) -> Callable[[str], Grader]:
    """Return a function that returns the grader of an exercise. It keeps what known wrong answers do."""
    course = real_course()
    return cache(lambda name: Grader.of_course(course, course.exercises[name], zygote, b"a secret"))
