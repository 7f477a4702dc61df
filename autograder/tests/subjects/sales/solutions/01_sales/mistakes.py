# %% mistake="complete" name="changes_the_table"
"""The table that was given has the new column, too. Which methods return a new table?"""


def complete(sales):
    sales["revenue"] = sales["amount"] * sales["price"]
    return sales.dropna()


# %% mistake="complete" name="keeps_gaps"
"""Rows with a gap are still there. Which method drops them?"""


def complete(sales):
    return sales.assign(revenue=sales["amount"] * sales["price"])


# %% mistake="by_product" name="mean"
"""Each product has the mean of its sales. What is asked for?"""


def by_product(sales):
    return sales.groupby("product")["revenue"].mean().sort_values(ascending=False)


# %% mistake="show" name="no_labels"
"""Nobody can tell what the axes show. Where do labels go?"""


import matplotlib.pyplot as plt


def show(revenue):
    _, axes = plt.subplots()
    axes.bar(list(revenue.index), revenue.to_numpy())
    axes.set_title("Revenue")
    return axes

