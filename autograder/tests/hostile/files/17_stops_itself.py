"""Stops its own process, which then neither answers nor dies.

verdict: timed out
hint: waited for longer than
"""
import os
import signal


def row_sums(x):
    os.kill(os.getpid(), signal.SIGSTOP)
