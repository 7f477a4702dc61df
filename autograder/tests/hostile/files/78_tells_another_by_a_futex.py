"""Tells another submission the hidden inputs by waking it, while it waits on a page of a file that both may read.

verdict: [blocked, crashed]
hint: Operation not permitted
"""
import ctypes
import os

import torch

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
CALL, WAKE = {"x86_64": 202}.get(os.uname().machine, 98), 1


def row_sums(x):
    file = os.open(torch.__file__, os.O_RDONLY)
    page = libc.mmap(None, 4096, 1, 1, file, ctypes.c_long(0))
    if libc.syscall(CALL, ctypes.c_void_p(page), WAKE, int(abs(x.flatten()[0]) * 100), None, None, 0) < 0:
        raise PermissionError(os.strerror(ctypes.get_errno()))
    return x.sum(-1)
