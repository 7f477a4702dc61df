"""Writes old answers without end; the first of them are dropped.

verdict: failed
hint: not a valid reply
forging: true
"""
import json
import struct

numbers = []


def row_sums(x):
    sock, number = channel()
    numbers.append(number)
    text = json.dumps({"id": numbers[0], "value": None}).encode()
    old = struct.pack("!II", len(text), 0) + text
    while len(numbers) > 1:
        sock.sendall(old)
    return x.sum()
