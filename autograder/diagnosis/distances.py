"""Computes how far a failed run is from the reference's run, and how much search budget a test uses."""

from dataclasses import dataclass
from typing import Any

from autograder.testing.inputs import Inputs
from autograder.testing.suite import HiddenTest, Run, Suite

_MOST_BYTES = 1 << 16  # at most this many bytes of an array are compared
# The estimated microseconds of one call of torch, and of one kilobyte of replies.
_TORCH_CALL_COST, _KILOBYTE_COST = 3, 1


def distance(right: Run, run: Run) -> float:
    """Return the distance of a failed run from the right run, measured at the first reply that differs.

    The distance is 3 for an error and 2 for a wrong shape. Otherwise it is 0.5 plus the fraction of wrong
    numbers in the worst tensor.
    """
    for right_exchange, exchange in zip(right.exchanges, run.exchanges, strict=False):
        (right_header, ours), (other_header, theirs) = right_exchange.reply, exchange.reply
        if "value" not in other_header:
            return 3.0
        if list(map(_shape, ours)) != list(map(_shape, theirs)):
            return 2.0
        wrong = [_share_of_wrong_numbers(a, b) for a, b in zip(ours, theirs, strict=True)]
        if any(wrong) or right_header.get("value") != other_header.get("value"):
            return 0.5 + max(wrong, default=1.0)
    return 0.5


def _shape(part: Any) -> object:
    """Return a tensor's shape, or an array's number of bytes."""
    return len(part) if isinstance(part, bytes) else part.shape


def _share_of_wrong_numbers(right: Any, actual: Any) -> float:
    """Return the fraction of numbers that differ. In an array's bytes, eight bytes count as one number."""
    if isinstance(right, bytes):
        offsets = range(0, min(len(right), _MOST_BYTES), 8)
        return float(
            sum(right[offset : offset + 8] != actual[offset : offset + 8] for offset in offsets)
        ) / max(len(offsets), 1)
    if not right.numel():
        return 0.0
    right, actual = right.detach().double(), actual.detach().double()
    return 1.0 - float(right.isclose(actual, rtol=1e-3, atol=1e-4, equal_nan=True).double().mean())


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """The reference's run of a test, and its cost in estimated microseconds."""

    run: Run
    cost: int


def right_answer(suite: Suite, test: HiddenTest, inputs: Inputs) -> RightAnswer:
    """Run a test on the reference. The cost depends on its calls of torch and on the size of its replies."""
    if not suite.exercise.has_torch:
        return RightAnswer(suite.reference_run(test, inputs), 0)
    from torch.overrides import TorchFunctionMode

    class Calls(TorchFunctionMode):
        """Counts calls of torch's functions."""

        count = 0

        def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            self.count += 1
            return function(*args, **(kwargs or {}))

    with Calls() as calls:
        run = suite.reference_run(test, inputs)
    size = sum(map(_bytes_of, (part for exchange in run.exchanges for part in exchange.reply[1])))
    return RightAnswer(run, _TORCH_CALL_COST * int(calls.count) + _KILOBYTE_COST * size // 1000)


def _bytes_of(part: Any) -> int:
    return len(part) if isinstance(part, bytes) else int(part.numel() * part.element_size())
