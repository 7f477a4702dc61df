"""What the bench's tests share: a course that can be measured, and made-up figures."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from autograder.bench.figures import ClassFigures, Figures, Machine, OtherGrader, Waiting, agreement
from autograder.bench.stages import BOOK, ONCE, OWN, Stage
from autograder.course.course import Course
from autograder.tests.classroom import CONFIG


@pytest.fixture
def furnished(course: Course, released: Path) -> Course:
    """Return a copy of the small course with its release and nbgrader's settings."""
    shutil.copytree(released, course.assignments / "01_small")
    shutil.copy(CONFIG, course.root)
    return course


@pytest.fixture(autouse=True)
def own_random_numbers() -> Iterator[None]:
    """Give back the random numbers that the tests which are run here seed."""
    with torch.random.fork_rng(devices=[]):
        yield


@pytest.fixture
def figures() -> Figures:
    """Return figures as a bench could have found them."""
    machine = Machine("A fine processor", 2, 8, "Linux 6.1", "3.11.7", "2.13.0")
    ours = (ClassFigures(200, 1, 20.0, 900.0), ClassFigures(200, 2, 12.5, 1500.0, 4.0))
    attacked = ClassFigures(200, 2, 13.5, 1550.0)
    growth = (ClassFigures(10, 2, 5.0, 1400.0), ClassFigures(1000, 2, 60.0, 1501.0))
    full = {"ada": frozenset({"double"}), "carl": frozenset[str]()}
    agrees = agreement(full, {**full, "carl": full["ada"]}, questions=2)
    stock = OtherGrader("stock nbgrader", "0.9.6", 2.5, 20, 400.0, *agrees, again=3.0)
    otter = OtherGrader("Otter", "7.0.0", 5.0, 9, 500.0, 4, 4)
    timed = (
        Stage("hidden tests", 20.0, 19.0),
        Stage(ONCE, 2000.0, 1900.0),
        Stage("process and walls", 25.0, 5.0),
        Stage(OWN, 18.0, 16.0),
        Stage(BOOK, 8.0, 8.0),
    )
    waiting = Waiting(2.0, 2.2, 3.0)
    return Figures(
        exercise="01_small",
        tests=5,
        version="0.1.0",
        walls=("rlimits", "seccomp"),
        machine=machine,
        ours=ours,
        attacked=attacked,
        others=(stock, otter),
        growth=growth,
        stages=timed,
        waiting=waiting,
    )
