"""Chooses the random numbers from which hidden tests draw their inputs.

There are many sets of hidden inputs, and a secret of the course stands behind all of them. The digest of the
whole submitted file chooses the set: the same file always meets the same one, and any other byte of it, in a
text cell or an output too, chooses again. Nobody can hold a set fixed over several files, so what one of them
carries out helps the next one little. The disclosed inputs are the same for everybody. What happens on them
may be told to students, so they never decide a score.
"""

import hmac
from dataclasses import dataclass

import torch

SETS = 64


@dataclass(frozen=True, slots=True)
class Inputs:
    """One set of inputs for a suite; equal keys draw equal numbers."""

    key: bytes

    def seed(self, test: int) -> int:
        """Return the seed from which the suite's test number `test` draws its inputs."""
        return int.from_bytes(hmac.digest(self.key, str(test).encode(), "sha256")[:8])


DISCLOSED = Inputs(b"disclosed")


def hidden_inputs(secret: bytes, exercise: str, file: str) -> Inputs:
    """Return the set of hidden inputs that a submission meets; `file` is its digest."""
    chosen = int.from_bytes(hmac.digest(secret, f"{exercise}\n{file}".encode(), "sha256")) % SETS
    return numbered_inputs(secret, exercise, chosen)


def numbered_inputs(secret: bytes, exercise: str, number: int) -> Inputs:
    """Return one of an exercise's SETS sets of hidden inputs."""
    return Inputs(hmac.digest(secret, f"{exercise} {number}".encode(), "sha256"))


def draw(low: int, high: int) -> int:
    """Return a whole number from `low` to `high` for a hidden test, such as a number of tokens."""
    return int(torch.randint(low, high + 1, ()))
