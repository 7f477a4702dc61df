"""Returns a dict whose one key is three megabytes long.

verdict: failed
hint: it is dict
"""


def row_sums(x):
    return {"x" * 3_000_000: x}
