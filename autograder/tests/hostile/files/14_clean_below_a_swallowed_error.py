"""Has the error that a clean definition stands below swallowed by a magic.

forbid: [einsum]
verdict: review
hint: einsum
"""
import torch


def row_sums(x):
    return torch.einsum("ij->i", x)


get_ipython().run_cell_magic("capture", "", "1 / 0\ndef row_sums(x):\n    return x.sum(dim=-1)\n")
