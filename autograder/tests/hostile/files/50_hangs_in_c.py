"""Hangs inside C, where no Python exception can reach.

verdict: timed out
hint: computed for longer than
"""
import re


def row_sums(x):
    return re.match(r"(a+)+$", "a" * 60 + "b")
