"""Stops its own process, which then neither answers nor dies.

verdict: timed out
hint: did not come back
"""
import os
import signal


def row_sums(x):
    os.kill(os.getpid(), signal.SIGSTOP)
