"""Tells another submission the hidden inputs by how many large pipes it leaves, of those that a user may have.

verdict: [blocked, crashed]
hint: Operation not permitted
"""
import fcntl
import os

SET_SIZE = 1031
PIPES = []


def row_sums(x):
    for _ in range(int(abs(x.flatten()[0]) * 10) + 1):
        PIPES.append(os.pipe())
        fcntl.fcntl(PIPES[-1][1], SET_SIZE, 1 << 20)
    return x.sum(-1)
