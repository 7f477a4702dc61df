# %% [markdown]
# # Measurements
#
# An array holds one measurement in each row, and one quantity in each column.

# %%
import numpy as np

# %% [markdown]
# ## Standard scores


# %% solution="standard_scores"
def standard_scores(values: np.ndarray) -> np.ndarray:
    """Return how many standard deviations each value is above its column's mean.

    values: (rows, columns). Returns: the same shape; the standard deviation is that of the sample.
    """
    ### BEGIN SOLUTION
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    ### END SOLUTION


# %% check="standard_scores" points=2
@check("standard_scores")
def check_standard_scores():
    """Three rows, of which one is the mean of both columns."""
    values = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    expect_close(standard_scores(values), np.array([[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]))


# %% [markdown]
# ## A summary


# %% solution="summary"
def summary(values: np.ndarray) -> tuple[float, float]:
    """Return the mean and the median of all values."""
    ### BEGIN SOLUTION
    return np.mean(values), np.median(values)
    ### END SOLUTION


# %% check="summary" points=1
@check("summary")
def check_summary():
    """Three numbers."""
    expect_close(summary(np.array([1.0, 2.0, 6.0])), (3.0, 2.0))


# %% [markdown]
# ## Outliers


# %% solution="is_outlier"
def is_outlier(values: np.ndarray, limit: float) -> np.ndarray:
    """Return for each value whether it is further than `limit` from the median of all."""
    ### BEGIN SOLUTION
    return np.abs(values - np.median(values)) > limit
    ### END SOLUTION


# %% check="is_outlier" points=1
@check("is_outlier")
def check_is_outlier():
    """The first number is far away."""
    expect_close(is_outlier(np.array([-9.0, 1.0, 2.0]), 2.0), np.array([True, False, False]))
