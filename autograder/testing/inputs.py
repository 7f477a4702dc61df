"""Chooses the seeds of hidden and disclosed inputs.

There are SETS sets of hidden inputs, all derived from a secret of the course. The digest of the whole
submitted file selects the set. A file that differs in any byte almost certainly gets a different set, so what
a student learns about one set is of little use for the next file. The disclosed inputs are the same for
everybody. Students may see them. They serve to explain wrong answers. They decide only a test that fails on
them after the visible check has raised an error.
"""

import hmac
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from autograder.worker.namespace import seed_generators

SETS = 64
_BY_TORCH = ContextVar("whether the current test draws with torch's generator", default=True)


@dataclass(frozen=True, slots=True)
class Inputs:
    """One set of inputs for all tests of a suite."""

    key: bytes

    def seed(self, test: int) -> int:
        """Return the seed for the inputs of the test with this index in the suite."""
        return int.from_bytes(hmac.digest(self.key, str(test).encode(), "sha256")[:8])


DISCLOSED = Inputs(b"disclosed")


def hidden_inputs(secret: bytes, exercise: str, digest: str) -> Inputs:
    """Return the set of hidden inputs for a submitted file with this digest."""
    number = int.from_bytes(hmac.digest(secret, f"{exercise}\n{digest}".encode(), "sha256")) % SETS
    return numbered_inputs(secret, exercise, number)


def numbered_inputs(secret: bytes, exercise: str, number: int) -> Inputs:
    """Return an exercise's set `number` of hidden inputs, from 0 to SETS - 1."""
    return Inputs(hmac.digest(secret, f"{exercise} {number}".encode(), "sha256"))


@contextmanager
def temporary_seed(seed: int, *, by_torch: bool) -> Iterator[None]:
    """Seed all random generators for a `with` block. Afterwards, restore torch's generator.

    If `by_torch` is false, tests draw inputs with Python's and numpy's generators. Restore these instead.
    """
    token = _BY_TORCH.set(by_torch)
    state = random_state()
    try:
        seed_generators(seed)
        yield
    finally:
        set_random_state(state)
        _BY_TORCH.reset(token)


def draw(low: int, high: int) -> int:
    """Return a random integer from `low` to `high`, both included."""
    if _draws_by_torch():
        return int(sys.modules["torch"].randint(low, high + 1, ()))
    return random.randint(low, high)  # noqa: S311 - its seed is the secret


def random_state() -> Any:
    """Return the state of the random generators that tests use."""
    if _draws_by_torch():
        return sys.modules["torch"].default_generator.get_state()
    numpy = sys.modules.get("numpy.random")
    return random.getstate(), numpy.get_state() if numpy is not None else None


def set_random_state(state: Any) -> None:
    """Restore the generators to a state returned by `random_state`."""
    if _draws_by_torch():
        sys.modules["torch"].default_generator.set_state(state)
        return
    random.setstate(state[0])
    if state[1] is not None:
        sys.modules["numpy.random"].set_state(state[1])


def _draws_by_torch() -> bool:
    return _BY_TORCH.get() and sys.modules.get("torch") is not None
