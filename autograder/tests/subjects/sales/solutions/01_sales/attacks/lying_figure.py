"""Axes whose methods return a text of a megabyte, and no text.

{verdict: crashed, answer: show}
"""

import matplotlib.pyplot as plt


def show(revenue):
    _, axes = plt.subplots()
    axes.bar([0, 1, 2, 3], [float("nan")] * 4)
    axes.get_title = lambda: "x" * 1_000_000
    axes.get_xlabel = axes.get_ylabel = lambda: {"x": show}
    return axes
