"""Measures how much the visible checks see: who passes them should not lose much to the hidden tests."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from autograder.course.exercise import Exercise, Mistake
from autograder.grading.diagnosis import Diagnosis
from autograder.testing.suite import TestRun
from autograder.worker.namespace import run_code
from autograder.worker.silence import silence

_COSTLY = 0.25  # a mistake that costs more than this share of its question is one that a student must hear of


@dataclass(frozen=True, slots=True)
class Look:
    """What a wrong answer costs, as a share of its question, and whether the question's check fails on it."""

    answer: Mistake
    cost: float
    is_seen: bool


@dataclass(frozen=True, slots=True)
class Sight:
    """How many of an exercise's costly mistakes its visible checks see, and what the author must change."""

    costly: int = 0
    seen: int = 0
    findings: tuple[str, ...] = ()

    def __str__(self) -> str:
        share = f", {100 * self.seen // self.costly} %" if self.costly else ""
        return f"visible checks see {self.seen} of {self.costly} costly mistakes{share}"


def measure(exercise: Exercise, diagnosis: Diagnosis, checks: Mapping[str, str], share: float) -> Sight:
    """Run each wrong answer's visible check on it; at least `share` of the costly ones must fail theirs."""
    return sight(look(exercise, diagnosis, checks), share)


def look(exercise: Exercise, diagnosis: Diagnosis, checks: Mapping[str, str]) -> Iterator[Look]:
    """Yield each known mistake and held-out answer, with its cost and whether its visible check sees it.

    `checks` are those that the reference passes, by question; of other questions nothing is said. The cost is
    that of the hidden tests alone: a question that is only held for a review has lost nothing yet.
    """
    for answer in (*exercise.mistakes, *exercise.heldout):
        if answer.question in checks:
            error = check_error(checks[answer.question], exercise.variant(answer.code))
            yield Look(answer, _cost(diagnosis.runs(answer)), error is not None)


def sight(looks: Iterable[Look], share: float) -> Sight:
    """Count the costly answers; name those that no check sees where the checks see less than `share`."""
    costly = [one for one in looks if one.cost > _COSTLY]
    unseen = [one for one in costly if not one.is_seen]
    seen = len(costly) - len(unseen)
    missed = unseen if seen < share * len(costly) else []
    return Sight(len(costly), seen, tuple(_finding(one) for one in missed))


def check_error(check: str, cells: tuple[str, ...]) -> BaseException | None:
    """Run a visible check after these trusted cells, with the same seed each time; return what it raises."""
    with silence(), warnings.catch_warnings(), torch.random.fork_rng([]):
        warnings.simplefilter("ignore")
        torch.default_generator.manual_seed(0)
        variables = run_code(cells).variables
        try:
            exec(compile(check, "visible check", "exec"), variables)  # noqa: S102 - the course's own code
        except (Exception, SystemExit) as error:
            return error
    return None


def _cost(runs: Sequence[TestRun]) -> float:
    """Return the share of a question's weight that these runs of its hidden tests lose."""
    lost = sum(run.test.weight for run in runs if run.error is not None)
    return lost / sum(run.test.weight for run in runs)


def _finding(one: Look) -> str:
    problem = f"costs {one.cost:.0%} of {one.answer.question}, but the visible check passes"
    return f"{one.answer.path}: {problem}; let the check see it"
