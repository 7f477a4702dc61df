"""Asks for the space of a file at once, which takes no time: the whole disk in less time than we look away.

verdict: failed
hint: must be a tensor, but it is None
"""
import ctypes
import os

descriptor = os.open("file", os.O_CREAT | os.O_RDWR)
allotted = ctypes.CDLL(None).fallocate(descriptor, 0, ctypes.c_long(0), ctypes.c_long(15 << 20))


def row_sums(x):
    return x.sum(-1) if allotted == 0 else None
