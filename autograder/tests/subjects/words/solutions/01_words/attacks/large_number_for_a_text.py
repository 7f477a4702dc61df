"""A whole number that is too large for a float, in a set.

{verdict: failed, answer: letters_in_both, hint: lacks}
"""


def letters_in_both(one, other):
    return {1 << 4000, float("inf"), "\x1b[2J" * 90}
