"""Never answers.

verdict: timed out
hint: Can its loop end?
"""


def row_sums(x):
    while True:
        pass
