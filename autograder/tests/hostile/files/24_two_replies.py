"""Answers one request twice, so that the second answer is there before the next question.

answer: double
verdict: failed
score: 1.5
hint: must be a tensor, but it is None
forging: true
"""
import json


def double(x):
    _, number = channel()
    text = json.dumps({"id": number, "value": None}).encode()
    if x.dtype == torch.float64:
        answer(text)
    return x + x
