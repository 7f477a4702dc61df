"""Answers with a list inside a list, a hundred thousand times.

verdict: crashed
hint: not a valid reply
forging: true
"""


def row_sums(x):
    answer(b'{"id": "NUMBER", "value": ' + b'{"list": [' * 100_000 + b"]}" * 100_000 + b"}")
