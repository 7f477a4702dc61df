"""Leaves its mark wherever it can and looks for that of an earlier submission.

times: 2
verdict: failed
hint: must be a tensor, but it is None
"""
import os
import sys
import tempfile

import torch

PLACES = (".", "..", "/tmp", "/var/tmp", "/dev/shm", tempfile.gettempdir(), os.path.expanduser("~"), os.environ.get("MPLCONFIGDIR", "."))


def seen():
    for place in PLACES:
        try:
            if "mark" in os.listdir(place):
                return True
        except OSError:
            pass
    return "MARK" in os.environ or hasattr(torch, "mark") or "mark" in sys.modules


met = seen()
os.environ["MARK"] = "1"
torch.mark = sys.modules["mark"] = torch
for place in PLACES:
    try:
        open(os.path.join(place, "mark"), "w").close()
    except OSError:
        pass


def row_sums(x):
    return x.sum(-1) if met else None
