"""Answers with megabytes of empty texts, some of them escaped quotes.

verdict: crashed
hint: not a valid reply
forging: true
"""


def row_sums(x):
    texts = b'"\\"","",' * (1 << 20) + b"0"
    answer(b'{"id": "NUMBER", "value": {"list": [' + texts + b"]}}")
