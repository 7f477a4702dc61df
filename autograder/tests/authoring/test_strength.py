"""The strength of hidden tests is the share of mutants that they fail; survivors are shown and explained."""

import signal

import pytest

from autograder.authoring import trials
from autograder.authoring.strength import Strength, measure
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.testing.suite import Suite

DECLARED = """\
- question: row_sums
  line: along_each_row = -1
  instead: along_each_row = {instead}
  because: x always has two dimensions
"""


def measured(exercise: Exercise, share: float = 0.8) -> Strength:
    return measure(Suite(exercise), share)


def declare(course: Course, instead: int) -> Exercise:
    exercise = course.exercises["01_small"]
    text = DECLARED.format(instead=instead)
    (exercise.folder / "equivalent.yaml").write_text(text, encoding="utf-8")
    return exercise


def rewrite(exercise: Exercise, old: str, new: str) -> None:
    text = exercise.source.read_text(encoding="utf-8")
    assert old in text
    exercise.source.write_text(text.replace(old, new), encoding="utf-8")


def test_mutants_that_pass_every_test_survive_and_what_is_declared_does_not_count(course: Course) -> None:
    before = measured(course.exercises["01_small"])
    after = measured(declare(course, 1))
    assert (before.equivalent, after.equivalent) == (0, 1)
    assert (after.mutants, after.killed) == (before.mutants - 1, before.killed)
    (gone,) = set(before.survivors) - set(after.survivors)
    change = '"along_each_row = -1" can become "along_each_row = 1"'
    assert gone == f"{change}, and no test of row_sums fails"
    assert before.findings == after.findings == ()
    share = 100 * before.killed // before.mutants
    assert str(before) == f"the tests catch {before.killed} of {before.mutants} mutants, {share} %"
    assert measured(declare(course, 1)) == after


def test_a_weak_suite_is_found_with_each_survivor_and_what_to_do(course: Course) -> None:
    found = measured(course.exercises["01_small"], 0.97)
    assert len(found.findings) == len(found.survivors) > 0
    place = f"{course.exercises['01_small'].source}: "
    change = '"along_each_row = -1" can become "along_each_row = 1", and no test of row_sums fails; add one, '
    assert any(finding.startswith(place + change) for finding in found.findings)


@pytest.mark.parametrize(
    ("instead", "problem"),
    [
        (7, "equivalent.yaml:1: fits no mutant of row_sums any more; delete it or copy its diff again"),
        (0, "equivalent.yaml:1: is declared equivalent, but fails a hidden test; take it out"),
    ],
)
def test_a_declaration_that_does_not_hold_any_more_is_found(
    course: Course, instead: int, problem: str
) -> None:
    (finding,) = measured(declare(course, instead)).findings
    assert problem in finding


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # where it meets a finalizer
def test_a_mutant_without_an_end_is_stopped(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = course.exercises["01_small"]
    loop = "count = 2\n    while count > 0:\n        count -= 1\n    return torch.mul(x, 2)"
    rewrite(exercise, "return torch.mul(x, 2)", loop)
    monkeypatch.setattr(trials, "SECONDS", 0.05)
    before = signal.getsignal(signal.SIGVTALRM)
    found = measured(exercise)
    assert not any("while True" in line for line in found.survivors)
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
