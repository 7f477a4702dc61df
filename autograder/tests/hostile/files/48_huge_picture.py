"""Shows a picture of 50 MB.

verdict: failed
hint: must be a tensor, but it is None
"""
from IPython.display import display

display({"image/png": "A" * (50 << 20), "text/html": "<b>" * (10 << 20)}, raw=True)


def row_sums(x):
    return None
