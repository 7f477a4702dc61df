"""The median comes first. Which of the two does the task name first?"""

import numpy as np


def summary(values):
    return np.median(values), np.mean(values)
