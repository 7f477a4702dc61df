# %% accepted="in_other_ways"
"""Filters by a mask, lets pandas draw the bars, and adds the labels afterwards."""

import matplotlib.pyplot as plt


def complete(sales):
    whole = sales[sales.notna().all(axis=1)].copy()
    whole["revenue"] = whole.eval("amount * price")
    return whole


def by_product(sales):
    table = sales.pivot_table(index="product", values="revenue", aggfunc="sum", observed=True)
    return table["revenue"].sort_values(ascending=False)


def show(revenue):
    figure = plt.figure()
    axes = figure.add_subplot()
    revenue.plot.bar(ax=axes, title="What each product brings")
    axes.set_xlabel("what")
    axes.set_ylabel("how much")
    return axes
