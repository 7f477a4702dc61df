"""The hidden tests of 01_sales."""

import random

import pandas as pd

from autograder.testing import draw, expect, expect_figure, expect_frame, expect_unchanged, question

PRODUCTS = ["tea", "jam", "oat", "rye"]


def sold(rows):
    return pd.DataFrame(
        {
            "day": pd.date_range("2026-01-01", periods=rows),
            "product": random.choices(PRODUCTS, k=rows),
            "amount": [draw(1, 9) for _ in range(rows)],
            "price": [draw(10, 90) / 8 for _ in range(rows)],
        }
    )


@question("complete", basic=True)
def test_drops_rows_with_gaps_and_adds_the_revenue(student, reference):
    """Rows with a gap go, and each other row has its revenue."""
    sales = sold(draw(7, 9))
    sales.loc[draw(0, 2), "price"] = None
    sales.loc[draw(3, 6), "product"] = None
    expect_frame(student.complete(sales), reference.complete(sales))


@question("complete")
def test_leaves_the_table_alone(student, reference):
    """The table that was given stays as it was."""
    sales = sold(4)
    seen = student.complete.inspect(sales)
    expect_frame(seen.output, reference.complete(sales))
    expect_unchanged(seen, sales)


@question("by_product", basic=True)
def test_sums_by_product(student, reference):
    """Each product has the sum of its revenue."""
    sales = sold(12).assign(revenue=lambda table: table["amount"] * table["price"])
    expect_frame(student.by_product(sales), reference.by_product(sales), in_order=False)


@question("by_product")
def test_puts_the_largest_first(student, reference):
    """The product with the largest revenue comes first."""
    sales = sold(12).assign(revenue=lambda table: table["amount"] * table["price"])
    expect_frame(student.by_product(sales), reference.by_product(sales))


@question("show")
def test_draws_a_bar_for_each_product(student, reference):
    """There is a bar for each product, as high as its revenue, with a title and labels."""
    revenue = pd.Series([float(draw(1, 99)) for _ in range(4)], index=PRODUCTS)
    expect_figure(student.show(revenue), reference.show(revenue))
    expect(student.show(revenue) is not None, "The axes are the result.")
