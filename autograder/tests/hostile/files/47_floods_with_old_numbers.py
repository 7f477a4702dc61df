"""Writes old answers without end; the first of them are dropped.

verdict: failed
hint: not a valid answer
"""
import json
import struct
import sys

numbers = []


def row_sums(x):
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    numbers.append(frame.f_locals["header"]["id"])
    text = json.dumps({"id": numbers[0], "value": None}).encode()
    old = struct.pack("!II", len(text), 0) + text
    while len(numbers) > 1:
        frame.f_locals["channel"].sendall(old)
    return x.sum()
