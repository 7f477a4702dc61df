"""Answers with tensors in forms that no honest worker sends.

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
    rows = x.shape[0]
    head = json.dumps({"0": {"dtype": "F8_E4M3", "shape": [rows], "data_offsets": [0, rows]}}).encode()
    payload = struct.pack("<Q", len(head)) + head + bytes(rows)
    text = json.dumps({"id": frame.f_locals["header"]["id"], "value": {"tensor": 0, "order": [0]}}).encode()
    frame.f_locals["channel"].sendall(struct.pack("!II", len(text), len(payload)) + text + payload)
    return None
