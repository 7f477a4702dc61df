"""Measures one exercise: the others, ourselves, growth, stages, a student's wait; all on one class."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.authoring.answers import released
from autograder.bench import otter, ours, stock
from autograder.bench.asserts import hidden_tests
from autograder.bench.crowd import course_of, hand_in
from autograder.bench.desk import Desk, desk
from autograder.bench.figures import Figures, Other, of_class, of_sample
from autograder.bench.machine import this_machine
from autograder.bench.stages import Stage, stages
from autograder.course.course import Course
from autograder.course.exercise import Exercise

Tell = Callable[[str], None]
Full = dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to measure; the defaults are what the README shows."""

    submissions: int = 200
    jobs: tuple[int, ...] = (1, 2)
    sizes: tuple[int, ...] = (10, 100, 1000)
    stock: int = 21  # submissions, of which the first is not counted; 0 leaves it out
    otter: int = 9
    staged: int = 60
    repeats: int = 5
    warm: bool = True  # whether something runs first that is not measured
    seed: int = 1


QUICK = Plan(submissions=2, jobs=(1,), sizes=(1,), stock=2, otter=1, staged=1, repeats=1, warm=False)


def bench(course: Course, exercise: Exercise, plan: Plan, tell: Tell) -> Figures:
    """Measure everything in `plan` on a class made from `exercise`."""
    place = course.build / "bench"
    place.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=place) as folder:
        return _Bench(course, exercise, plan, Path(folder), tell).figures()


class _Bench:
    """One bench, in a folder that is gone afterwards."""

    def __init__(self, course: Course, exercise: Exercise, plan: Plan, place: Path, tell: Tell) -> None:
        self._course = course
        self._exercise = exercise
        self._plan = plan
        self._place = place
        self._tell = tell
        self._tests = hidden_tests(exercise)

    def figures(self) -> Figures:
        plan = self._plan
        programs = self._otter_programs()  # first of all, so that no installation disturbs a measurement
        if plan.warm:
            self._grade(3, 1)  # fills the disk's cache, for all alike
        last = plan.jobs[-1]
        graded = [self._grade(plan.submissions, jobs, again=jobs == last) for jobs in plan.jobs]
        growth = [self._grade(count, last) for count in plan.sizes]
        return Figures(
            exercise=self._exercise.name,
            tests=sum(map(len, self._tests.values())),
            version=ours.VERSION,
            walls=graded[0].walls,
            machine=this_machine(),
            ours=tuple(map(of_class, graded)),
            others=self._others(programs, graded[0].full),
            growth=tuple(map(of_class, growth)),
            stages=tuple(self._stages()),
            desk=self._desk(),
        )

    def _grade(self, count: int, jobs: int, *, again: bool = False) -> ours.Graded:
        self._tell(f"this grader, {count} submissions, {jobs} job{'s' if jobs > 1 else ''}")
        graded = ours.grade(
            self._course, self._exercise, self._place,
            count=count, jobs=jobs, seed=self._plan.seed, again=again,
        )  # fmt: skip
        self._tell(f"  {graded.run.seconds:.1f} s, {graded.run.peak_mb:.0f} MB")
        return graded

    def _otter_programs(self) -> Path | None:
        if not self._plan.otter:
            return None
        constraints = self._course.root / "constraints.txt"
        return otter.environment(self._course.build / "bench" / "otter", constraints, self._tell)

    def _others(self, programs: Path | None, full: Full) -> tuple[Other, ...]:
        plan, exercise = self._plan, self._exercise
        others = []
        if plan.stock or programs:
            self._tell("nbgrader's own release, with hidden tests in its cells")
            notebook = stock.release(self._place / "stock", exercise, self._tests)
        if plan.stock:
            self._tell(f"stock nbgrader, {plan.stock} submissions")
            found = stock.sample(self._place / "stock", exercise, notebook, plan.stock, plan.seed, again=True)
            others.append(of_sample("stock nbgrader", found, full, len(exercise.points)))
        if programs:
            self._tell(f"Otter, {plan.otter} submissions")
            found = otter.sample(
                programs, self._place / "otter", exercise, notebook, plan.otter, plan.seed, self._tests
            )
            others.append(of_sample("Otter", found, full, len(exercise.points)))
        return tuple(others)

    def _stages(self) -> list[Stage]:
        count = self._plan.staged
        self._tell(f"stages, {count} submissions, with the walls and without")
        roots = (self._place / "walls", self._place / "bare")
        for root in roots:
            made = course_of(self._course, self._exercise, root)
            notebook = released(made.assignments, self._exercise)
            hand_in(root, notebook, self._exercise, count, self._plan.seed)
        return stages(*roots, self._exercise.name, count)

    def _desk(self) -> Desk:
        self._tell("a student's wait")
        return desk(self._course, self._exercise, self._place, self._plan.repeats, warm=self._plan.warm)
