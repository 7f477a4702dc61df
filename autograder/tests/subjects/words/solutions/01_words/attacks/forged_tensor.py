"""A part that claims to be a tensor, where the grader has no torch.

{verdict: crashed, answer: letters_in_both}
"""

import sys


def letters_in_both(one, other):
    namespace = sys.modules["autograder.worker.namespace"]
    namespace.Encoder.encode = lambda self, value: self.parts.append(b"x") or {"tensor": 0}
    return ""
