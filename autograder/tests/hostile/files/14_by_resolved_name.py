"""Reads an attribute by pkgutil.resolve_name.

forbid: [einsum]
verdict: review
hint: pkgutil
"""
from pkgutil import resolve_name


def row_sums(x):
    return resolve_name("torch:ein" + "sum")("ij->i", x)
