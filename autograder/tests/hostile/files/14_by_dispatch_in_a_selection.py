"""Adds up inside torch.masked_select, where the recorder does not look, by a tensor that dispatches itself.

forbid: [sum]
by_hand: [basics]
verdict: review
hint: called sum
"""

import torch


class Sums(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return getattr(args[0].kept, "s" + "um")(dim=-1)


def row_sums(x):
    inner = torch.Tensor._make_subclass(Sums, torch.zeros(1))
    inner.kept = x
    return torch.masked_select(inner, torch.ones(1, dtype=torch.bool))
