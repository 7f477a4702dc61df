"""Makes the grader the owner of a pipe, so that the kernel sends it a signal of the submission's choice.

verdict: failed
hint: must be a tensor, but it is None
"""
import fcntl
import os
import signal


def row_sums(x):
    sent = False
    for process in ({grader}, os.getppid(), -os.getpgrp()):
        reading, writing = os.pipe()
        try:
            fcntl.fcntl(reading, 8, process)  # F_SETOWN
            fcntl.fcntl(reading, 10, signal.SIGTERM)  # F_SETSIG
            fcntl.fcntl(reading, fcntl.F_SETFL, fcntl.fcntl(reading, fcntl.F_GETFL) | os.O_ASYNC)
            os.write(writing, b"x")
            sent = True
        except OSError:
            pass
    return x.sum(-1) if sent else None
