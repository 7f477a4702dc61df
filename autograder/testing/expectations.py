"""Expectations of hidden tests. A message says what is wrong, but never gives the right values.

Every function raises Unmet if its expectation fails. The modules tensors, arrays, tables and figures import
torch, numpy, pandas and matplotlib; this module does not. Some functions also exist in course/kit/checks.py,
for the visible checks that students run.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, time, timedelta
from importlib import import_module
from numbers import Complex, Integral, Real
from typing import Any

from autograder.report.text import one_line, short_repr
from autograder.testing.exchange import StudentError
from autograder.testing.student import Inspection, Remote, define_for

# For each package: the names of its types, and the module and the name of the function that compares them.
_COMPARISONS = {
    "torch": (("Tensor",), "tensors", "expect_values"),
    "numpy": (("ndarray",), "arrays", "expect_array"),
    "pandas": (("DataFrame", "Series", "Index"), "tables", "expect_frame"),
}
_NUMBERS = (Integral, Real, Complex)  # from narrow to wide: an int is also accepted for a float
_CONTAINERS = (dict, list, tuple, set, frozenset)
# Types of values that a worker sends. An instance of a subclass is sent as one of these types.
_PLAIN = (bool, str, bytes, datetime, date, time, timedelta, *_CONTAINERS)
_RELATIVE = 1e-9  # relative tolerance of floats, because right answers can differ by rounding errors
_MAX_MESSAGE = 500  # characters


class Unmet(AssertionError):  # noqa: N818 - "except Unmet" reads better without Error
    """An expectation does not hold. The student reads the message: one line of at most 500 characters."""

    def __init__(self, message: object = "") -> None:
        super().__init__(one_line(message, _MAX_MESSAGE))


class NotJudged(Unmet):
    """A precondition failed, so the test cannot judge the answer."""


@contextmanager
def precondition() -> Iterator[None]:
    """Make expectations in a `with` block preconditions: if an expectation fails, raise NotJudged.

    For example, an answer that does nothing would pass a test for unchanged inputs. Such a test can first
    require a result. If there is none, the test gives no points and is "not judged" instead of "failed".
    """
    try:
        yield
    except Unmet as unmet:
        raise NotJudged(unmet) from None


def expect(holds: bool, message: str) -> None:
    """Raise Unmet with `message` unless `holds` is true."""
    if not holds:
        raise Unmet(message)


class any_of:  # noqa: N801 - it is called like a function
    """Several accepted values: expect_close(result, any_of([1, 2], [2, 1]))."""

    def __init__(self, *values: Any) -> None:
        self.values = values


def expect_close(
    actual: object,
    expected: object,
    hint: str = "",
    atol: float | None = None,
    *,
    rtol: float = 0.0,
    name: str = "The result",
) -> Any:
    """Expect the values of `expected`, within `atol` and `rtol`, and return the actual values.

    Tensors are compared by `expect_values`, arrays by `expect_array` and tables by `expect_frame`. For an
    expected list or number, a tuple, tensor or array with the same values is accepted, too. Without
    `atol`, the tolerance is 1e-5 for lists, for numbers, and for tensors or arrays of float32. It is 1e-9 for
    float64 and for tables. The message about wrong values ends with `hint`.
    """
    if isinstance(expected, any_of):
        _expect_any(expect_close, actual, expected, hint=hint, atol=atol, rtol=rtol, name=name)
    elif (package := _package_of(expected)) is not None:
        how: dict[str, Any] = {"rtol": rtol} if rtol else {}
        _comparison_for(package)(actual, expected, atol=atol, hint=hint, name=name, **how)
    elif isinstance(expected, list | Complex) and not isinstance(expected, bool):
        size = abs(complex(expected)) if isinstance(expected, Complex) else 0.0
        near = (1e-5 if atol is None else atol) + rtol * size
        expect_equal(_as_plain(actual), _as_plain(expected), atol=near, hint=hint, name=name)
    else:
        expect_equal(actual, expected, atol=atol, hint=hint, name=name)
    return actual


def _expect_any(expectation: Callable[..., None], actual: object, expected: any_of, **how: Any) -> None:
    for value in expected.values:
        with suppress(Unmet):
            return expectation(actual, value, **how)
    raise Unmet(
        f"{how['name']} is not one of the {len(expected.values)} accepted values. {how['hint']}".rstrip()
    )


def _package_of(value: object) -> str | None:
    """Return the package of a tensor, array or table, or None for other values."""
    for package, (types, *_) in _COMPARISONS.items():
        loaded = sys.modules.get(package)
        if loaded is not None and isinstance(value, tuple(getattr(loaded, name) for name in types)):
            return package
    return None


def _comparison_for(package: str) -> Callable[..., object]:
    _, module, function = _COMPARISONS[package]
    expectation: Callable[..., object] = getattr(import_module(f"autograder.testing.{module}"), function)
    return expectation


def _as_plain(value: Any) -> object:
    """Return a tensor, an array, a Series or a sequence as nested lists, with integers as floats."""
    if callable(tolist := getattr(value, "tolist", None)) and not isinstance(value, Remote):
        value = tolist()
    if isinstance(value, list | tuple):
        return [_as_plain(item) for item in value]
    with suppress(OverflowError):  # raised for an integer too large for a float
        return float(value) if isinstance(value, Real) and not isinstance(value, bool) else value
    return value


def expect_shape(actual: Any, shape: Sequence[int], hint: str = "", *, name: str = "The result") -> Any:
    """Expect a tensor, array or table of this shape, with any values, and return it."""
    if isinstance(actual, Remote) or not hasattr(actual, "shape"):
        raise Unmet(f"{name} must have shape {tuple(shape)}, but it is {described(actual)}")
    if tuple(actual.shape) != tuple(shape):
        seen = tuple(actual.shape)
        raise Unmet(f"{name} must have shape {tuple(shape)}, but it has {seen}. {hint}".rstrip())
    return actual


def expect_equal(
    actual: object, expected: object, *, atol: float | None = None, hint: str = "", name: str = "The result"
) -> None:
    """Expect a value equal to `expected`, of the same type or a subtype. An int is accepted for a float.

    Items of containers are compared in the same way. Floats may differ by `atol` or by 1e-9 of their size,
    whichever is more. Arrays and tables are compared as by `expect_close`. Tensors must be equal, or within
    `atol` if it is given. NaN equals NaN, except in tensors. The message about wrong values ends with `hint`.
    """
    if isinstance(expected, any_of):
        _expect_any(expect_equal, actual, expected, atol=atol, hint=hint, name=name)
        return
    if (package := _package_of(expected)) is not None:
        exact = 0.0 if package == "torch" else None
        _comparison_for(package)(actual, expected, atol=exact if atol is None else atol, hint=hint, name=name)
        return
    if isinstance(expected, Complex) and not isinstance(expected, bool):
        _expect_number(actual, expected, atol, hint, name)
        return
    kind = next((kind for kind in _PLAIN if isinstance(expected, kind)), type(expected))
    if not isinstance(actual, kind) and not (kind is bool and type(actual).__name__ in ("bool", "bool_")):
        raise Unmet(f"{name} must be {_a(kind)}, but it is {described(actual)}")
    if kind in _CONTAINERS:
        _expect_items(actual, expected, atol, hint, name)
    elif not (actual is expected or actual == expected):
        raise Unmet(f"{name} is {short_repr(actual)}, which is wrong. {hint}".rstrip())


def _expect_items(actual: Any, expected: Any, atol: float | None, hint: str, name: str) -> None:
    if isinstance(expected, list | tuple):
        if len(actual) != len(expected):
            count = "1 item" if len(expected) == 1 else f"{len(expected)} items"
            raise Unmet(f"{name} must have {count}, but it has {len(actual)}.")
        pairs: Any = enumerate(expected)
    else:
        what = "keys" if isinstance(expected, dict) else "elements"
        _expect_members(actual, expected, name, what, hint)
        pairs = expected.items() if isinstance(expected, dict) else ()
    for key, item in pairs:
        expect_equal(
            actual[key], item, atol=atol, hint=hint, name=f"{name.removeprefix('The ')}[{short_repr(key)}]"
        )


def equals(actual: object, expected: object, atol: float | None = None) -> bool:
    """Whether `expect_equal` accepts a value."""
    try:
        expect_equal(actual, expected, atol=atol)
    except Unmet:
        return False
    return True


def _expect_number(actual: Any, expected: Any, atol: float | None, hint: str, name: str) -> None:
    kind = next(kind for kind in _NUMBERS if isinstance(expected, kind))
    if not isinstance(actual, kind):
        words = "an int" if kind is Integral else "a number"
        raise Unmet(f"{name} must be {words}, but it is {described(actual)}")
    number = actual.item() if hasattr(actual, "item") else actual
    try:
        near = kind is not Integral and abs(number - expected) <= max(atol or 0.0, _RELATIVE * abs(expected))
    except OverflowError:  # an integer is too large for a float
        near = False
    if not (number == expected or near or (number != number and expected != expected)):
        raise Unmet(f"{name} is {short_repr(actual)}, which is wrong. {hint}".rstrip())


def _expect_members(actual: Any, expected: Any, name: str, what: str, hint: str) -> None:
    extra = sorted(map(short_repr, set(actual) - set(expected)))
    missing = len(set(expected) - set(actual))
    if extra or missing:
        lacks = f" lacks {missing} of the {len(expected)} expected {what}" if missing else ""
        holds = f" contains {extra[0]}, which does not belong there" if extra else ""
        raise Unmet(f"{name}{' and'.join(filter(None, (lacks, holds)))}. {hint}".rstrip())


def expect_unchanged(
    function: Remote | Inspection, *arguments: object, hint: str = "", names: Sequence[str] = ()
) -> Any:
    """Expect that a call does not change its arguments in place, and return its result.

    Instead of a function, a test can pass the result of `function.inspect(...)`, followed by the arguments of
    that call. These arguments need not be complete: for example, the test
    can leave out all integers.
    """
    inspected = isinstance(function, Inspection)
    inspection = function if isinstance(function, Inspection) else function.inspect(*arguments)
    kinds = tuple(map(type, arguments))
    after = [now for now in inspection.arguments if not inspected or isinstance(now, kinds)]
    for number, (was, now) in enumerate(zip(arguments, after, strict=False)):
        changed = isinstance(now, type(was)) and not isinstance(now, Remote) and not equals(now, was)
        message = (
            f"The function must not change its inputs, but it changed {argument(number, names)} in place."
        )
        expect(not changed, f"{message} {hint}".rstrip())
    return inspection.output


_PRINTED = """
def printed(function, arguments, keywords):
    from contextlib import redirect_stdout
    from io import StringIO

    with redirect_stdout(StringIO()) as text:
        result = function(*arguments, **keywords)
    return text.getvalue(), result
"""


def expect_printed(
    expected: str | any_of, function: Remote, *arguments: object, hint: str = "", **keywords: object
) -> Any:
    """Expect a call to print the text `expected`, or one of the texts in any_of(...), and return its result.

    Spaces at the ends of lines and empty lines at the end are ignored.
    """
    texts = expected.values if isinstance(expected, any_of) else (expected,)
    answer = define_for(function, _PRINTED, "printed")(function, arguments, keywords)
    text, result = answer if isinstance(answer, tuple) and len(answer) == 2 else (None, None)
    if not isinstance(text, str):
        raise Unmet(f"The output of the function cannot be compared: it is {described(text)}")
    printed, right = _lines(text), [_lines(each) for each in texts]
    if printed in right:
        return result
    nearest = max(right, key=lambda lines: (len(lines) == len(printed), _equal_lines(printed, lines)))
    if len(printed) != len(nearest):
        count = "1 line" if len(nearest) == 1 else f"{len(nearest)} lines"
        raise Unmet(f"The function must print {count}, but it printed {len(printed)}. {hint}".rstrip())
    number = _equal_lines(printed, nearest)
    raise Unmet(
        f"Printed line {number + 1} is {short_repr(printed[number])}, which is wrong. {hint}".rstrip()
    )


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")] if text.strip() else []


def _equal_lines(printed: list[str], right: list[str]) -> int:
    """Return the number of equal lines before the first different line."""
    pairs = enumerate(zip(printed, right, strict=False))
    return next((number for number, (line, wanted) in pairs if line != wanted), min(len(printed), len(right)))


def expect_raises(
    kinds: str | tuple[str, ...], function: Remote, *arguments: object, hint: str = "", **keywords: object
) -> None:
    """Expect a call to raise one of `kinds`, given by name: "ValueError"."""
    names = (kinds,) if isinstance(kinds, str) else kinds
    expected = f"{' or '.join(names)} was expected"
    try:
        function(*arguments, **keywords)
    except StudentError as error:
        if "NotImplementedError" in error.bases and "NotImplementedError" not in names:
            raise
        message = f"{expected}, but {error.type} was raised. {hint}".rstrip()
        expect(any(name in error.bases for name in names), message)
    else:
        raise Unmet(f"{expected}, but nothing was raised. {hint}".rstrip())


def described(value: object) -> str:
    """Return the end of a sentence about the type of a wrong value, such as "a list."."""
    match value:
        case None:
            return "None. Is a return missing?"
        case Remote():
            return f"{value.kind}."
    return f"{_a(type(value))}."


def _a(kind: type) -> str:
    words = {"NoneType": "None", "ndarray": "an array"}
    return words.get(kind.__name__) or f"{'an' if kind.__name__[0] in 'aeiouAEIOU' else 'a'} {kind.__name__}"


def within(name: str) -> str:
    """Return a name such as "The result" as "the result"."""
    return name[:1].lower() + name[1:]


def argument(position: int, names: Sequence[str]) -> str:
    """Return the name of an argument, such as "input 1" if `names` does not contain it."""
    return names[position] if position < len(names) else f"input {position + 1}"


def where(wrong: Any, name: str) -> str:
    """Return a sentence about the wrong values, at which the bool array `wrong` is true."""
    count, size = int(wrong.sum()), wrong.size
    if wrong.ndim == 0 or size == 1:
        return f"{name} {have(name)} the wrong value."
    amount = f"{count} of its {size} values {'is' if count == 1 else 'are'}"
    return f"{name} {have(name)} the right shape, but {amount} wrong, first at {first(wrong)}."


def have(name: str) -> str:
    """Return the verb for a name: "has" for "The gradient of the inputs", "have" for "The weights"."""
    noun = name.partition(" of ")[0]
    return "have" if noun.endswith("s") and not noun.endswith("ss") else "has"


def first(bad: Any) -> str:
    """Return the index of the first true value of a bool array as text."""
    return str(index(bad)) if bad.ndim else "its only value"


def index(bad: Any) -> list[int]:
    """Return the index of the first true value of a bool array."""
    numpy = sys.modules["numpy"]
    return [int(position) for position in numpy.unravel_index(numpy.argmax(bad), bad.shape)]
