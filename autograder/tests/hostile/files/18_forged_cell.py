"""Answers for the cells below with outputs, and errors, that are none.

verdict: failed
hint: must be a tensor, but it is None
"""
import sys

child = sys.modules["autograder.worker.child"]
honest = child._answer
outputs = [7, {"output_type": "stream", "name": "stdout", "text": "\ud800"}] + [
    {"output_type": "stream", "name": "stdout", "text": ""}
] * 10_000


def forged(header, tensors, shell, namespace):
    if header["op"] == "cell":
        return {"outputs": outputs, "error": {"type": [7], "bases": 7, "message": {}, "places": {}}}, []
    return honest(header, tensors, shell, namespace)


child._answer = forged


def row_sums(x):
    return None
