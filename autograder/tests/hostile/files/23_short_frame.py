"""Announces a frame and never sends its end.

verdict: timed out
hint: waited for longer than
forging: true
"""
import struct
import time


def row_sums(x):
    sock, _ = channel()
    sock.sendall(struct.pack("!II", 1000, 1000) + b"{")
    time.sleep(60)
