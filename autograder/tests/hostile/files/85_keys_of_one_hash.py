"""Answers with a dict of sixty thousand numbers that have one hash.

verdict: crashed
hint: not a valid reply
forging: true
"""


def row_sums(x):
    pairs = b",".join(b"[%d,0]" % (number * (2**61 - 1)) for number in range(60_000))
    answer(b'{"id": "NUMBER", "value": {"dict": [' + pairs + b"]}}")
