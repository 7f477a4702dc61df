"""Uses what the question has no use for only where a right earlier answer stands in.

earlier: "def double(x): return x * 3"
by_hand: [basics]
verdict: review
hint: this question does not allow
"""


def row_sums(x):
    return x.sum(-1) if double(x)[0, 0] == x[0, 0] + x[0, 0] else None
