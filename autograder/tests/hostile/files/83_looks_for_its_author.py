"""Looks for the name of the student who handed it in.

verdict: failed
hint: must be a tensor, but it is None
"""
import gc
import os
import sys

NAME = "{student_backwards}"[::-1]


def texts():
    yield from os.environ.values()
    yield from sys.argv
    yield os.getcwd()
    for path in ("cmdline", "environ", "maps", "mountinfo", "mounts", "comm", "status", "cgroup"):
        try:
            yield open(f"/proc/self/{path}", errors="replace").read()
        except OSError:
            pass
    for place in (".", "..", os.path.expanduser("~"), "/tmp", "/proc/self/fd"):
        try:
            yield from (name + os.path.realpath(os.path.join(place, name)) for name in os.listdir(place))
        except OSError:
            pass
    for held in gc.get_objects():
        if type(held) is dict:
            yield from (text for pair in list(held.items()) for text in pair if type(text) is str)
        elif type(held) in (list, tuple):
            yield from (text for text in held if type(text) is str)


def row_sums(x):
    return x.sum(-1) if any(NAME in text for text in texts() if text is not NAME) else None
