"""The hidden tests of 01_measurements."""

import numpy as np

from autograder.testing import draw, expect_array, expect_equal, expect_unchanged, question


def measured(rows, columns):
    return np.random.normal(5, 2, size=(rows, columns))


@question("standard_scores", basic=True)
def test_scores_each_column_by_its_own_mean_and_deviation(student, reference):
    """Each column is centred and scaled on its own."""
    values = measured(draw(5, 8), 3)
    expect_array(student.standard_scores(values), reference.standard_scores(values))


@question("standard_scores")
def test_leaves_its_input_alone(student, reference):
    """The measurements stay as they were."""
    values = measured(4, 2)
    seen = student.standard_scores.inspect(values)
    expect_array(seen.output, reference.standard_scores(values))
    expect_unchanged(seen, values)


@question("summary")
def test_gives_mean_and_median(student):
    """The mean and the median come in this order, as numbers."""
    values = measured(draw(4, 7), 2)
    expect_equal(student.summary(values), (float(values.mean()), float(np.median(values))))


@question("is_outlier")
def test_is_true_for_what_is_far_from_the_median(student):
    """The result is true where a value is far from the median, above or below."""
    values = measured(draw(9, 12), 1)[:, 0]
    limit = float(np.random.uniform(1, 2))
    expect_array(student.is_outlier(values, limit), abs(values - np.median(values)) > limit, dtype=bool)


@question("is_outlier")
def test_works_for_whole_numbers(student):
    """Whole numbers are measurements, too."""
    values = np.random.permutation(np.array([1, 2, 3, 4, 40, -40]))
    expect_array(student.is_outlier(values, 20.0), abs(values) > 20, dtype=bool)
