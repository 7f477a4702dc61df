"""Computes the deviation by hand, sorts for the median, and returns Python's floats."""

import numpy as np


def standard_scores(values):
    centred = values - np.sum(values, 0) / len(values)
    return centred / np.sqrt(np.sum(centred**2, 0) / (len(values) - 1))


def summary(values):
    return float(values.sum() / values.size), float(np.quantile(values, 0.5))


def is_outlier(values, limit):
    middle = np.median(values)
    return np.logical_or(values > middle + limit, values < middle - limit)
