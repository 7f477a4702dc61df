"""Sends its answer byte by byte, so that there is always something to read.

verdict: timed out
hint: waited for longer than
forging: true
"""
import struct
import time


def row_sums(x):
    sock, _ = channel()
    sock.sendall(struct.pack("!II", 1 << 17, 0))
    while True:
        sock.sendall(b" ")
        time.sleep(0.05)
