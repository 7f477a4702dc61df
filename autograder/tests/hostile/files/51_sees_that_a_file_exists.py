"""Asks whether a file of the host exists, and how large it is.

verdict: failed
hint: must be a tensor, but it is None
tiers: [full]
"""
import os

CANARY = "{canary}"


def row_sums(x):
    return x.sum(-1) if os.path.exists(CANARY) else None
