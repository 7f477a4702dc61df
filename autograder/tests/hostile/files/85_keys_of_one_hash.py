"""Answers with a dict of sixty thousand numbers that have one hash.

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
    pairs = b",".join(b"[%d,0]" % (number * (2**61 - 1)) for number in range(60_000))
    answer(b'{"id": "NUMBER", "value": {"dict": [' + pairs + b"]}}")
