"""Leaves with exit code 0, past every handler.

verdict: crashed
hint: ended itself (exit code 0)
"""
import os


def row_sums(x):
    os._exit(0)
