"""Imports a module of its own after a clean definition, which replaces that.

forbid: [einsum]
verdict: review
hint: helper
"""
import pathlib
import sys


def row_sums(x):
    return x.sum(dim=-1)


code = "import torch, __main__\n__main__.row_sums = lambda x: torch.einsum('ij->i', x)\n"
pathlib.Path("helper.py").write_text(code)
sys.path.insert(0, "")
import helper
