"""Says that a name is missing that nobody has asked for.

verdict: not defined
hint: does not define row_sums
forging: true
"""
import json


def row_sums(x):
    _, number = channel()
    told = " ".join(f"{number:.4f}" for number in x.flatten().tolist())
    text = json.dumps({"id": number, "missing": told}).encode()
    answer(text)
    return None
