# %% [markdown]
# # Sales
#
# A table has a row for each sale, with the columns `day`, `product`, `amount` and `price`.

# %%
import matplotlib.pyplot as plt
import pandas as pd

# %% [markdown]
# ## Complete rows


# %% solution="complete"
def complete(sales: pd.DataFrame) -> pd.DataFrame:
    """Return the rows in which nothing is missing, with a column `revenue` behind the others.

    The revenue is amount times price. The table that was given stays as it was.
    """
    ### BEGIN SOLUTION
    whole = sales.dropna()
    return whole.assign(revenue=whole["amount"] * whole["price"])
    ### END SOLUTION


# %% check="complete" points=2
@check("complete")
def check_complete():
    """Two rows, of which one lacks its price."""
    sales = pd.DataFrame({"day": ["mo", "tu"], "product": ["tea", "jam"], "amount": [2, 3], "price": [1.5, None]})
    result = complete(sales)
    assert list(result.columns) == ["day", "product", "amount", "price", "revenue"], "five columns, revenue last"
    assert result["revenue"].tolist() == [3.0], "only the row of tea is complete: 2 times 1.5"
    assert "revenue" not in sales, "the table that was given stays as it was"


# %% [markdown]
# ## Revenue by product


# %% solution="by_product"
def by_product(sales: pd.DataFrame) -> pd.Series:
    """Return the revenue of each product, the largest first, from a table with the column `revenue`."""
    ### BEGIN SOLUTION
    return sales.groupby("product")["revenue"].sum().sort_values(ascending=False)
    ### END SOLUTION


# %% check="by_product" points=1
@check("by_product")
def check_by_product():
    """Two products."""
    result = by_product(pd.DataFrame({"product": ["tea", "jam", "tea"], "revenue": [1.0, 5.0, 2.0]}))
    assert result.to_dict() == {"jam": 5.0, "tea": 3.0}, "jam brings 5, tea 1 + 2"
    assert list(result.index) == ["jam", "tea"], "the largest comes first"


# %% [markdown]
# ## A figure


# %% solution="show"
def show(revenue: pd.Series) -> plt.Axes:
    """Draw a bar for each product, with a title and labels, and return the axes."""
    ### BEGIN SOLUTION
    _, axes = plt.subplots()
    axes.bar(list(revenue.index), revenue.to_numpy())
    axes.set(title="Revenue by product", xlabel="Product", ylabel="Revenue")
    return axes
    ### END SOLUTION


# %% check="show" points=1
@check("show")
def check_show():
    """Two bars."""
    axes = show(pd.Series([5.0, 3.0], index=["jam", "tea"]))
    assert [bar.get_height() for bar in axes.patches] == [5.0, 3.0], "a bar for each product"
    assert axes.get_title() and axes.get_xlabel() and axes.get_ylabel(), "a title and two labels"
    plt.close("all")
