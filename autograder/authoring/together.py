"""Verifies several exercises in several processes, and runs each exercise's notebook in a real kernel.

The processes share the work on each exercise's mutants. A mutant is the solution with one change.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import ceil
from multiprocessing import active_children
from pathlib import Path
from typing import Any, ClassVar

from autograder.authoring.kernel import kernel_problems
from autograder.authoring.strength import judge, mutants, surviving
from autograder.authoring.trials import SETS_THOROUGH, SETS_TRIED
from autograder.authoring.verify import Proof, load_proof, prove, save_proof, with_strength
from autograder.batch.pool import CONTEXT
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.source import SourceError
from autograder.errors import AutograderError
from autograder.sandbox.zygote import Zygote
from autograder.testing.suite import Suite, use_one_thread
from autograder.worker.walls import die_with_parent

PROGRESS = 10.0  # seconds between two lines of progress
_MUTANTS = 25  # number of mutants in one part of a proof; small parts make the progress more exact
_Notify = Callable[[str], None]


class StoppedError(AutograderError):
    """The author interrupted `verify`."""

    exit_code: ClassVar[int] = 1


def prove_together(
    course: Course,
    exercises: Sequence[Exercise],
    jobs: int,
    *,
    anew: bool = False,
    thorough: bool = False,
    whole: bool = False,
    notify: _Notify = lambda _: None,
) -> Iterator[Proof]:
    """Verify exercises in `jobs` processes; yield the proofs in the order of `exercises`.

    - `anew`: whether to verify even exercises whose saved proof is valid
    - `thorough`: whether to use many sets of hidden inputs
    - `whole`: whether all tests run on each wrong answer, so that its share of the points is exact
    - `notify`: gets a line about the progress every PROGRESS seconds
    """
    sets = SETS_THOROUGH if thorough else SETS_TRIED
    saved = {
        exercise.name: None if anew else load_proof(course, exercise, sets, whole=whole)
        for exercise in exercises
    }
    changed = [exercise for exercise in exercises if saved[exercise.name] is None]
    others = active_children()
    with ProcessPoolExecutor(jobs if changed else 1, CONTEXT, initializer=die_with_parent) as pool:
        try:
            # The last exercises usually take longest. They start first, so that no process waits at the end.
            started = {
                exercise.name: _start_proof(pool, course, exercise, sets, jobs, whole=whole)
                for exercise in reversed(changed)
            }
            parts = [part for proof in started.values() for part in proof.parts]

            def show_progress() -> None:
                done = sum(part.done() for part in parts)
                notify(f"{done} of {len(parts)} parts of the verification are done")

            for exercise in exercises:
                if (proof := saved[exercise.name]) is None:
                    proof = started[exercise.name].proof(course.settings.mutants_fail, show_progress)
                    save_proof(course, exercise, sets, proof, whole=whole)
                yield proof
        except KeyboardInterrupt:
            for child in set(active_children()) - set(others):
                child.terminate()
            raise StoppedError("stopped") from None


@dataclass(frozen=True)
class _StartedProof:
    """The parts of one exercise's proof, on which processes are working."""

    exercise: Exercise
    main: Future[Proof]
    mutants: Sequence[Future[list[int]]]  # the results: indices of the mutants that pass all tests
    kernel: Future[tuple[str, ...]]

    @property
    def parts(self) -> Sequence[Future[Any]]:
        return [self.main, *self.mutants, self.kernel]

    def proof(self, share: float, show_progress: Callable[[], None]) -> Proof:
        """Wait for the parts and return the whole proof; call `show_progress` every PROGRESS seconds."""
        _wait([self.main], show_progress)
        proof = self.main.result()
        if proof.costs is not None:  # if a right answer fails, there are no costs, and mutants prove nothing
            _wait(self.mutants, show_progress)
            survivors = [number for part in self.mutants for number in part.result()]
            try:
                proof = with_strength(proof, judge(self.exercise, survivors, share))
            except SourceError as error:
                return Proof(self.exercise.name, findings=(str(error),))
        if not proof.findings:
            _wait([self.kernel], show_progress)
            proof = replace(proof, findings=self.kernel.result())
        return proof


def _wait(parts: Sequence[Future[Any]], show_progress: Callable[[], None]) -> None:
    while wait(parts, PROGRESS).not_done:
        show_progress()


def _start_proof(
    pool: ProcessPoolExecutor, course: Course, exercise: Exercise, sets: int, jobs: int, *, whole: bool
) -> _StartedProof:
    try:
        parts = max(jobs, ceil(len(tuple(mutants(exercise))) / _MUTANTS))
    except SourceError:  # `_prove_without_mutants` reports the error
        parts = 0
    root, name = course.root, exercise.name
    main = pool.submit(_prove_without_mutants, root, sets, whole, name)
    surviving_parts = [pool.submit(_surviving, root, name, part, parts) for part in range(parts)]
    return _StartedProof(exercise, main, surviving_parts, pool.submit(_kernel_problems, root, name))


def _prove_without_mutants(root: Path, sets: int, whole: bool, name: str) -> Proof:
    """Verify one exercise, except for its mutants and its run in a kernel."""
    course = load_course(root)
    use_one_thread(course.exercises[name])
    zygote = _zygote(tuple(course.settings.packages))
    return next(prove(course, (course.exercises[name],), zygote, sets, whole=whole, measured=False))


def _surviving(root: Path, name: str, part: int, parts: int) -> list[int]:
    """Return the result of `surviving`, or an empty list if the reference itself fails a test."""
    try:
        suite = _suite(root, name)
    except SourceError:
        return []
    return [] if any(run.error for run in suite.reference_runs) else surviving(suite, part, parts)


@lru_cache(1)
def _suite(root: Path, name: str) -> Suite:
    """Return the suite of the exercise. It is cached for the next part of the same proof."""
    exercise = load_course(root).exercises[name]
    use_one_thread(exercise)
    return Suite(exercise)


@cache
def _zygote(packages: tuple[str, ...]) -> Zygote:
    """Return the process that forks workers. Each process of the pool has its own, and both end together."""
    return Zygote(packages=packages)


def _kernel_problems(root: Path, name: str) -> tuple[str, ...]:
    return tuple(kernel_problems(load_course(root).exercises[name]))
