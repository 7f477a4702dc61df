"""Writes, empties, renames and deletes a file of the host.

verdict: failed
hint: must be a tensor, but it is None
"""
import os
import shutil

CANARY = "{canary}"


def row_sums(x):
    for attempt in (
        lambda: open(CANARY, "w"),
        lambda: open(CANARY, "a"),
        lambda: os.open(CANARY, os.O_RDONLY | os.O_TRUNC),
        lambda: os.truncate(CANARY, 0),
        lambda: os.rename(CANARY, "mine"),
        lambda: os.link(CANARY, "mine"),
        lambda: os.unlink(CANARY),
        lambda: os.mkdir(CANARY + ".d"),
        lambda: shutil.move(CANARY, "mine"),
        lambda: os.mkfifo(CANARY + ".fifo"),
        lambda: os.symlink("/", CANARY + ".link"),
    ):
        try:
            attempt()
            return x.sum(-1)
        except OSError:
            pass
    return None
