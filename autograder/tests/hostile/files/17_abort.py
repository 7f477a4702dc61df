"""Aborts the process.

verdict: crashed
hint: an abort
"""
import os


def row_sums(x):
    os.abort()
