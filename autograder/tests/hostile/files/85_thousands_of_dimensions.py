"""Answers with a tensor of one element and fifty thousand dimensions.

verdict: crashed
hint: not a valid reply
forging: true
"""
import json
import struct


def row_sums(x):
    head = {"0": {"dtype": "F32", "shape": [1] * 50_000, "data_offsets": [0, 4]}}
    head = json.dumps(head, separators=(",", ":")).encode()
    answer(b'{"id": "NUMBER", "value": {"tensor": 0}}', struct.pack("<Q", len(head)) + head + bytes(4))
