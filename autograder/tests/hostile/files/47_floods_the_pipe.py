"""Writes answers without end.

verdict: crashed
hint: not a valid answer
"""
import json
import struct
import sys


def row_sums(x):
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    text = json.dumps({"id": "x", "value": "y" * 1_000_000}).encode()
    while True:
        frame.f_locals["channel"].sendall(struct.pack("!II", len(text), 0) + text)
