"""Leaves threads behind, and ends the first of them alone.

verdict: timed out
hint: waited for longer than
"""
import ctypes
import platform
import threading
import time


def row_sums(x):
    threading.Thread(target=time.sleep, args=(3600,)).start()
    ctypes.CDLL(None).syscall(60 if platform.machine() == "x86_64" else 93, 0)
