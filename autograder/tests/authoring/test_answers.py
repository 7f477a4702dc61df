"""The tests of each exercise pass its right answers and fail its mistakes; `verify` measures the rest."""

import pytest

from autograder.authoring.verify import misjudged
from autograder.sandbox.zygote import Zygote
from autograder.tests.classroom import real_course

COURSE = real_course()


@pytest.mark.parametrize("name", COURSE.exercises)
def test_right_answers_get_full_marks_and_mistakes_do_not(name: str, zygote: Zygote) -> None:
    assert misjudged(COURSE, COURSE.exercises[name], zygote) == []
