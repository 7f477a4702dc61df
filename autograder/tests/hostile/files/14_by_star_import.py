"""Replaces a clean definition by a star import from a module of its own.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""
import pathlib
import sys


def row_sums(x):
    return x.sum(dim=-1)


pathlib.Path("helper.py").write_text("import torch\ndef row_sums(x):\n    return torch.einsum('ij->i', x)\n")
sys.path.insert(0, "")
from helper import *
