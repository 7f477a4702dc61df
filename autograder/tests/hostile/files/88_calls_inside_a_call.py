"""Calls the right answer while another call of it is being put together, and from a gradient of its own.

earlier: "def double(x): return x * 3"
verdict: failed
hint: must be a tensor, but it is None
"""
import torch


class Nested(list):
    def __iter__(self):
        double(Nested([1.0]))
        return super().__iter__()


def row_sums(x):
    if double(torch.ones(1)) == 2:
        one = torch.ones(1, requires_grad=True)
        two = double(one)
        two.register_hook(lambda gradient: double(one).backward())
        two.backward()
        double(Nested([1.0]))
