"""Answers with eight megabytes of empty objects, each of which takes twenty times its text.

verdict: crashed
hint: not a valid reply
forging: true
"""


def row_sums(x):
    objects = b",".join([b"{}"] * (7 << 18))
    answer(b'{"id": "NUMBER", "value": [' + objects + b"]}")
