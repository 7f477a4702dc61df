"""Each product has the mean of its sales. What is asked for?"""


def by_product(sales):
    return sales.groupby("product")["revenue"].mean().sort_values(ascending=False)
