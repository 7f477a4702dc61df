"""Returns lists inside lists, far deeper than any stack.

verdict: crashed
hint: Error
"""


def row_sums(x):
    nested = []
    for _ in range(100_000):
        nested = [nested]
    return nested
