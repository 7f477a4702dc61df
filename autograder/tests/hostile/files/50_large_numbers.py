"""Hangs in the arithmetic of large numbers.

verdict: timed out
hint: computed for longer than
"""


def row_sums(x):
    return (7 ** (10**8)) % 10
