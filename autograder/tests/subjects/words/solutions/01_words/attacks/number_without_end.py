"""A number of a million digits, which takes long to print.

{verdict: failed, answer: initials, hint: must be a str}
"""


def initials(names):
    return 1 << 4_000_000
