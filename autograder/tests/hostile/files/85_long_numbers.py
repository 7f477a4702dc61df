"""Answers with eight megabytes of numbers of four thousand digits.

verdict: crashed
hint: not a valid reply
forging: true
"""


def row_sums(x):
    numbers = b",".join([b"9" * 4000] * 2000)
    answer(b'{"id": "NUMBER", "value": {"list": [' + numbers + b"]}}")
