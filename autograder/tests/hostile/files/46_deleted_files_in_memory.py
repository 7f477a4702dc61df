"""Fills files that it has deleted and keeps by a page of memory each, without a descriptor.

verdict: crashed
hint: stopped because it used too much memory, time or disk
"""
import ctypes
import os
import time

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
for number in range(14):
    with open("file", "w+b", buffering=0) as file:
        os.remove("file")
        file.write(bytes(15 << 20))
        if libc.mmap(None, ctypes.c_size_t(4096), 1, 1, file.fileno(), ctypes.c_long(0)) == 2**64 - 1:
            raise OSError("no memory")
time.sleep(60)  # until it is seen


def row_sums(x):
    return x.sum(-1)
