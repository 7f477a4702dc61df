"""Leaves with exit code 0 instead of answering.

verdict: crashed
hint: SystemExit
"""
import sys


def row_sums(x):
    sys.exit(0)
