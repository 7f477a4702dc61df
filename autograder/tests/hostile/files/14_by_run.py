"""Replaces a clean definition by %run of a file that a cell writes.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""
import pathlib


def row_sums(x):
    return x.sum(dim=-1)


pathlib.Path("later.py").write_text("import torch\ndef row_sums(x):\n    return torch.einsum('ij->i', x)\n")
get_ipython().run_line_magic("run", "later.py")
