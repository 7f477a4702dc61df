"""What hidden tests expect of numpy's arrays."""

from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from autograder.testing.expectations import Unmet, described, equals, first, have, where

Array = NDArray[Any]
_TOLERANCES = {np.dtype("float32"): 1e-5, np.dtype("float16"): 1e-2, np.dtype("complex64"): 1e-5}
_WHOLE, _INEXACT, _TEXTS = frozenset("biu"), frozenset("fc"), frozenset("OUT")  # kinds of dtypes


def expect_array(
    actual: object,
    expected: object,
    *,
    atol: float | None = None,
    rtol: float = 1e-9,
    dtype: DTypeLike | None = None,
    hint: str = "",
    name: str = "The result",
) -> Array:
    """Expect an array of the shape and the values of `expected`, of this dtype if one is given; return it.

    Without one, any dtype will do of which numpy makes that of `expected` by itself: int32 for int64, and int
    for float. Where a single number is expected, a number of Python's is right, too. NaN is right where it is
    expected. The student reads `hint` where only the values are wrong.
    """
    right = np.asarray(expected)
    is_number = right.ndim == 0 and isinstance(actual, Number | np.generic)
    if not is_number and not isinstance(actual, np.ndarray):
        raise Unmet(f"{name} must be an array, but it is {described(actual)}")
    seen = np.asarray(actual)
    if seen.shape != right.shape:
        raise Unmet(f"{name} must have shape {right.shape}, but it has {seen.shape}.")
    asked = right.dtype if dtype is None else np.dtype(dtype)
    fits = np.can_cast(seen.dtype, asked, "same_kind") if dtype is None else seen.dtype == asked
    if not fits and not {seen.dtype.kind, asked.kind} <= _TEXTS:
        raise Unmet(f"{name} must hold {asked}, but it holds {seen.dtype}.")
    if atol is None:
        atol = max(_TOLERANCES.get(one, 1e-9) for one in (seen.dtype, right.dtype))
    if not (wrong := unlike(seen, right, atol, rtol)).any():
        return seen
    if seen.dtype.kind in _INEXACT and (nan := np.isnan(seen) & wrong).any():
        raise Unmet(f"{name} {have(name)} NaN at {first(nan)}. Which step can give it?")
    raise Unmet(f"{where(wrong, name)} {hint}".rstrip())


def unlike(seen: Array, right: Array, atol: float, rtol: float = 1e-9) -> Array:
    """Return where two arrays of one shape differ; what is missing in both is no difference."""
    kinds = {seen.dtype.kind, right.dtype.kind}
    if kinds <= _WHOLE or kinds <= {"M"} or kinds <= {"m"}:
        other: Array = seen != right
        return other if kinds <= _WHOLE else other & ~(np.isnat(seen) & np.isnat(right))
    if kinds <= _WHOLE | _INEXACT:
        return ~np.isclose(seen, right, rtol=rtol, atol=atol, equal_nan=True)
    pairs = zip(seen.ravel().tolist(), right.ravel().tolist(), strict=True)
    return ~np.array([_are_alike(*pair, atol) for pair in pairs], dtype=bool).reshape(right.shape)


def _are_alike(one: object, other: object, atol: float) -> bool:
    missing = _is_missing(one), _is_missing(other)
    return all(missing) if any(missing) else equals(one, other, atol)


def _is_missing(value: object) -> bool:
    kind = type(value).__name__
    return value is None or kind in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
