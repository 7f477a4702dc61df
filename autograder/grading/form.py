"""Says how the form of an answer differs from that of a right one, whatever its numbers are.

Some mistakes show beside any other one: a result of another type, one that has lost its gradient, an input
that is changed. They are known by the form of what a test got.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from autograder.grading.same_answer import decoded, is_rounded
from autograder.testing.exchange import Exchange
from autograder.worker.protocol import ProtocolError

_CHANGED = "arguments"  # the part of an answer that tells what the call did to its inputs
_LONGEST = 400  # letters; whoever differs in so many places differs in more than form


def form(seen: Sequence[Exchange], right: Sequence[Exchange]) -> str:
    """Return in words how the form of what a test got differs from a right one; nothing where it does not."""
    try:
        found = [
            f"{number} {difference}"
            for number, (one, other) in enumerate(zip(seen, right, strict=False))
            for difference in _replies(decoded(one.reply), decoded(other.reply))
        ]
    except (ProtocolError, RecursionError):
        return ""
    words = ", ".join(found)
    return words if len(words) <= _LONGEST else ""


def _replies(seen: dict[str, Any], right: dict[str, Any]) -> Iterator[str]:
    for part in sorted(seen.keys() & right.keys()):
        for difference in _differences(seen[part], right[part], changed=part == _CHANGED):
            yield f"{part}{difference}"


def _differences(seen: Any, right: Any, *, changed: bool) -> Iterator[str]:
    """Yield what differs; strings do not count, since students choose their own names."""
    if isinstance(seen, torch.Tensor) and isinstance(right, torch.Tensor):
        yield from _tensors(seen, right, changed=changed)
    elif type(seen) is not type(right):
        yield f" is {type(seen).__name__}"
    elif isinstance(seen, dict) and seen.keys() == right.keys():
        for key in right:
            yield from (f"[{key}]{found}" for found in _differences(seen[key], right[key], changed=changed))
    elif isinstance(seen, list | tuple):
        ones, others = ([item for item in items if not isinstance(item, str)] for items in (seen, right))
        if len(ones) != len(others):
            yield f" has {len(ones)}"
            return
        for place, (one, other) in enumerate(zip(ones, others, strict=True)):
            yield from (f"[{place}]{found}" for found in _differences(one, other, changed=changed))


def _tensors(seen: torch.Tensor, right: torch.Tensor, *, changed: bool) -> Iterator[str]:
    if seen.dtype != right.dtype:
        yield f" is {seen.dtype}"
    elif seen.dtype == torch.float64 and seen.numel() and is_rounded(seen) and not is_rounded(right):
        yield " is rounded"
    if seen.requires_grad != right.requires_grad:
        yield " asks for a gradient" if seen.requires_grad else " asks for no gradient"
    if seen.shape != right.shape and [n for n in seen.shape if n != 1] == [n for n in right.shape if n != 1]:
        yield f" has shape {tuple(seen.shape)}"
    if changed and not (seen.shape == right.shape and torch.equal(seen.nan_to_num(), right.nan_to_num())):
        yield " is changed"
