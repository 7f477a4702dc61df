"""Keeps the forbidden call in a module of its own, which a cell writes.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""
import pathlib
import sys

pathlib.Path("helper.py").write_text("import torch\ndef add_up(x):\n    return torch.ein" + "sum('ij->i', x)\n")
sys.path.insert(0, "")
from helper import add_up


def row_sums(x):
    return add_up(x)
