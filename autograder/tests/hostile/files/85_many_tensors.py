"""Answers with a hundred thousand tensors that have no elements.

verdict: crashed
hint: not a valid reply
forging: true
"""
import struct


def row_sums(x):
    each = b'"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    head = b"{" + b",".join(each % number for number in range(100_000)) + b"}"
    answer(b'{"id": "NUMBER", "value": null}', struct.pack("<Q", len(head)) + head)
