"""Lets another thread compute, which a recorder of this thread does not see.

by_hand: [basics]
verdict: review
"""
from concurrent.futures import ThreadPoolExecutor


def row_sums(x):
    return ThreadPoolExecutor(1).submit(lambda: x.sum(dim=1)).result()
