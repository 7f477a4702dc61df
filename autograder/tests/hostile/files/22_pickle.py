"""Returns an object whose unpickling would write to the host.

verdict: failed
hint: must be a tensor, but it is Reducing
"""
import os

CANARY = "{canary}"


class Reducing:
    def __reduce__(self):
        return os.system, (f"echo unpickled > {CANARY}",)


def row_sums(x):
    return Reducing()
