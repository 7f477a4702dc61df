"""Tells another submission the hidden inputs by locks on a file that both may read.

verdict: [blocked, crashed]
hint: Operation not permitted
"""
import fcntl

import torch


def row_sums(x):
    with open(torch.__file__) as file:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
