"""Says that a name is missing that nobody has asked for.

verdict: not defined
hint: does not define row_sums
"""
import json
import struct
import sys


def row_sums(x):
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    told = " ".join(f"{number:.4f}" for number in x.flatten().tolist())
    text = json.dumps({"id": frame.f_locals["header"]["id"], "missing": told}).encode()
    frame.f_locals["channel"].sendall(struct.pack("!II", len(text), 0) + text)
    return None
