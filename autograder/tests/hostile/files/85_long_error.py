"""Answers with an error of eight megabytes, all of them numbers to be compared with known errors.

verdict: crashed
hint: not a valid reply
forging: true
"""


def row_sums(x):
    words = b"1 " * (7 << 19)
    answer(b'{"id": "NUMBER", "error": {"type": "RuntimeError", "message": "' + words + b'"}}')
