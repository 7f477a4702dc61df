"""Answers with an error whose parts all have the wrong types.

verdict: crashed
hint: "7: [7]"
"""
import json
import struct
import sys


def row_sums(x):
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    error = {"type": 7, "bases": 7, "message": [7], "places": [[True, 2**62], [3, 2**62], [], 7] * 9}
    text = json.dumps({"id": frame.f_locals["header"]["id"], "error": error}).encode()
    frame.f_locals["channel"].sendall(struct.pack("!II", len(text), 0) + text)
    return None
