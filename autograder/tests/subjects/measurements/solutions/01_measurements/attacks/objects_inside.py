"""An array of objects: an array, a function, and a number without end.

{verdict: failed, answer: standard_scores, hint: must have dtype float64}
"""

import numpy as np


def standard_scores(values):
    made = np.empty(values.shape, dtype=object)
    made[0, 0], made[0, 1], made[1, 0] = np.zeros(3), standard_scores, 1 << 4000
    return made
