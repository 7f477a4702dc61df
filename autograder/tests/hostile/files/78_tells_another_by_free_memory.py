"""Listens for what another submission tells by taking up memory.

verdict: [blocked, crashed]
hint: denied
"""


def row_sums(x):
    with open("/proc/meminfo") as file:
        return file.read()
