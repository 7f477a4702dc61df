"""Answers with a forged tensor that has no elements but half a billion rows.

verdict: crashed
hint: not a valid reply
forging: true
"""
import json
import struct


def row_sums(x):
    head = {"0": {"dtype": "F32", "shape": [2**29, 0], "data_offsets": [0, 0]}}
    head = json.dumps(head).encode()
    answer(b'{"id": "NUMBER", "value": {"tensor": 0}}', struct.pack("<Q", len(head)) + head)
