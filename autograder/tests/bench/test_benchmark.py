"""A whole bench on a tiny class."""

from dataclasses import asdict, replace

import pytest

from autograder.bench import meter, stages
from autograder.bench.benchmark import QUICK, measure_exercise
from autograder.course.course import Course
from autograder.tests.classroom import small
from autograder.tests.warm import SUBPROCESS


def test_a_tiny_bench_measures_everything_of_ours(furnished: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meter, "subprocess", SUBPROCESS)
    notices: list[str] = []
    plan = replace(QUICK, sizes=(), stock=0, otter=0)
    found = measure_exercise(furnished, small(furnished), plan, notices.append)
    (done,) = found.ours
    assert (done.count, done.jobs) == (2, 1)
    assert done.again is not None
    assert (found.attacked.count, found.attacked.jobs) == (2, 1)
    assert {"process", "rlimits"} <= set(found.walls)
    assert found.others == ()
    by_name = {stage.name: stage for stage in found.stages}
    assert set(by_name) >= {stages.ONCE, stages.FORK, stages.CELLS, stages.TESTS, stages.BOOK}
    stages_of_time = [stage for stage in found.stages if stage.name not in (stages.ONCE, stages.OWN)]
    own = by_name[stages.OWN]
    assert own.milliseconds < sum(stage.milliseconds for stage in stages_of_time)
    assert own.without_walls < sum(stage.without_walls for stage in stages_of_time)
    numbers = [
        done.seconds,
        done.again,
        done.peak_mb,
        found.attacked.seconds,
        *asdict(found.waiting).values(),
    ]
    numbers += [number for stage in found.stages for number in (stage.milliseconds, stage.without_walls)]
    assert all(number > 0 for number in numbers), numbers
    assert "this grader, 2 submissions, 1 job" in notices
    assert list((furnished.build / "bench").iterdir()) == []
