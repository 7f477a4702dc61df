"""Sends noise, headers that are no objects, and JSON nested 100,000 deep.

verdict: crashed
hint: not a valid reply
forging: true
"""


def row_sums(x):
    for text in (b"[" * 100_000, b"[]", b"NaN", b"\xff\x00"):
        answer(text)
