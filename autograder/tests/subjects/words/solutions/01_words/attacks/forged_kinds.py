"""An encoder that writes other kinds of values than it has: an array and a frame in a course without packages.

{verdict: crashed, answer: letters_in_both}
"""

import sys


def letters_in_both(one, other):
    namespace = sys.modules["autograder.worker.namespace"]
    namespace.Encoder.encode = lambda self, value: {"frame": [{"array": 0}], "labels": {"array": 0}}
    return {}
