"""Never answers.

verdict: timed out
hint: Is there a loop that never ends?
"""


def row_sums(x):
    while True:
        pass
