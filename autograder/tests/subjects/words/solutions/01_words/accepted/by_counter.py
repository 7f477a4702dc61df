"""Counts with a Counter, joins a list, and filters letters; a subclass of dict is a dict."""

from collections import Counter


def count_words(text):
    return Counter(text.casefold().split())


def initials(names):
    return ".".join([name[:1].upper() for name in names] + [""])


def letters_in_both(one, other):
    return {letter for letter in one if letter in other}
