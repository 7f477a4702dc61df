"""Measures an exercise's hidden tests on mutants of its own solution: how many of them fail.

A mutant that passes every test of its question is one that nobody would catch either, had a student written
it. So the tests need another case, or the author declares that the mutant is as right as the solution.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch

from autograder.authoring.disagreement import disagreements
from autograder.authoring.equivalent import FILE, Equivalent, read_equivalents
from autograder.authoring.mutants import Mutant, mutants
from autograder.authoring.trials import Trial
from autograder.batch.pool import CONTEXT
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.testing.suite import Suite


@dataclass(frozen=True, slots=True)
class Strength:
    """How many mutants fail, those that are declared equivalent aside, and what the author must change."""

    mutants: int = 0
    killed: int = 0
    equivalent: int = 0
    survivors: tuple[str, ...] = ()  # as unified diffs of the source
    findings: tuple[str, ...] = ()

    def __str__(self) -> str:
        share = f", {100 * self.killed // self.mutants} %" if self.mutants else ""
        return f"the tests fail {self.killed} of {self.mutants} mutants{share}"


def measure_together(course: Course, exercises: Sequence[Exercise], jobs: int) -> Iterator[Strength]:
    """Measure exercises in `jobs` processes; the results come in the order of the exercises."""
    with ProcessPoolExecutor(min(jobs, len(exercises)), CONTEXT) as pool:
        yield from pool.map(partial(_measured, course.root), [exercise.name for exercise in exercises])


def _measured(root: Path, name: str) -> Strength:
    torch.set_num_threads(1)
    course = load_course(root)
    exercise = course.exercises[name]
    measured = measure(suite := Suite(exercise), course.settings.mutants_fail)
    return replace(measured, findings=(*measured.findings, *_disagreeing(exercise, suite)))


def measure(suite: Suite, share: float) -> Strength:
    """Run every mutant against the hidden tests of its question, up to the first that fails.

    At least `share` of those that are not declared equivalent must fail.
    """
    exercise = suite.exercise
    every, declared = tuple(mutants(exercise)), read_equivalents(exercise)
    trials = {name: Trial(suite, name) for name in exercise.points}
    left = [one for one in every if not trials[one.question].fails(_mutated(exercise, one))]
    unlike = [mutant for mutant in left if not any(_fits(one, mutant) for one in declared)]
    alike, killed = len(left) - len(unlike), len(every) - len(left)
    weak = unlike if killed < share * (len(every) - alike) else []
    findings = *_unfounded(declared, every, left), *(_finding(exercise, mutant) for mutant in weak)
    diffs = tuple(_diff(exercise, mutant) for mutant in unlike)
    return Strength(len(every) - alike, killed, alike, diffs, findings)


def _mutated(exercise: Exercise, mutant: Mutant) -> tuple[str, ...]:
    """Return the reference's code with a mutant in its place."""
    cells = (cell for cell in exercise.cells if cell.is_reference)
    return tuple(mutant.code if cell.name == mutant.question else cell.text for cell in cells)


def _disagreeing(exercise: Exercise, suite: Suite) -> Iterator[str]:
    """Yield the calls on which right answers disagree, and declarations of such answers that always agree."""
    found = disagreements(exercise, suite)
    declared = [one for one in read_equivalents(exercise) if one.answer]
    known = {(one.question, one.answer) for one in declared}
    seen = {(one.question, one.answer) for one in found}
    for one in found:
        if (one.question, one.answer) not in known:
            yield f"{exercise.folder}: {one}; say in the stub which is asked for, or declare it in {FILE}"
    for entry in declared:
        if (entry.question, entry.answer) not in seen:
            yield f"{entry.place}: accepted/{entry.answer}.py never disagrees any more; take it out"


def _fits(declared: Equivalent, mutant: Mutant) -> bool:
    return (declared.question, declared.line, declared.instead) == (
        mutant.question,
        mutant.line,
        mutant.instead,
    )


def _unfounded(
    declared: Sequence[Equivalent], every: Sequence[Mutant], left: Sequence[Mutant]
) -> Iterator[str]:
    """Yield what is wrong with declarations of mutants that are none, or that fail a test."""
    for one in (one for one in declared if one.line):
        if not any(_fits(one, mutant) for mutant in every):
            yield f"{one.place}: fits no mutant of {one.question} any more; take it out or copy its diff anew"
        elif not any(_fits(one, mutant) for mutant in left):
            yield f"{one.place}: is declared equivalent, but fails a hidden test; take it out"


def _finding(exercise: Exercise, mutant: Mutant) -> str:
    change = f'"{mutant.line}" can become "{mutant.instead}"'.replace("\n", " ")
    fix = f"and no test of {mutant.question} fails; add one, or declare it in equivalent.yaml"
    return f"{exercise.source}: {change}, {fix}"


def _diff(exercise: Exercise, mutant: Mutant) -> str:
    first = next(cell.line for cell in exercise.cells if cell.text == mutant.original)
    return mutant.diff(exercise.source.name, first)
