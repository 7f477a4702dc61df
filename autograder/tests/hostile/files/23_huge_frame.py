"""Announces a frame of eight gigabytes.

verdict: crashed
hint: not a valid answer
"""
import struct
import sys


def row_sums(x):
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["channel"].sendall(struct.pack("!II", 2**32 - 1, 2**32 - 1))
