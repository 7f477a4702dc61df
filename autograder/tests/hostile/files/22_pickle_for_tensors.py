"""Sends a pickle where the tensors' bytes belong.

verdict: crashed
hint: not a valid answer
"""
import json
import os
import pickle
import struct
import sys

CANARY = "{canary}"


class Reducing:
    def __reduce__(self):
        return os.system, (f"echo unpickled > {CANARY}",)


def row_sums(x):
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    payload = pickle.dumps(Reducing())
    text = json.dumps({"id": frame.f_locals["header"]["id"], "value": {"tensor": 0}}).encode()
    frame.f_locals["channel"].sendall(struct.pack("!II", len(text), len(payload)) + text + payload)
    return None
