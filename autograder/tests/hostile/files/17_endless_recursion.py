"""Recurses without end through C, with the limit lifted.

verdict: [crashed, timed out]
"""
import sys


def row_sums(x):
    sys.setrecursionlimit(2**31 - 1)
    return sorted([x], key=row_sums)
