"""Returns a list that holds itself, and a dictionary that never ends.

verdict: crashed
hint: RecursionError
"""


def row_sums(x):
    endless = []
    endless.append({"again": endless})
    return endless
