"""Raises an error of ten megabytes, full of markup and terminal escapes.

verdict: crashed
hint: ValueError
"""


def row_sums(x):
    raise ValueError("<script>alert(1)</script>\x1b[2J\x07\u202e" + "A" * 10_000_000)
