"""Measures one exercise on one class: the other graders, ours, growth, stages, and a student's wait."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.authoring.answers import released
from autograder.bench import otter, ours, stock
from autograder.bench.asserts import Tests, hidden_tests
from autograder.bench.attacked import attacked, honest
from autograder.bench.crowd import ClassAnswers, class_answers, course_of, hand_in
from autograder.bench.figures import ClassFigures, Figures, Full, OtherGrader, Waiting, this_machine
from autograder.bench.meter import BenchError
from autograder.bench.stages import Stage, measure_stages
from autograder.bench.waiting import measure_waiting
from autograder.course.course import Course
from autograder.course.exercise import Exercise

Notify = Callable[[str], None]  # receives a line on what is being measured


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to measure; docs/performance.md shows the figures of the defaults."""

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
        return _Bench(course, exercise, plan, Path(folder), notify, hidden_tests(exercise)).figures()


@dataclass(frozen=True, slots=True)
class _Bench:
    """The measuring of one exercise, in a folder that is removed afterwards."""

    course: Course
    exercise: Exercise
    plan: Plan
    folder: Path
    notify: Notify
    tests: Tests

    def figures(self) -> Figures:
        plan = self.plan
        # Otter comes first, so that no installation disturbs a measurement.
        programs = otter.install(self.course, self.notify) if plan.otter else None
        os.sync()  # what it has written is on the disk before anything is measured
        if plan.warm:
            self._grade(3, 1)  # fills the disk's cache, from which all graders then gain alike
        last = plan.jobs[-1]
        graded = [self._grade(plan.submissions, jobs, again=jobs == last) for jobs in plan.jobs]
        growth = [self._grade(count, last) for count in plan.sizes]
        return Figures(
            exercise=self.exercise.name,
            tests=sum(map(len, self.tests.values())),
            version=ours.VERSION,
            walls=graded[0].walls,
            machine=this_machine(),
            ours=tuple(done.figures for done in graded),
            attacked=self._attacked(plan.submissions, last, graded[-1].full),
            others=tuple(self._others(programs, graded[0].full)),
            growth=tuple(done.figures for done in growth),
            stages=tuple(self._stages()),
            waiting=self._waiting(),
        )

    def _grade(self, count: int, jobs: int, *, again: bool = False) -> ours.GradedClass:
        self.notify(f"this grader, {count} submissions, {jobs} job{'s' if jobs > 1 else ''}")
        return self._graded(class_answers(self.exercise, count, self.plan.seed), jobs, again=again)

    def _attacked(self, count: int, jobs: int, peaceful: Full) -> ClassFigures:
        """Grade a class again in which every tenth is an attack; nobody else's marks must change."""
        self.notify(f"the same class with {jobs} jobs, every tenth an attack")
        crowd = class_answers(self.exercise, count, self.plan.seed)
        graded = self._graded(attacked(crowd, self.exercise), jobs)
        if dict(honest(graded.full)) != dict(honest(peaceful)):
            raise BenchError(f"{self.exercise.name}: attacks have changed the marks of others")
        return graded.figures

    def _graded(self, crowd: ClassAnswers, jobs: int, *, again: bool = False) -> ours.GradedClass:
        graded = ours.grade_class(
            self.course,
            self.exercise,
            self.folder,
            crowd=crowd,
            jobs=jobs,
            again=again,
        )
        self.notify(f"  {graded.figures.seconds:.1f} s, {graded.figures.peak_mb:.0f} MB")
        return graded

    def _others(self, programs: Path | None, full: Full) -> Iterator[OtherGrader]:
        plan, exercise, folder = self.plan, self.exercise, self.folder
        if plan.stock or programs:
            self.notify("nbgrader's own release, with hidden tests in its cells")
            notebook = stock.release(folder / "stock", exercise, self.tests)
        if plan.stock:
            self.notify(f"stock nbgrader, {plan.stock} submissions")
            yield stock.grade_sample(folder / "stock", exercise, notebook, plan.stock, plan.seed, full)
        if programs:
            self.notify(f"Otter, {plan.otter} submissions")
            crowd = class_answers(exercise, plan.otter, plan.seed)
            yield otter.grade_sample(folder / "otter", exercise, notebook, crowd, self.tests, full, programs)

    def _stages(self) -> list[Stage]:
        count = self.plan.staged
        self.notify(f"stages, {count} submissions, with the walls and without")
        roots = (self.folder / "walls", self.folder / "bare")
        for root in roots:
            made = course_of(self.course, self.exercise, root)
            crowd = class_answers(self.exercise, count, self.plan.seed)
            hand_in(root, released(made.assignments, self.exercise), self.exercise, crowd)
        return measure_stages(*roots, self.exercise.name, count)

    def _waiting(self) -> Waiting:
        self.notify("a student's wait")
        plan = self.plan
        return measure_waiting(self.course, self.exercise, self.folder, plan.repeats, warm=plan.warm)
