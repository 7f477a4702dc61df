"""Shows 100,000 things.

verdict: failed
hint: must be a tensor, but it is None
"""
from IPython.display import display

for number in range(100_000):
    display({"text/plain": str(number)}, raw=True)


def row_sums(x):
    return None
