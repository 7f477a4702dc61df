"""Verifies several exercises in several processes, and shares out the mutants of each among them.

Each exercise's notebook also runs in a real kernel.
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
from autograder.authoring.verify import Proof, keep_proof, kept_proof, prove, with_strength
from autograder.batch.pool import CONTEXT
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.source import SourceError
from autograder.errors import AutograderError
from autograder.sandbox.zygote import Zygote
from autograder.testing.suite import Suite, use_one_thread
from autograder.worker.walls import die_with_parent

PROGRESS = 10.0  # seconds between two lines that say how far a proof is
_MUTANTS = 25  # of one part, so that parts end often enough to show progress
_Notify = Callable[[str], None]


class StoppedError(AutograderError):
    """Somebody interrupted the proof."""

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
    """Verify exercises in `jobs` processes, each with a zygote of its own; the proofs come in order.

    What was proved before and has not changed is not proved again, unless `anew` asks for that. With `whole`,
    all tests run on each wrong answer, so that its share of the points is exact. `notify` gets a line of
    progress now and then. The proofs do not depend on the number of processes.
    """
    sets = SETS_THOROUGH if thorough else SETS_TRIED
    before = {one.name: None if anew else kept_proof(course, one, sets, whole=whole) for one in exercises}
    left = [exercise for exercise in exercises if before[exercise.name] is None]
    others = active_children()
    with ProcessPoolExecutor(jobs if left else 1, CONTEXT, initializer=die_with_parent) as pool:
        try:
            # The last exercises take longest; begun first, they do not run alone at the end.
            begun = {one.name: _begun(pool, course, one, sets, jobs, whole=whole) for one in reversed(left)}
            for exercise in exercises:
                if (proof := before[exercise.name]) is None:
                    proof = begun[exercise.name].proof(course.settings.mutants_fail, notify)
                    keep_proof(course, exercise, sets, proof, whole=whole)
                yield proof
        except KeyboardInterrupt:
            for child in set(active_children()) - set(others):
                child.terminate()
            raise StoppedError("stopped") from None


@dataclass(frozen=True)
class _Begun:
    """The parts of one exercise's proof, which processes work on."""

    exercise: Exercise
    main: Future[Proof]
    mutants: Sequence[Future[list[int]]]  # the numbers of those that pass all tests
    kernel: Future[tuple[str, ...]]

    def proof(self, share: float, notify: _Notify) -> Proof:
        """Wait for the parts, and return the proof that they make."""
        self._wait([self.main], notify)
        proof = self.main.result()
        if proof.costs is not None:  # otherwise right answers fail, from which all else would follow
            self._wait(self.mutants, notify)
            survivors = [number for part in self.mutants for number in part.result()]
            try:
                proof = with_strength(proof, judge(self.exercise, survivors, share))
            except SourceError as error:
                return Proof(self.exercise.name, findings=(str(error),))
        if not proof.findings:
            self._wait([self.kernel], notify)
            proof = replace(proof, findings=self.kernel.result())
        return proof

    def _wait(self, parts: Sequence[Future[Any]], notify: _Notify) -> None:
        """Wait for some parts, with a line now and then that says what is done so far."""
        while wait(parts, PROGRESS).not_done:
            done, every = sum(part.done() for part in self.mutants), len(self.mutants)
            tests = "" if self.main.done() else "its answers are still being tried, "
            notify(f"{self.exercise.name}: {tests}{done} of {every} parts of the mutants are done")


def _begun(
    pool: ProcessPoolExecutor, course: Course, exercise: Exercise, sets: int, jobs: int, *, whole: bool
) -> _Begun:
    """Let processes begin with all parts of an exercise's proof."""
    try:
        parts = max(jobs, ceil(len(tuple(mutants(exercise))) / _MUTANTS))
    except SourceError:  # which the main part reports
        parts = 0
    root, name = course.root, exercise.name
    main = pool.submit(_verified, root, sets, whole, name)
    shared = [pool.submit(_surviving, root, name, part, parts) for part in range(parts)]
    return _Begun(exercise, main, shared, pool.submit(_in_kernel, root, name))


def _verified(root: Path, sets: int, whole: bool, name: str) -> Proof:
    """Verify one exercise but for its mutants."""
    course = load_course(root)
    use_one_thread(course.exercises[name])
    zygote = _zygote(tuple(course.settings.packages))
    return next(prove(course, (course.exercises[name],), zygote, sets, whole=whole, measured=False))


def _surviving(root: Path, name: str, part: int, parts: int) -> list[int]:
    """Return the numbers of the mutants of one part that pass all tests; none if right answers fail."""
    try:
        suite = _suite(root, name)
    except SourceError:
        return []
    return [] if any(run.error for run in suite.reference_runs) else surviving(suite, part, parts)


@lru_cache(1)
def _suite(root: Path, name: str) -> Suite:
    """Return the suite of the exercise whose mutants this process tries."""
    exercise = load_course(root).exercises[name]
    use_one_thread(exercise)
    return Suite(exercise)


@cache
def _zygote(packages: tuple[str, ...]) -> Zygote:
    """Return this process's own zygote, which ends with it."""
    return Zygote(packages=packages)


def _in_kernel(root: Path, name: str) -> tuple[str, ...]:
    return tuple(kernel_problems(load_course(root).exercises[name]))
