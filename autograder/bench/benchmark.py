"""Measures one exercise on one class: the other graders, ours, growth, stages, and a student's wait."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.authoring.answers import released
from autograder.bench import otter, ours, stock
from autograder.bench.asserts import hidden_tests
from autograder.bench.crowd import course_of, hand_in
from autograder.bench.figures import Figures, OtherGrader, of_class, of_sample
from autograder.bench.machine import this_machine
from autograder.bench.stages import Stage, measure_stages
from autograder.bench.waiting import Waiting, measure_waiting
from autograder.course.course import Course
from autograder.course.exercise import Exercise

Notify = Callable[[str], None]  # receives a line on what is being measured
Full = dict[str, frozenset[str]]  # the questions with full marks, by student


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to measure; README.md shows the figures of the defaults."""

    submissions: int = 200
    jobs: tuple[int, ...] = (1, 2)
    sizes: tuple[int, ...] = (10, 100, 1000)
    stock: int = 21  # submissions, of which the first is not counted; 0 leaves stock nbgrader out
    otter: int = 9
    staged: int = 60
    repeats: int = 5
    warm: bool = True  # whether a first run fills the disk's cache without being measured
    seed: int = 1


QUICK = Plan(submissions=2, jobs=(1,), sizes=(1,), stock=2, otter=1, staged=1, repeats=1, warm=False)


def measure_exercise(course: Course, exercise: Exercise, plan: Plan, notify: Notify) -> Figures:
    """Measure everything in `plan` on a class made from `exercise`."""
    kept = course.build / "bench"
    kept.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=kept) as folder:
        return _Bench(course, exercise, plan, Path(folder), notify).figures()


class _Bench:
    """The measuring of one exercise, in a folder that is removed afterwards."""

    def __init__(self, course: Course, exercise: Exercise, plan: Plan, folder: Path, notify: Notify) -> None:
        self._course = course
        self._exercise = exercise
        self._plan = plan
        self._folder = folder
        self._notify = notify
        self._tests = hidden_tests(exercise)

    def figures(self) -> Figures:
        plan = self._plan
        programs = self._otter_programs()  # before all else, so that no installation disturbs a measurement
        if plan.warm:
            self._grade(3, 1)  # fills the disk's cache, from which all graders then gain alike
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
            waiting=self._waiting(),
        )

    def _grade(self, count: int, jobs: int, *, again: bool = False) -> ours.GradedClass:
        self._notify(f"this grader, {count} submissions, {jobs} job{'s' if jobs > 1 else ''}")
        graded = ours.grade_class(
            self._course, self._exercise, self._folder,
            count=count, jobs=jobs, seed=self._plan.seed, again=again,
        )  # fmt: skip
        self._notify(f"  {graded.run.seconds:.1f} s, {graded.run.peak_mb:.0f} MB")
        return graded

    def _otter_programs(self) -> Path | None:
        if not self._plan.otter:
            return None
        constraints = self._course.root / "constraints.txt"
        return otter.environment(self._course.build / "bench" / "otter", constraints, self._notify)

    def _others(self, programs: Path | None, full: Full) -> tuple[OtherGrader, ...]:
        plan, exercise = self._plan, self._exercise
        others = []
        if plan.stock or programs:
            self._notify("nbgrader's own release, with hidden tests in its cells")
            notebook = stock.release(self._folder / "stock", exercise, self._tests)
        if plan.stock:
            self._notify(f"stock nbgrader, {plan.stock} submissions")
            sample = stock.sample(
                self._folder / "stock", exercise, notebook, plan.stock, plan.seed, again=True
            )
            others.append(of_sample("stock nbgrader", sample, full, len(exercise.points)))
        if programs:
            self._notify(f"Otter, {plan.otter} submissions")
            sample = otter.sample(
                programs, self._folder / "otter", exercise, notebook, plan.otter, plan.seed, self._tests
            )
            others.append(of_sample("Otter", sample, full, len(exercise.points)))
        return tuple(others)

    def _stages(self) -> list[Stage]:
        count = self._plan.staged
        self._notify(f"stages, {count} submissions, with the walls and without")
        roots = (self._folder / "walls", self._folder / "bare")
        for root in roots:
            made = course_of(self._course, self._exercise, root)
            notebook = released(made.assignments, self._exercise)
            hand_in(root, notebook, self._exercise, count, self._plan.seed)
        return measure_stages(*roots, self._exercise.name, count)

    def _waiting(self) -> Waiting:
        self._notify("a student's wait")
        plan = self._plan
        return measure_waiting(self._course, self._exercise, self._folder, plan.repeats, warm=plan.warm)
