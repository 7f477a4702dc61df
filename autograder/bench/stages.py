"""Measures where the time of grading goes, stage by stage.

A stage is one or several functions of the engine, which are replaced by ones that also keep the time. That is
done in a program of its own, where nothing else runs, and once more without the walls to see what they cost.
Beside the stages stands what the submissions themselves needed of that time, as their workers count it.
"""

import functools
import inspect
import json
import pkgutil
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.bench.meter import measure
from autograder.bench.workers import OwnWork, lower_the_walls
from autograder.course.course import load_course

REST = "everything else"
OWN = "of these, the submission's own work"  # its cells, and its own time inside the tests' calls
ONCE = "once for the class: zygote, suite, known mistakes, gradebook"
FORK, CELLS, TESTS = "process and walls", "the notebook's cells", "hidden tests"
EXPLAIN, MISTAKE = "second run, on disclosed inputs", "which known mistake it is"
EXAMPLE = "the smallest call that goes wrong"
REPORT, BOOK = "reading, judging, report", "gradebook and autograded notebook"


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage takes for each submission, with the walls and without."""

    name: str
    milliseconds: float
    without_walls: float


@dataclass(frozen=True, slots=True)
class TimedFunction:
    """A function of the engine whose time belongs to a stage.

    If it is `whole`, the time of everything that it calls belongs to the same stage.
    """

    module: str
    name: str
    stage: str
    whole: bool = False

    def located(self) -> tuple[Any, str]:
        """Return the module or class that has the function, and the function's name in it."""
        owner, _, name = self.name.rpartition(".")
        return pkgutil.resolve_name(f"{self.module}:{owner}"), name


TIMED = (
    TimedFunction("autograder.sandbox.zygote", "Zygote.__init__", ONCE, whole=True),
    TimedFunction("autograder.sandbox.zygote", "Zygote.close", ONCE, whole=True),
    TimedFunction("autograder.testing.suite", "Suite.__init__", ONCE, whole=True),
    TimedFunction("autograder.gradebook.book", "ExerciseGradebook.__enter__", ONCE, whole=True),
    TimedFunction("autograder.gradebook.book", "ExerciseGradebook.take_in", BOOK, whole=True),
    TimedFunction("autograder.grading.restarting", "RestartingGrader.grade", REPORT),
    TimedFunction("autograder.sandbox.zygote", "Zygote.fork_with", FORK),
    TimedFunction("autograder.grading.session", "Session.start", CELLS),
    TimedFunction("autograder.testing.suite", "Suite.run", TESTS),
    TimedFunction("autograder.grading.running", "Running.in_new_worker", EXPLAIN, whole=True),
    TimedFunction("autograder.grading.diagnosis", "Diagnosis.name", MISTAKE, whole=True),
    TimedFunction("autograder.grading.examples", "Examples.of", EXAMPLE, whole=True),
)
_WITHOUT_WALLS = "--without-walls"


class Stopwatch:
    """Counts each moment to the innermost stage that is running."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._running = [TimedFunction("", "", REST)]
        self._since = time.perf_counter()

    @contextmanager
    def during(self, function: TimedFunction) -> Iterator[None]:
        """Count the time of the `with` block to the stage of `function`, unless a whole one is running.

        What is done once for the class counts as that wherever it is done.
        """
        if self._running[-1].whole and (function.stage != ONCE or self._running[-1].stage == ONCE):
            yield
            return
        self.note()
        self._running.append(function)
        try:
            yield
        finally:
            self.note()
            self._running.pop()

    def note(self) -> None:
        """Count the time since the last note to the running stage."""
        now = time.perf_counter()
        self.seconds[self._running[-1].stage] += now - self._since
        self._since = now

    def watch(self, timed: TimedFunction) -> None:
        """Replace a function by one that also keeps its time; a generator's time is that of its steps."""
        owner, name = timed.located()
        function, counted = getattr(owner, name), self.during(timed)
        step = counted(next)

        @functools.wraps(function)
        def stepwise(*args: Any, **kwargs: Any) -> Iterator[Any]:
            items, over = function(*args, **kwargs), object()
            yield from iter(lambda: step(items, over), over)

        setattr(owner, name, stepwise if inspect.isgeneratorfunction(function) else counted(function))


def measure_stages(walled: Path, bare: Path, exercise: str, count: int) -> list[Stage]:
    """Grade the class in the course folder `walled` with the walls, and its copy in `bare` without them."""
    with_walls, without = _seconds(walled, exercise), _seconds(bare, exercise, _WITHOUT_WALLS)
    each = {name: 1000 / (1 if name == ONCE else count) for name in with_walls}
    return [
        Stage(name, seconds * each[name], without[name] * each[name]) for name, seconds in with_walls.items()
    ]


def _seconds(root: Path, exercise: str, *words: str) -> dict[str, float]:
    """Return the seconds that each stage took for the whole class, graded in a process of its own."""
    command = [sys.executable, "-m", "autograder.bench.stages", str(root), exercise, *words]
    seconds: dict[str, float] = json.loads(measure(command, root).output.splitlines()[-1])
    return seconds


def main(root: Path, exercise: str, *, walls: bool) -> None:
    """Grade what lies in the course folder `root` and print the seconds of each stage."""
    from autograder.batch.grade import grade_submissions
    from autograder.batch.in_process import InProcess

    course = load_course(root)
    if not walls:
        lower_the_walls()
    own = OwnWork()
    own.watch()
    watch = Stopwatch()
    for timed in TIMED:
        watch.watch(timed)
    with InProcess(course, unsafe=True) as executor:
        summary = grade_submissions(course, course.chosen([exercise]), unsafe=True, executor=executor)
    watch.note()
    sys.stdout.write(json.dumps({**watch.seconds, OWN: own.seconds}) + "\n")
    sys.exit(summary.exit_code)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], walls=_WITHOUT_WALLS not in sys.argv)
