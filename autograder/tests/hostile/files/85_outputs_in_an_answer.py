"""Answers a call with outputs, as only a cell may, and beside them an error of eight megabytes.

verdict: crashed
hint: not a valid reply
forging: true
"""


def row_sums(x):
    words = b"1 " * (7 << 19)
    answer(b'{"id": "NUMBER", "outputs": [], "error": {"type": "RuntimeError", "message": "' + words + b'"}}')
