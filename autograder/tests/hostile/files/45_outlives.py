"""Leaves the session and starts a process to stay behind.

verdict: blocked
hint: not permitted
"""
import os


def row_sums(x):
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
    return x.sum(-1)
