"""How figures of matplotlib are sent: as descriptions of their contents.

The grader does not draw figures, so its process does not need matplotlib.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_args

from autograder.worker.coding import Encoder, RefusedError, Row
from autograder.worker.protocol import Header, ProtocolError

_MOST = 100  # largest number of axes in a figure, and of artists of one kind on one pair of axes
_TEXTS = ("title", "xlabel", "ylabel", "xscale", "yscale")


@dataclass(frozen=True, eq=False)
class Drawn:
    """A line, a group of bars or a group of points: its coordinates, and its label in the legend."""

    label: str
    x: Any  # an array of numbers; for bars, vertical or horizontal, the positions of their middles
    y: Any  # an array of numbers; for bars, their lengths


@dataclass(frozen=True, eq=False)
class Axes:
    """The contents of one pair of axes."""

    title: str
    xlabel: str
    ylabel: str
    xscale: str  # such as linear or log
    yscale: str
    legend: tuple[str, ...]
    lines: tuple[Drawn, ...]
    bars: tuple[Drawn, ...]
    points: tuple[Drawn, ...]
    images: tuple[Any, ...]  # the numbers that are shown as colours


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure's title (suptitle), and its axes in the order of their creation."""

    title: str
    axes: tuple[Axes, ...]


def _encode(encoder: Encoder, value: Any) -> Header:
    """Return the description of a figure. One pair of axes is described as a figure without a title."""
    alone = hasattr(value, "get_xlabel")
    axes = [value] if alone else list(value.axes)
    if len(axes) > _MOST:
        raise RefusedError
    title = "" if alone else value.get_suptitle()
    return {"figure": encoder.encode({"title": title, "axes": list(map(_facts, axes))})}


def _facts(axes: Any) -> dict[str, Any]:
    legend = axes.get_legend()
    return {
        **{name: getattr(axes, f"get_{name}")() for name in _TEXTS},
        "legend": [text.get_text() for text in legend.get_texts()] if legend else [],
        "lines": [_drawn(line.get_label(), *line.get_xydata().T) for line in axes.lines],
        "bars": [
            _drawn(group.get_label(), *_bars(group)) for group in axes.containers if hasattr(group, "patches")
        ],
        "points": [
            _drawn(group.get_label(), *group.get_offsets().T)
            for group in axes.collections
            if hasattr(group, "get_sizes")
        ],
        "images": [_numbers(image.get_array()) for image in axes.images],
    }


def _drawn(label: object, x: Any, y: Any) -> dict[str, Any]:
    """Return the attributes of a `Drawn`. Matplotlib's default labels, such as "_child0", become empty."""
    text = str(label)
    return {"label": "" if text.startswith("_") else text, "x": _numbers(x), "y": _numbers(y)}


def _numbers(values: Any) -> Any:
    numpy = sys.modules["numpy"]
    return numpy.ma.filled(numpy.ma.asarray(values, dtype="float64"), numpy.nan)


def _bars(group: Any) -> Iterator[list[float]]:
    """Yield the middles of the bars, and then their lengths."""
    horizontal = group.orientation == "horizontal"
    yield [
        bar.get_y() + bar.get_height() / 2 if horizontal else bar.get_x() + bar.get_width() / 2
        for bar in group.patches
    ]
    yield [bar.get_width() if horizontal else bar.get_height() for bar in group.patches]


def _built(value: Any, form: Any) -> Any:
    """Return `value` as type `form`: a tuple, an array of numbers, a text, or one of the dataclasses."""
    if (inner := get_args(form)) and isinstance(value, list) and len(value) <= _MOST:
        return tuple(_built(item, inner[0]) for item in value)
    if form is Any and isinstance(value, sys.modules["numpy"].ndarray) and value.dtype == float:
        return value
    if form is str and type(value) is str:
        return value
    facts = {field.name: field.type for field in fields(form)} if is_dataclass(form) else {}
    if facts and isinstance(value, dict) and value.keys() == facts.keys():
        built = form(**{name: _built(value[name], part) for name, part in facts.items()})
        if form is not Drawn or (built.x.ndim == 1 and built.x.shape == built.y.shape):
            return built
    raise ProtocolError("the description of a figure is malformed")


_TYPES = ("matplotlib.figure.FigureBase", "matplotlib.axes.Axes")
ROWS = {"figure": Row(_TYPES, _encode, lambda decoder, code, _: _built(decoder.value(code), Figure))}
