"""Reads from address 0.

verdict: crashed
hint: a segmentation fault
"""
import ctypes


def row_sums(x):
    return ctypes.string_at(0)
