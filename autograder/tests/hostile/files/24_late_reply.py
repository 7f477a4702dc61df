"""Answers old questions once more, in the middle of new ones: nobody listens.

answer: double
verdict: passed
score: 2
forging: true
"""
import json

answered = []


def double(x):
    _, number = channel()
    for old in answered[-20:]:
        text = json.dumps({"id": old, "value": None}).encode()
        answer(text)
    answered.append(number)
    return x + x
