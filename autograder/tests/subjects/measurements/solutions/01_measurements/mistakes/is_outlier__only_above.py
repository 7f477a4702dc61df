"""What is far below the median counts, too. Which function forgets the sign?"""

import numpy as np


def is_outlier(values, limit):
    return values - np.median(values) > limit
