"""Right answers keep all their points, whatever cell lies below them."""

from collections.abc import Iterator
from functools import cache

import pytest

from autograder.authoring.answers import right_answers, solved_cells
from autograder.course.exercise import Exercise
from autograder.grading.grader import Grader
from autograder.report.report import Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import NotebookCell
from autograder.tests.classroom import SECRET, real_course
from autograder.tests.grading.scratch_cells import scratch_cells

COURSE = real_course()
IN_FULL = ("01_dot_products", "02_simple_self_attention")  # the others get each seventh cell, in turn


def cases() -> Iterator[tuple[str, str]]:
    for number, exercise in enumerate(COURSE.exercises.values()):
        names = list(scratch_cells([*exercise.points]))
        chosen = names if exercise.name in IN_FULL else names[number % 7 :: 7]
        yield from ((exercise.name, name) for name in chosen)


@pytest.fixture(scope="module")
def graders(zygote: Zygote) -> "Graders":
    return Graders(zygote)


class Graders:
    """A grader for each exercise, which is made when it is asked for."""

    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote
        self.of = cache(self._made)

    def _made(self, exercise: str) -> tuple[Exercise, Grader]:
        chosen = COURSE.exercises[exercise]
        return chosen, Grader.of_course(COURSE, chosen, self._zygote, SECRET)


@pytest.mark.parametrize(("name", "scratch"), list(cases()))
def test_a_cell_below_right_answers_costs_no_point(graders: Graders, name: str, scratch: str) -> None:
    exercise, grader = graders.of(name)
    above = solved_cells(exercise, right_answers(exercise))
    below = NotebookCell(above[-1].number + 1, "code", scratch_cells([*exercise.points])[scratch])
    report = grader.grade_cells((*above, below)).report
    tested = [question for question in report.questions if question.verdict is not Verdict.UNGRADED]
    assert {one.name: one.hint for one in tested if one.score != one.max_score} == {}
