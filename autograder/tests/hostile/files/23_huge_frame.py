"""Announces a frame of eight gigabytes.

verdict: crashed
hint: not a valid reply
forging: true
"""
import struct


def row_sums(x):
    sock, _ = channel()
    sock.sendall(struct.pack("!II", 2**32 - 1, 2**32 - 1))
