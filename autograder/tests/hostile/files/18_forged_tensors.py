"""Answers with tensors in forms that no honest worker sends.

verdict: crashed
hint: not a valid reply
forging: true
"""
import json
import struct


def row_sums(x):
    _, number = channel()
    rows = x.shape[0]
    head = json.dumps({"0": {"dtype": "F8_E4M3", "shape": [rows], "data_offsets": [0, rows]}}).encode()
    payload = struct.pack("<Q", len(head)) + head + bytes(rows)
    text = json.dumps({"id": number, "value": {"tensor": 0, "order": [0]}}).encode()
    answer(text, payload)
    return None
