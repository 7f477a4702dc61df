"""A number whose difference from the right one overflows, and one that is no number.

{verdict: failed, answer: summary, hint: wrong}
"""

import numpy as np


def summary(values):
    return 1 << 4000, np.float32("nan")
