"""Decides whether two values, or the answers of two runs, are the same, apart from how they are written."""

import re
from collections.abc import Sequence
from typing import Any

from autograder.testing.exchange import Exchange, Reply
from autograder.testing.expectations import equals
from autograder.worker.protocol import Header, ProtocolError
from autograder.worker.values import Decoder

_RELATIVE, _ABSOLUTE = (
    1e-4,
    1e-5,
)  # by which numbers may differ: another order of the same steps rounds otherwise
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
        values, those = ([_decoded(reply, key) for key in one] for reply in (known, seen))
        return equals(those, values, _ABSOLUTE) if texts else equal(values, those)
    except (ProtocolError, RecursionError):  # an answer that cannot be read is like no other
        return False


def _decoded(reply: Reply, key: str) -> Any:
    return Decoder(reply[1], _object).decode(reply[0][key])


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


def equal(one: Any, other: Any) -> bool:
    """Whether two values have the same form and the same numbers but for rounding; strings do not count.

    Nor do the names in two dicts, if these have none in common.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return one.keys().isdisjoint(other) and equal([*one.values()], [*other.values()])
        return all(equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and type(one) is type(other):
        ones, others = ([item for item in items if not isinstance(item, str)] for items in (one, other))
        return len(ones) == len(others) and all(map(equal, ones, others))
    if form(one) != form(other):
        return False
    if isinstance(one, bool | int | float) or hasattr(one, "numel"):
        return one is other or close(flat(one), flat(other))
    return isinstance(one, str) or equals(other, one, _ABSOLUTE)


def form(value: Any) -> tuple[object, ...]:
    """Return of what kind a value is, and of what shape; of a list, the forms of its values."""
    if isinstance(value, list | tuple):
        return tuple(map(form, value))
    return (getattr(value, "dtype", type(value)), *getattr(value, "shape", ()))


def flat(value: Any) -> Any:
    """Return all numbers in a value or a list of values."""
    import torch

    if isinstance(value, list | tuple):
        return torch.cat([flat(one) for one in value] or [torch.empty(0)])
    is_number = isinstance(value, bool | int | float | torch.Tensor)
    return torch.as_tensor(value if is_number else []).detach().reshape(-1).double()


def close(one: Any, other: Any) -> bool:
    """Whether numbers differ by no more than rounding."""
    same_size = one.shape == other.shape
    return bool(same_size and one.isclose(other, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True).all())
