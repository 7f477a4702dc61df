"""What hidden tests expect, with messages for students: the property, what was seen, never the answer.

Every function raises Unmet when its expectation fails. What tests expect of tensors, arrays, tables and
figures stands in modules of those names, which load the packages that they are about.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from importlib import import_module
from numbers import Complex, Integral, Real
from typing import Any

from autograder.report.text import one_line, shown
from autograder.testing.exchange import StudentError
from autograder.testing.student import Inspection, Remote

# The modules that compare values of a package, by its name and the names of its types.
_OF_PACKAGES = (
    ("torch", ("Tensor",), "tensors", "expect_close"),
    ("numpy", ("ndarray",), "arrays", "expect_array"),
    ("pandas", ("DataFrame", "Series", "Index"), "tables", "expect_frame"),
)
_NUMBERS = (Integral, Real, Complex)  # an integer will do for a real number, and both for a complex one
_CONTAINERS = (dict, list, tuple, set, frozenset)
# As these a subclass of theirs arrives.
_PLAIN = (bool, str, bytes, datetime, date, time, timedelta, *_CONTAINERS)
_RELATIVE = 1e-9  # by which floats may differ: another order of the same steps rounds otherwise


_MAX_MESSAGE = 500


class Unmet(AssertionError):  # noqa: N818 - "except Unmet" reads better without Error
    """An expectation that does not hold; its text is shown to the student.

    It may name what the submission named, such as a parameter, so it is made one line of bounded length.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(one_line(message, _MAX_MESSAGE))


class NotJudged(Unmet):
    """What a property needs to show at all does not hold, so the test says nothing about the property."""


@contextmanager
def precondition() -> Iterator[None]:
    """Expect inside it what the test's property needs before it can show; where that fails, raise NotJudged.

    A function that returns its input leaves it unchanged, but so does one that does nothing at all. Such a
    test gives no points, and the report calls it "not judged" instead of "failed".
    """
    try:
        yield
    except Unmet as unmet:
        raise NotJudged(unmet) from None


def expect(holds: bool, message: str) -> None:
    """Expect a condition; `message` is what the student reads when it fails."""
    if not holds:
        raise Unmet(message)


def expect_equal(
    actual: object, expected: object, *, atol: float | None = None, hint: str = "", name: str = "The result"
) -> None:
    """Expect a value that equals `expected`, of its type or of a subclass, and so all that it holds.

    Floats may differ in their last digits, or by `atol`; elements of a tensor may not. NaN equals NaN, except
    in tensors. The student reads `hint` where only values are wrong.
    """
    for package, types, module, function in _OF_PACKAGES:
        loaded = sys.modules.get(package)
        if loaded is not None and isinstance(expected, tuple(getattr(loaded, one) for one in types)):
            expectation = getattr(import_module(f"autograder.testing.{module}"), function)
            exact = 0.0 if package == "torch" else None
            expectation(actual, expected, atol=exact if atol is None else atol, hint=hint, name=name)
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
        raise Unmet(f"{name} is {shown(actual)}, which is wrong. {hint}".rstrip())


def _expect_items(actual: Any, expected: Any, atol: float | None, hint: str, name: str) -> None:
    """Expect that a container holds what another of its kind does."""
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
            actual[key], item, atol=atol, hint=hint, name=f"{name.removeprefix('The ')}[{shown(key)}]"
        )


def equals(actual: object, expected: object, atol: float | None = None) -> bool:
    """Whether a value is as `expect_equal` expects it."""
    try:
        expect_equal(actual, expected, atol=atol)
    except Unmet:
        return False
    return True


def _expect_number(actual: Any, expected: Any, atol: float | None, hint: str, name: str) -> None:
    """Expect a number; one of numpy's is one of its kind."""
    kind = next(kind for kind in _NUMBERS if isinstance(expected, kind))
    if not isinstance(actual, kind):
        words = "an int" if kind is Integral else "a number"
        raise Unmet(f"{name} must be {words}, but it is {described(actual)}")
    seen = actual.item() if hasattr(actual, "item") else actual
    try:
        near = kind is not Integral and abs(seen - expected) <= max(atol or 0.0, _RELATIVE * abs(expected))
    except OverflowError:  # so large is no float
        near = False
    if not (seen == expected or near or (seen != seen and expected != expected)):
        raise Unmet(f"{name} is {shown(actual)}, which is wrong. {hint}".rstrip())


def _expect_members(actual: Any, expected: Any, name: str, what: str, hint: str) -> None:
    """Expect that no keys or elements are missing, and that all belong there."""
    extra = sorted(map(shown, set(actual) - set(expected)))
    missing = len(set(expected) - set(actual))
    if extra or missing:
        lacks = f" lacks {missing} of its {len(expected)} {what}" if missing else ""
        holds = f" holds {extra[0]}, which does not belong there" if extra else ""
        raise Unmet(f"{name}{' and'.join(filter(None, (lacks, holds)))}. {hint}".rstrip())


def expect_unchanged(inspection: Inspection, *before: object, names: Sequence[str] = ()) -> None:
    """Expect that the call left arguments alone; `before` are their values, in the same order.

    Arguments of other types than these are passed over.
    """
    kinds = tuple(map(type, before))
    after = [one for one in inspection.arguments if isinstance(one, kinds)]
    for number, (was, now) in enumerate(zip(before, after, strict=False)):
        which = argument(number, names)
        same = equals(now, was)
        expect(same, f"The function must leave its inputs alone, but it changed {which} in place.")


def expect_raises(
    kinds: str | tuple[str, ...], function: Remote, *args: object, because: str = "", **kwargs: object
) -> None:
    """Expect a call to raise one of `kinds`, given by name: "ValueError"."""
    names = (kinds,) if isinstance(kinds, str) else kinds
    expected = f"{' or '.join(names)} was expected {because}".rstrip()
    try:
        function(*args, **kwargs)
    except StudentError as error:
        if "NotImplementedError" in error.bases and "NotImplementedError" not in names:
            raise
        expect(any(name in error.bases for name in names), f"{expected}, but {error.type} was raised.")
    else:
        raise Unmet(f"{expected}, but nothing was raised.")


def described(value: object) -> str:
    """Say what a value is that is of another type than was asked for, and what may have gone wrong."""
    match value:
        case None:
            return "None. Is a return missing?"
        case Remote():
            return f"{value.kind}."
    return f"{_a(type(value))}."


def _a(kind: type) -> str:
    """Return the name of a type with an article."""
    words = {"NoneType": "None", "ndarray": "an array"}
    return words.get(kind.__name__) or f"{'an' if kind.__name__[0] in 'aeiouAEIOU' else 'a'} {kind.__name__}"


def within(name: str) -> str:
    """Return a name as it stands inside a sentence."""
    return name[:1].lower() + name[1:]


def argument(position: int, names: Sequence[str]) -> str:
    """Return what a message calls an argument."""
    return names[position] if position < len(names) else f"input {position + 1}"


def where(wrong: Any, name: str) -> str:
    """Return what a message says of values that are wrong, from an array that is true at each of them."""
    count, size = int(wrong.sum()), wrong.size
    if wrong.ndim == 0 or size == 1:
        return f"{name} {have(name)} the wrong value."
    amount = f"{count} of its {size} values {'is' if count == 1 else 'are'}"
    return f"{name} {have(name)} the right shape, but {amount} wrong, first at {first(wrong)}."


def have(name: str) -> str:
    """Return the verb that fits a name: the gradient of the inputs has, but the weights have."""
    noun = name.partition(" of ")[0]
    return "have" if noun.endswith("s") and not noun.endswith("ss") else "has"


def first(bad: Any) -> str:
    """Say where the first true value of an array is."""
    return str(index(bad)) if bad.ndim else "its only value"


def index(bad: Any) -> list[int]:
    """Return the place of the first true value."""
    numpy = sys.modules["numpy"]
    return [int(place) for place in numpy.unravel_index(numpy.argmax(bad), bad.shape)]
