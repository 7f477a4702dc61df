"""What tests of a worker's shell share: one fresh worker, and a way to ask it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from autograder.course.settings import Limits
from autograder.sandbox.zygote import Zygote

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(zygote: Zygote) -> Iterator[Run]:
    """Return a function that sends a request to one fresh worker."""
    worker = zygote.fork(Limits())
    yield lambda **header: worker.ask(header, [], 30)[0]
    worker.close()


@pytest.fixture
def run(ask: Run) -> Run:
    """Return a function that runs a cell, the fourth, in that worker."""
    return lambda code: ask(op="cell", number=4, code=code)


@pytest.fixture
def call(ask: Run) -> Run:
    """Return a function that calls one of the notebook's functions in that worker."""
    return lambda name, *args: ask(
        op="call", of={"name": name}, args={"tuple": list(args)}, kwargs={"dict": []}
    )
