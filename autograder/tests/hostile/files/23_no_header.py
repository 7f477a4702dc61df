"""Sends noise, headers that are no objects, and JSON nested 100,000 deep.

verdict: crashed
hint: not a valid answer
"""
import struct
import sys


def row_sums(x):
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    for text in (b"[" * 100_000, b"[]", b"NaN", b"\xff\x00"):
        frame.f_locals["channel"].sendall(struct.pack("!II", len(text), 0) + text)
