"""Announces a frame and never sends its end.

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
    frame.f_locals["channel"].sendall(struct.pack("!II", 1000, 1000) + b"{")
    time.sleep(60)
