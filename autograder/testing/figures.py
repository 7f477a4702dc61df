"""Expectations of hidden tests for matplotlib figures. A worker sends descriptions of figures."""

from collections.abc import Sequence

import numpy as np

from autograder.testing.expectations import Unmet, described, within
from autograder.worker.figures import Axes, Drawn, Figure

_TEXTS = {"title": "title", "xlabel": "label on its x axis", "ylabel": "label on its y axis"}
_DRAWN = {  # singular and plural
    "lines": ("line", "lines"),
    "bars": ("group of bars", "groups of bars"),
    "points": ("group of points", "groups of points"),
}


def expect_figure(
    actual: object,
    expected: Figure,
    *,
    texts: bool = False,
    atol: float = 1e-6,
    hint: str = "",
    name: str = "The figure",
) -> None:
    """Expect a figure, or axes, with as many axes as `expected` and with the same data on each of them.

    The figure must have a title and labels on its axes where `expected` has them. With `texts`, these must
    also be equal. A legend must have at least as many entries as the expected legend. Lines, bars and points
    may be drawn in any order. The message about wrong data ends with `hint`.
    """
    if not isinstance(actual, Figure):
        raise Unmet(f"{name} must be a figure of matplotlib, but it is {described(actual)}")
    if len(actual.axes) != len(expected.axes):
        pairs = _count(len(expected.axes), "pair", "pairs")
        raise Unmet(f"{name} must have {pairs} of axes, but it has {len(actual.axes)}.")
    _expect_text(actual.title, expected.title, "title", name, same=texts)
    for number, (axes, right) in enumerate(zip(actual.axes, expected.axes, strict=True)):
        which = name if len(expected.axes) == 1 else f"Axes {number} of {within(name)}"
        _expect_axes(axes, right, which, texts=texts, atol=atol, hint=hint)


def _expect_axes(axes: Axes, right: Axes, name: str, *, texts: bool, atol: float, hint: str) -> None:
    for fact, words in _TEXTS.items():
        _expect_text(getattr(axes, fact), getattr(right, fact), words, name, same=texts)
    for side in ("x", "y"):
        scale, expected = getattr(axes, f"{side}scale"), getattr(right, f"{side}scale")
        if scale != expected:
            raise Unmet(f"The {side} axis of {within(name)} must be {expected}, but it is {scale}.")
    if right.legend and len(axes.legend) < len(right.legend):
        raise Unmet(f"{name} needs a legend with {_count(len(right.legend), 'entry', 'entries')}.")
    for fact, counted in _DRAWN.items():
        _expect_drawn(getattr(axes, fact), getattr(right, fact), counted, name, atol, hint)
    if len(axes.images) != len(right.images) or not all(
        _are_close(*images, atol) for images in zip(axes.images, right.images, strict=True)
    ):
        raise Unmet(f"{name} has an image with wrong values, or a wrong number of images. {hint}".rstrip())


def _expect_text(actual: str, expected: str, words: str, name: str, *, same: bool) -> None:
    if expected and not actual.strip():
        raise Unmet(f"{name} has no {words}.")
    if expected and same and actual.strip() != expected.strip():
        raise Unmet(f"{name} does not have the {words} that the question asks for.")


def _expect_drawn(
    drawn: Sequence[Drawn], right: Sequence[Drawn], nouns: tuple[str, str], name: str, atol: float, hint: str
) -> None:
    if len(drawn) != len(right):
        raise Unmet(f"{name} must show {_count(len(right), *nouns)}, but it shows {len(drawn)}.")
    left = list(drawn)
    for number, wanted in enumerate(right):
        matches = (
            each for each in left if _are_close(each.x, wanted.x, atol) and _are_close(each.y, wanted.y, atol)
        )
        same = next(matches, None)
        if same is None:
            which = f"the {nouns[0]}" if len(right) == 1 else f"{nouns[0]} {number + 1} of {len(right)}"
            raise Unmet(f"{name} does not show the data of {which}. {hint}".rstrip())
        left.remove(same)


def _are_close(actual: np.ndarray, expected: np.ndarray, atol: float) -> bool:
    return actual.shape == expected.shape and bool(np.allclose(actual, expected, atol=atol, equal_nan=True))


def _count(count: int, singular: str, plural: str) -> str:
    return f"1 {singular}" if count == 1 else f"{count} {plural}"
