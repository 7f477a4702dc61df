"""Where the time of grading goes, stage by stage; run as a program of its own, so that nothing else waits.

Each stage is some methods of the engine, replaced by ones that also keep the time.
"""

import functools
import inspect
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from autograder.bench.meter import measure
from autograder.course.course import load_course

REST = "everything else"
ONCE = "once for the class: zygote, suite, gradebook"
FORK, CELLS, TESTS = "process and walls", "the notebook's cells", "hidden tests"
WITNESS, MISTAKE = "second run, to show own words safely", "which known mistake it is"
REPORT, BOOK = "reading, judging, report", "gradebook and autograded notebook"


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage takes for each submission, with the walls and, where known, without."""

    name: str
    milliseconds: float
    without_walls: float


@dataclass(frozen=True, slots=True)
class _Place:
    """A function of the engine that is a stage; a whole one covers whatever it calls."""

    module: str
    name: str
    stage: str
    whole: bool = False


_PLACES = (
    _Place("autograder.sandbox.zygote", "Zygote.__init__", ONCE, whole=True),
    _Place("autograder.sandbox.zygote", "Zygote.close", ONCE, whole=True),
    _Place("autograder.testing.suite", "Suite.__init__", ONCE, whole=True),
    _Place("autograder.gradebook.book", "ExerciseGradebook.__enter__", ONCE, whole=True),
    _Place("autograder.gradebook.book", "ExerciseGradebook.record", BOOK, whole=True),
    _Place("autograder.grading.restarting", "RestartingGrader.mark", REPORT),
    _Place("autograder.sandbox.zygote", "Zygote.fork_with", FORK),
    _Place("autograder.grading.session", "Session.start", CELLS),
    _Place("autograder.testing.suite", "Suite.run", TESTS),
    _Place("autograder.grading.session", "Session.says_the_same", WITNESS, whole=True),
    _Place("autograder.grading.diagnosis", "Diagnosis.name", MISTAKE, whole=True),
)
_WITHOUT = "--without-walls"


class Stopwatch:
    """Gives each moment to the innermost stage that is at work."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._at_work = [_Place("", "", REST)]
        self._since = time.perf_counter()

    @contextmanager
    def at(self, place: _Place) -> Iterator[None]:
        """Count what happens inside to the stage of `place`, unless a whole one is at work."""
        if self._at_work[-1].whole:
            yield
            return
        self.note()
        self._at_work.append(place)
        try:
            yield
        finally:
            self.note()
            self._at_work.pop()

    def note(self) -> None:
        """Give the time since the last note to the stage at work."""
        now = time.perf_counter()
        self.seconds[self._at_work[-1].stage] += now - self._since
        self._since = now

    def watch(self, place: _Place) -> None:
        """Replace the function at `place` by one that keeps its time."""
        owner: Any = import_module(place.module)
        *path, name = place.name.split(".")
        for part in path:
            owner = getattr(owner, part)
        setattr(owner, name, self._watched(getattr(owner, name), place))

    def _watched(self, function: Callable[..., Any], place: _Place) -> Callable[..., Any]:
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def stepwise(*args: Any, **kwargs: Any) -> Iterator[Any]:
                items, over = function(*args, **kwargs), object()
                while True:
                    with self.at(place):
                        item = next(items, over)
                    if item is over:
                        return
                    yield item

            return stepwise

        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            with self.at(place):
                return function(*args, **kwargs)

        return watched


def stages(root: Path, fresh: Path, exercise: str, count: int) -> list[Stage]:
    """Grade the same class in the course folders `root` and `fresh`, with the walls and without."""
    behind, bare = _seconds(root, exercise), _seconds(fresh, exercise, _WITHOUT)
    once = {stage: 1 if stage == ONCE else count for stage in behind}
    return [
        Stage(name, 1000 * seconds / once[name], 1000 * bare[name] / once[name])
        for name, seconds in behind.items()
    ]


def _seconds(root: Path, exercise: str, *words: str) -> dict[str, float]:
    """Return what each stage took in all, in a process of its own."""
    command = [sys.executable, "-m", "autograder.bench.stages", str(root), exercise, *words]
    seconds: dict[str, float] = json.loads(measure(command, root).output.splitlines()[-1])
    return seconds


def main(root: Path, exercise: str, *, walls: bool) -> None:
    """Grade what lies in the course folder `root` and print the seconds of each stage."""
    from autograder.batch.grade import grade_submissions

    course = load_course(root)
    if not walls:
        _lower_the_walls()
    watch = Stopwatch()
    for place in _PLACES:
        watch.watch(place)
    summary = grade_submissions(course, course.chosen([exercise]), jobs=1, unsafe=True)
    watch.note()
    sys.stdout.write(json.dumps(watch.seconds) + "\n")
    sys.exit(summary.exit_code)


def _lower_the_walls() -> None:
    """Have this program's zygote start without bubblewrap, and its workers raise no wall."""
    from autograder.sandbox import bubblewrap, launch

    command = launch.zygote_command

    def bare(descriptor: int) -> list[str]:
        python, isolated, option, start, *words = command(descriptor)
        lowered = "import autograder.worker.walls as wall; wall.confine = lambda limits: []; "
        imported = start.index("from autograder.worker.zygote")
        return [python, isolated, option, start[:imported] + lowered + start[imported:], *words]

    launch.zygote_command = bare
    bubblewrap.program = lambda: None


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], walls=_WITHOUT not in sys.argv)
