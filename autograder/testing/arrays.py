"""Expectations of hidden tests for numpy arrays."""

from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from autograder.testing.expectations import Unmet, described, equals, first, have, where

Array = NDArray[Any]
_TOLERANCES = {np.dtype("float32"): 1e-5, np.dtype("float16"): 1e-2, np.dtype("complex64"): 1e-5}
# Letters of `dtype.kind`. An array of texts may have numpy's dtypes for texts or the dtype object.
_INTEGERS, _FLOATS, _TEXTS = frozenset("biu"), frozenset("fc"), frozenset("OUT")


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
    """Expect an array with the shape and values of `expected`, and with `dtype` if it is given. Return it.

    Without `dtype`, numpy's rule "same_kind" must allow a cast to the dtype of `expected`: int32 is
    accepted for float64. If `expected` is a number, a Python or numpy number is accepted, too. NaN equals
    NaN. The message about wrong values ends with `hint`.
    """
    right = np.asarray(expected)
    is_number = right.ndim == 0 and isinstance(actual, Number | np.generic)
    if not is_number and not isinstance(actual, np.ndarray):
        raise Unmet(f"{name} must be an array, but it is {described(actual)}")
    array = np.asarray(actual)
    if array.shape != right.shape:
        raise Unmet(f"{name} must have shape {right.shape}, but it has {array.shape}.")
    expected_dtype = right.dtype if dtype is None else np.dtype(dtype)
    if dtype is None:
        fits = np.can_cast(array.dtype, expected_dtype, "same_kind")
    else:
        fits = array.dtype == expected_dtype
    if not fits and not {array.dtype.kind, expected_dtype.kind} <= _TEXTS:
        raise Unmet(f"{name} must have dtype {expected_dtype}, but it has {array.dtype}.")
    if atol is None:
        atol = max(_TOLERANCES.get(each, 1e-9) for each in (array.dtype, right.dtype))
    if not (wrong := unlike(array, right, atol, rtol)).any():
        return array
    if array.dtype.kind in _FLOATS and (nan := np.isnan(array) & wrong).any():
        raise Unmet(f"{name} {have(name)} NaN at {first(nan)}. Which step can produce NaN?")
    raise Unmet(f"{where(wrong, name)} {hint}".rstrip())


def unlike(actual: Array, expected: Array, atol: float, rtol: float = 1e-9) -> Array:
    """Return a bool array that is true where two arrays of equal shape differ.

    Missing values, such as NaN and None, equal each other.
    """
    kinds = {actual.dtype.kind, expected.dtype.kind}
    if kinds <= _INTEGERS or kinds <= {"M"} or kinds <= {"m"}:
        unequal: Array = actual != expected
        return unequal if kinds <= _INTEGERS else unequal & ~(np.isnat(actual) & np.isnat(expected))
    if kinds <= _INTEGERS | _FLOATS:
        return ~np.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
    pairs = zip(actual.ravel().tolist(), expected.ravel().tolist(), strict=True)
    return ~np.array([_are_equal(*pair, atol) for pair in pairs], dtype=bool).reshape(expected.shape)


def _are_equal(actual: object, expected: object, atol: float) -> bool:
    missing = _is_missing(actual), _is_missing(expected)
    return all(missing) if any(missing) else equals(actual, expected, atol)


def _is_missing(value: object) -> bool:
    kind = type(value).__name__
    return value is None or kind in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
