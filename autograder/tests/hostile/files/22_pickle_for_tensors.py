"""Sends a pickle where the tensors' bytes belong.

verdict: crashed
hint: not a valid reply
forging: true
"""
import json
import os
import pickle

CANARY = "{canary}"


class Reducing:
    def __reduce__(self):
        return os.system, (f"echo unpickled > {CANARY}",)


def row_sums(x):
    _, number = channel()
    payload = pickle.dumps(Reducing())
    text = json.dumps({"id": number, "value": {"tensor": 0}}).encode()
    answer(text, payload)
    return None
