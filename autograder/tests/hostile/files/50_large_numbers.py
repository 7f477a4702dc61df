"""Hangs in the arithmetic of large numbers.

verdict: timed out
hint: did not come back
"""


def row_sums(x):
    return (7 ** (10**8)) % 10
