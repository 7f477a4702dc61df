"""Changes an installed package, its mode or its times, for whoever imports it next.

verdict: crashed
hint: KeyError
"""
import os
import sys

import torch


def row_sums(x):
    for path in (torch.__file__, sys.executable, os.__file__, sys.modules["autograder.worker"].__file__):
        for attempt in (
            lambda: open(path, "a"),
            lambda: os.chmod(path, 0o755),
            lambda: os.fchmod(os.open(path, os.O_RDONLY), 0o644),
            lambda: os.utime(os.open(path, os.O_RDONLY), (1, 1)),
            lambda: os.rename(path, path + ".old"),
            lambda: open(os.path.dirname(path) + "/evil.pth", "w"),
        ):
            try:
                attempt()
                return x.sum(-1)
            except OSError:
                pass
    return None
