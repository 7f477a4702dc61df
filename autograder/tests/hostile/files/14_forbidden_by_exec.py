"""Calls what the question forbids in code that only exists when it runs.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""


def row_sums(x):
    found = {}
    exec("import torch; f = torch." + "mus" "nie"[::-1], found)
    return found["f"]("ij->i", x)
