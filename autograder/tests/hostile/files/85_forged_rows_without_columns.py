"""Answers with a forged tensor that has no elements but half a billion rows.

verdict: crashed
hint: not a valid answer
"""
import json
import struct
import sys


def channel():
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["channel"], frame.f_locals["header"]["id"]


def answer(text, payload=b""):
    sock, number = channel()
    text = text.replace(b"NUMBER", number.encode())
    sock.sendall(struct.pack("!II", len(text), len(payload)) + text + payload)


def row_sums(x):
    head = {"0": {"dtype": "F32", "shape": [2**29, 0], "data_offsets": [0, 0]}}
    head = json.dumps(head).encode()
    answer(b'{"id": "NUMBER", "value": {"tensor": 0}}', struct.pack("<Q", len(head)) + head)
