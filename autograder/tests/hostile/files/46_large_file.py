"""Writes one file that is larger than any notebook needs.

verdict: crashed
hint: File too large
"""


def row_sums(x):
    with open("large", "wb") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    return x.sum(-1)
