"""Closes its connection and lingers.

verdict: crashed
hint: it closed its connection to the grader
"""
import os
import time


def row_sums(x):
    os.closerange(3, 256)
    time.sleep(3600)
