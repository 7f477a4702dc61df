"""Returns hundreds of megabytes in a list, for the grader to hold.

verdict: crashed
hint: more than 64 MB
"""
import torch


def row_sums(x):
    return [torch.zeros(1).expand(count << 20) for count in (1, 16, 16, 16)]
