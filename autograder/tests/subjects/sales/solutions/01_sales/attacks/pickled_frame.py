"""A table with a method by which pickle would run code.

{verdict: failed, answer: by_product}
"""

import os

import pandas as pd


class Right(pd.Series):
    def __reduce__(self):
        return os.system, ("touch /tmp/pickled",)

    def __eq__(self, other):
        return True


def by_product(sales):
    return Right([0.0], index=["tea"], name="revenue")
