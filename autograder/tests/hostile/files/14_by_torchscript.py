"""Compiles a call that by-hand work does without to TorchScript.

by_hand: [basics]
verdict: review
"""
import torch


class Rows(torch.nn.Module):
    def forward(self, x):
        return x.matmul(torch.ones(x.size(1), dtype=x.dtype))


compiled = torch.jit.trace(Rows(), torch.ones(2, 2), check_trace=False)


def row_sums(x):
    return compiled(x)
