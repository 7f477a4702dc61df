"""Says whether two answers are one and the same, however each of them was written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograder.testing.student import Exchange
from autograder.worker.protocol import Decoder, Header, ProtocolError, Tensors

_TOLERANCE = 1e-5  # of the largest number: what another order of the same steps can make of float32
_LARGE = 1e3  # a larger number than this gives the small ones beside it no more freedom
_NUMBER = re.compile(r"\d+")
_FIT = re.compile(r"size|shape|dimension|broadcast")
Reply = tuple[Header, Tensors]


def same_exchanges(known: Sequence[Exchange], seen: Sequence[Exchange], *, any_misfit: bool) -> bool:
    """Whether two answers to a test are the same; `any_misfit` takes one clash of shapes for another."""
    return len(known) == len(seen) and all(
        _same_reply(a.reply, b.reply, any_misfit) for a, b in zip(known, seen, strict=True)
    )


def _same_reply(known: Reply, seen: Reply, any_misfit: bool) -> bool:
    (one, tensors), (other, others) = known, seen
    if one.keys() != other.keys():
        return False
    if "error" in one:
        return _same_error(one["error"], other["error"], any_misfit)
    ones, those = Decoder(tensors, _object), Decoder(others, _object)
    try:
        return all(_same(ones.decode(one[key]), those.decode(other[key])) for key in one)
    except (ProtocolError, RecursionError):  # what nobody can read is like nothing
        return False


@dataclass(frozen=True, slots=True)
class _Object:
    """What matters of an object: its kind, and not the number by which the grader holds it."""

    kind: str


def _object(reference: Header) -> _Object:
    return _Object(str(reference.get("type")))


def _same_error(known: Any, seen: Any, any_misfit: bool) -> bool:
    """Whether two crashes are the same: in the words less the order of sizes, or both for want of a name."""
    if not isinstance(known, dict) or not isinstance(seen, dict) or known.get("type") != seen.get("type"):
        return False
    one, other = str(known.get("message")), str(seen.get("message"))
    if known.get("type") == "NameError":
        return True  # which name it was is the student's own choice
    if any_misfit and known.get("type") == "RuntimeError" and _FIT.search(one) and _FIT.search(other):
        return True
    return _NUMBER.sub("", one) == _NUMBER.sub("", other) and (
        sorted(_NUMBER.findall(one)) == sorted(_NUMBER.findall(other))
    )


def _same(known: Any, seen: Any) -> bool:
    """Whether two values are the same but for names, which are the student's own choice."""
    if isinstance(known, torch.Tensor) and isinstance(seen, torch.Tensor):
        return _same_tensor(known, seen)
    if type(known) is not type(seen):
        return False
    if isinstance(known, dict):
        return _same_items(known, seen)
    if isinstance(known, list | tuple):
        ones, others = ([item for item in items if not isinstance(item, str)] for items in (known, seen))
        return len(ones) == len(others) and all(map(_same, ones, others))
    if isinstance(known, float):
        return _same_tensor(torch.tensor(known), torch.tensor(seen))
    return isinstance(known, str) or bool(known == seen)


def _same_items(known: dict[Any, Any], seen: dict[Any, Any]) -> bool:
    """Whether two tables hold the same under the same names, or under others in any order."""
    if known.keys() == seen.keys():
        return all(_same(known[key], seen[key]) for key in known)
    if len(known) != len(seen):
        return False
    left = list(seen.values())
    for one in known.values():
        found = next((place for place, other in enumerate(left) if _same(one, other)), None)
        if found is None:
            return False
        del left[found]
    return True


def _same_tensor(known: torch.Tensor, seen: torch.Tensor) -> bool:
    """Whether two tensors hold the same numbers, of whatever type and in whatever order of memory."""
    if known.shape != seen.shape:
        return False
    one, other = known.detach().double(), seen.detach().double()
    sizes = one[one.isfinite()].abs()
    largest = min(sizes.max().item(), _LARGE) if sizes.numel() else 0.0
    return torch.allclose(one, other, rtol=_TOLERANCE, atol=_TOLERANCE * max(largest, 1.0), equal_nan=True)
