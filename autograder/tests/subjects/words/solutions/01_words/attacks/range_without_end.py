"""A range that nobody could list.

{verdict: failed, answer: count_words, hint: must be a dict}
"""


def count_words(text):
    return range(1 << 62)
