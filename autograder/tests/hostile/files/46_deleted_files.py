"""Fills files that it has deleted and keeps open: no folder shows them.

verdict: crashed
hint: stopped because it used too much memory, time or disk
"""
import os
import time

hoard = []
for number in range(14):
    hoard.append(open("file", "w+b", buffering=0))
    os.remove("file")
    hoard[-1].write(bytes(15 << 20))
time.sleep(60)  # until it is seen


def row_sums(x):
    return x.sum(-1)
