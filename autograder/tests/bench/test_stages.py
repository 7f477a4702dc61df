"""Stages: each moment of the engine's work belongs to one of them."""

import time
from collections.abc import Iterator

import pytest

from autograder.bench.stages import REST, TIMED, Stopwatch, TimedFunction


class Kitchen:
    """Something to watch."""

    def bake(self) -> None:
        self.rest()
        time.sleep(0.02)

    def rest(self) -> None:
        time.sleep(0.03)

    def serve(self) -> Iterator[int]:
        time.sleep(0.02)
        yield 1
        time.sleep(0.02)


@pytest.mark.parametrize("whole", [False, True])
def test_time_goes_to_the_innermost_stage_unless_one_around_it_is_whole(
    monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    for name in ("bake", "rest", "serve"):
        monkeypatch.setattr(Kitchen, name, getattr(Kitchen, name))
    watch = Stopwatch()
    watch.watch(TimedFunction(__name__, "Kitchen.bake", "baking", whole=whole))
    watch.watch(TimedFunction(__name__, "Kitchen.rest", "resting"))
    watch.watch(TimedFunction(__name__, "Kitchen.serve", "serving"))
    kitchen = Kitchen()
    kitchen.bake()
    for _ in kitchen.serve():
        time.sleep(0.05)
    watch.note()
    assert ("resting" in watch.seconds) is not whole
    assert watch.seconds["baking"] >= (0.05 if whole else 0.02)
    assert watch.seconds["serving"] >= 0.04
    assert watch.seconds[REST] >= 0.05


def test_every_stage_is_a_function_of_the_engine() -> None:
    for timed in TIMED:
        owner, name = timed.located()
        assert callable(getattr(owner, name)), timed
