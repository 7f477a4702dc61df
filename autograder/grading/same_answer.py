"""Decides whether two answers are the same, apart from how they are written."""

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograder.testing.exchange import Exchange, Reply
from autograder.testing.expectations import equals
from autograder.worker.protocol import Header, ProtocolError
from autograder.worker.values import Decoder

if TYPE_CHECKING:
    import torch

_TOLERANCE = 1e-5  # of the largest number: the same steps in another order can differ so much in float32
_FINE = 1e-9  # and so much in float64
_LARGE = 1e3  # the tolerance does not grow with numbers above this: small ones beside a huge one still count
_OWN_WORDS = {"NameError", "AssertionError"}  # their messages are the student's own choice
_NUMBER = re.compile(r"\d+")


def same_exchanges(known: Sequence[Exchange], seen: Sequence[Exchange], *, texts: bool = False) -> bool:
    """Whether two runs of a test got the same answers; only with `texts` do strings count.

    Where answers are tensors, students choose the strings beside them, such as the names of layers.
    """
    return len(known) == len(seen) and all(
        _same_reply(a.reply, b.reply, texts) for a, b in zip(known, seen, strict=True)
    )


def _same_reply(known: Reply, seen: Reply, texts: bool) -> bool:
    one, other = known[0], seen[0]
    if one.keys() != other.keys():
        return False
    if "error" in one:
        return _same_error(one["error"], other["error"])
    try:
        values, those = decoded(known), decoded(seen)
        if texts:
            return equals(those, values, _TOLERANCE)
        return all(_same(values[key], those[key]) for key in values)
    except (ProtocolError, RecursionError):  # an answer that cannot be read is like no other
        return False


def decoded(reply: Reply) -> dict[str, Any]:
    """Return the values of an answer by their names; ProtocolError where it cannot be read."""
    header, tensors = reply
    decoder = Decoder(tensors, _object)
    return {key: decoder.decode(value) for key, value in header.items() if key != "error"}


def _object(reference: Header) -> frozenset[str]:
    """Return what counts of an object on the student's side: its kind, but not the number that it goes by."""
    return frozenset({str(reference.get("type"))})  # no plain string, since strings do not count


def _same_error(known: Any, seen: Any) -> bool:
    """Whether two crashes have the same type, the same words and, in any order, the same numbers."""
    if not isinstance(known, dict) or not isinstance(seen, dict) or known.get("type") != seen.get("type"):
        return False
    kind, one, other = known.get("type"), str(known.get("message")), str(seen.get("message"))
    if kind in _OWN_WORDS or (kind == "ValueError" and "unpack" not in one + other):
        return True
    numbers, others = sorted(_NUMBER.findall(one)), sorted(_NUMBER.findall(other))
    return _NUMBER.sub("", one) == _NUMBER.sub("", other) and numbers == others


def _same(known: Any, seen: Any) -> bool:
    """Whether two values are the same, apart from strings."""
    torch = sys.modules["torch"]
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
    return isinstance(known, str) or equals(seen, known)


def _same_items(known: dict[Any, Any], seen: dict[Any, Any]) -> bool:
    """Whether two dicts hold the same values: under the same keys, or else under any keys in any order."""
    if known.keys() == seen.keys():
        return all(_same(known[key], seen[key]) for key in known)
    if len(known) != len(seen):
        return False
    left = list(seen.values())
    for one in known.values():
        found = next((index for index, other in enumerate(left) if _same(one, other)), None)
        if found is None:
            return False
        del left[found]
    return True


def _same_tensor(known: "torch.Tensor", seen: "torch.Tensor") -> bool:
    """Whether two tensors hold the same numbers in the same type; their order in memory does not count.

    Numbers in float64 that one answer has rounded to single precision are the same only where the other has
    rounded them too: that is the mistake itself, and not noise.
    """
    if known.shape != seen.shape or known.dtype != seen.dtype:
        return False
    one, other = known.detach(), seen.detach()
    torch = sys.modules["torch"]
    if not one.is_floating_point():
        return one.equal(other)
    rounded = one.dtype == torch.float64 and is_rounded(one) and is_rounded(other)
    tolerance = _FINE if one.dtype == torch.float64 and not rounded else _TOLERANCE
    one, other = one.double(), other.double()
    sizes = one[one.isfinite()].abs()
    largest = min(sizes.max().item(), _LARGE) if sizes.numel() else 0.0
    return one.allclose(other, rtol=tolerance, atol=tolerance * max(largest, 1.0), equal_nan=True)


def is_rounded(tensor: "torch.Tensor") -> bool:
    """Whether all numbers of a float64 tensor fit into float32, as they hardly do by chance."""
    return tensor.float().double().nan_to_num().equal(tensor.nan_to_num())
