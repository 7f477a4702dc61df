"""Calls the shell while a hidden test waits.

verdict: blocked
hint: Other programs cannot be started here
"""


def row_sums(x):
    get_ipython().system("echo owned > {canary}")
    return x.sum(-1)
