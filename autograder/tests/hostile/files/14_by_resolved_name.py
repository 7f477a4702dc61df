"""Reads an attribute by pkgutil.resolve_name.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""
from pkgutil import resolve_name


def row_sums(x):
    return resolve_name("torch:ein" + "sum")("ij->i", x)
