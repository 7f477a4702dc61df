"""A dict of sixty thousand keys.

{verdict: failed, answer: count_words, hint: "must be a dict, but it is dict with 60,000 items"}
"""


def count_words(text):
    return dict.fromkeys(range(60_000))
