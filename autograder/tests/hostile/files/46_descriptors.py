"""Opens files until there are no descriptors left.

verdict: crashed
hint: Too many open files
"""


def row_sums(x):
    hoard = []
    while True:
        hoard.append(open("/dev/null"))
