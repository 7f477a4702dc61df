"""Hands back objects at which the worker's own code breaks.

verdict: crashed
hint: from inside (the cell of row_sums, line 3)
"""


class Broken(dict):
    def items(self):
        raise RuntimeError("from inside")


def row_sums(x):
    return Broken(a=1)
