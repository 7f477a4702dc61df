"""Sends its answer byte by byte, so that there is always something to read.

verdict: timed out
hint: waited for longer than
"""
import struct
import sys
import time


def row_sums(x):
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["channel"].sendall(struct.pack("!II", 1 << 17, 0))
    while True:
        frame.f_locals["channel"].sendall(b" ")
        time.sleep(0.05)
