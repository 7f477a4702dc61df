"""Catches whatever is raised in it and goes on for ever.

verdict: timed out
hint: computed for longer than
"""


def row_sums(x):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
