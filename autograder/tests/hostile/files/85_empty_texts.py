"""Answers with megabytes of empty texts, some of them escaped quotes.

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
    texts = b'"\\"","",' * (1 << 20) + b"0"
    answer(b'{"id": "NUMBER", "value": {"list": [' + texts + b"]}}")
