"""Fills files that never had a name.

verdict: crashed
hint: stopped because it used too much memory, time or disk
"""
import os
import time

for number in range(14):
    descriptor = os.open(".", os.O_TMPFILE | os.O_RDWR)
    os.write(descriptor, bytes(15 << 20))
time.sleep(60)  # until it is seen


def row_sums(x):
    return x.sum(-1)
