"""Writes one file after another until the disk is full.

verdict: [crashed, timed out]
"""
import os
import time


def row_sums(x):
    number = 0
    while True:
        try:
            descriptor = os.open(f"file{number}", os.O_CREAT | os.O_RDWR)
            os.write(descriptor, bytes(8 << 20))
            os.close(descriptor)
            number += 1
        except OSError:
            time.sleep(0.01)
