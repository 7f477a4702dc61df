"""Writes answers without end.

verdict: crashed
hint: not a valid reply
forging: true
"""
import json


def row_sums(x):
    text = json.dumps({"id": "x", "value": "y" * 1_000_000}).encode()
    while True:
        answer(text)
