"""Answers rightly and slowly: nothing in the report says how long it took.

verdict: passed
score: 3
alike: |
    def row_sums(x):
        return x.sum(-1)
"""
import time


def row_sums(x):
    time.sleep(0.25)
    return x.sum(-1)
