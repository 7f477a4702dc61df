"""Ignores and blocks every signal that can be, and hangs.

verdict: timed out
hint: waited for longer than
"""
import signal
import time


def row_sums(x):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True:
        time.sleep(1)
