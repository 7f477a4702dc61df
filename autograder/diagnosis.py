"""Names a mistake: an answer that fails as a known mistake fails, value for value, is that mistake."""

from collections.abc import Sequence
from functools import cache
from warnings import catch_warnings

import torch

from autograder.exercise import Mistake
from autograder.student import Exchange, Local
from autograder.suite import Suite, TestRun
from autograder.worker.namespace import run_code
from autograder.worker.protocol import Header, Tensors

_TOLERANCE = 1e-6


class Diagnosis:
    """Compares what a submission answered with what each known mistake answers to the same tests."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._runs = cache(self._mistaken_runs)

    def name(self, question: str, runs: Sequence[TestRun]) -> Mistake | None:
        """Return the one mistake that explains every failed test of `question`, or None."""
        if all(run.error is None for run in runs):
            return None
        found = [
            mistake
            for mistake in self._suite.exercise.mistakes
            if mistake.question == question and _explains(self._runs(mistake), runs)
        ]
        return found[0] if len(found) == 1 else None

    def _mistaken_runs(self, mistake: Mistake) -> tuple[TestRun, ...]:
        with catch_warnings(action="ignore"):  # mistakes may well deserve them, but nobody here makes one
            namespace = run_code(self._suite.exercise.variant(mistake.code))
            return tuple(self._suite.run(Local(namespace), mistake.question))


def _explains(known: Sequence[TestRun], seen: Sequence[TestRun]) -> bool:
    """Whether the same tests fail, each after the same answers."""
    failed = [(a, b) for a, b in zip(known, seen, strict=True) if a.error is not None or b.error is not None]
    return all(
        a.error is not None and b.error is not None and _same_exchanges(a.exchanges, b.exchanges)
        for a, b in failed
    )


def _same_exchanges(known: Sequence[Exchange], seen: Sequence[Exchange]) -> bool:
    return len(known) == len(seen) and all(
        _same_reply(a.reply, b.reply) for a, b in zip(known, seen, strict=True)
    )


def _same_reply(known: tuple[Header, Tensors], seen: tuple[Header, Tensors]) -> bool:
    (known_header, known_tensors), (seen_header, seen_tensors) = known, seen
    return (
        _shape(known_header) == _shape(seen_header)
        and len(known_tensors) == len(seen_tensors)
        and all(_same_tensor(a, b) for a, b in zip(known_tensors, seen_tensors, strict=True))
    )


def _shape(header: Header) -> object:
    """Return what two answers must share besides their tensors; of an error its type and words."""
    error = header.get("error")
    return (error.get("type"), error.get("message")) if isinstance(error, dict) else header


def _same_tensor(known: torch.Tensor, seen: torch.Tensor) -> bool:
    return (
        known.shape == seen.shape
        and known.dtype == seen.dtype
        and torch.allclose(known.double(), seen.double(), rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True)
    )
