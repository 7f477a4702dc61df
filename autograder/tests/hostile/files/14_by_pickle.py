"""Reads an attribute by unpickling its name.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""
import pickle


def row_sums(x):
    return pickle.loads(b"ctorch.functional\nein" + b"sum\n.")("ij->i", x)
