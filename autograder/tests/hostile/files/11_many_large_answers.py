"""Returns hundreds of megabytes in a list, for the grader to hold.

verdict: crashed
hint: more than 16 MB
"""
import torch


def row_sums(x):
    return [torch.zeros(1).expand(1 << 20) for _ in range(50)]
