"""A table whose thousand columns share one part, which it would fill a thousand times.

{verdict: crashed, answer: show}
"""

import sys

import numpy as np


def show(revenue):
    def encode(self, value):
        self.parts += [np.zeros(100_000), np.arange(100_000), np.arange(1000)]
        labels = {"index": [{"values": {"array": 1}}], "names": {"list": [None]}}
        names = {"index": [{"values": {"array": 2}}], "names": {"list": [None]}}
        return {"frame": [{"values": {"array": 0}}] * 1000, "labels": labels, "columns": names}

    sys.modules["autograder.worker.namespace"].Encoder.encode = encode
    return revenue
