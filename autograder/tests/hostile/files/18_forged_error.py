"""Answers with an error whose parts all have the wrong types.

verdict: crashed
hint: "7: [7]"
forging: true
"""
import json


def row_sums(x):
    _, number = channel()
    error = {"type": 7, "bases": 7, "message": [7], "places": [[True, 2**62], [3, 2**62], [], 7] * 9}
    text = json.dumps({"id": number, "error": error}).encode()
    answer(text)
    return None
