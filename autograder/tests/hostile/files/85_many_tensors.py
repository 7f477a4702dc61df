"""Answers with a hundred thousand tensors that have no elements.

verdict: crashed
hint: not a valid answer
"""
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
    each = b'"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    head = b"{" + b",".join(each % number for number in range(100_000)) + b"}"
    answer(b'{"id": "NUMBER", "value": null}', struct.pack("<Q", len(head)) + head)
