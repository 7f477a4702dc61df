"""A table whose cells are functions, tables and numbers without end.

{verdict: failed, answer: complete}
"""

import pandas as pd


def complete(sales):
    made = sales.dropna().assign(revenue=0.0).astype(object)
    made["revenue"] = [pd.DataFrame({"x": [1]}), complete, 1 << 4000, float("nan")][: len(made)] + [0] * (len(made) - 4)
    return made
