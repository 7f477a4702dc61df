"""Draws bars as SVG to stand inside a page: the same bytes for the same numbers, and told in words too."""

import html
import io
import re
from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

_COLOUR, _EDGE = "#4a6fa5", "#1f3552"
_UNSIGNED = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_LETTERS = 9.0


def columns(name: str, title: str, labels: Sequence[str], counts: Sequence[int], across: str) -> str:
    """Return a column for each count; `across` says what the labels are."""
    figure = Figure(figsize=(5.0, 2.4), layout="constrained")
    axes = figure.subplots()
    bars = axes.bar(range(len(counts)), counts, width=1.0, color=_COLOUR, edgecolor=_EDGE)
    axes.bar_label(bars, [str(count) if count else "" for count in counts], fontsize=_LETTERS)
    axes.set_xticks(range(len(labels)), labels, fontsize=_LETTERS)
    axes.set_xlabel(across, fontsize=_LETTERS)
    axes.set_yticks([])
    axes.set_ylim(0, max(*counts, 1) * 1.15)
    axes.spines[["left", "right", "top"]].set_visible(False)
    return _svg(figure, name, _told(title, labels, [str(count) for count in counts]))


def rows(name: str, title: str, labels: Sequence[str], shares: Sequence[float]) -> str:
    """Return a bar from left to right for each share between 0 and 1, the first one on top."""
    figure = Figure(figsize=(5.0, 0.45 + 0.27 * len(labels)), layout="constrained")
    axes = figure.subplots()
    bars = axes.barh(range(len(shares)), shares, height=0.7, color=_COLOUR, edgecolor=_EDGE)
    numbers = [f"{share:.0%}" for share in shares]
    axes.bar_label(bars, numbers, padding=3, fontsize=_LETTERS)
    axes.set_yticks(range(len(labels)), labels, fontsize=_LETTERS)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.12)
    axes.set_xticks([])
    axes.spines[["right", "top", "bottom"]].set_visible(False)
    return _svg(figure, name, _told(title, labels, numbers))


def _told(title: str, labels: Sequence[str], numbers: Sequence[str]) -> str:
    pairs = (f"{label}: {number}" for label, number in zip(labels, numbers, strict=True))
    return f"{title}. {'; '.join(pairs)}."


def _svg(figure: Figure, name: str, told: str) -> str:
    """Return the figure as an element of a page, its ids begun with `name` as no other picture's are."""
    text = io.StringIO()
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        FigureCanvasSVG(figure).print_figure(text, format="svg", metadata=_UNSIGNED)
    drawn = text.getvalue()[text.getvalue().index("<svg") :].rstrip()
    drawn = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{re.escape(name)}-", drawn)
    drawn = re.sub(r"<style.*?</style>", "", drawn, count=1, flags=re.DOTALL)
    return drawn.replace("<svg", f'<svg role="img" aria-label="{html.escape(told)}"', 1)
