"""Rows with a gap are still there. Which method drops them?"""


def complete(sales):
    return sales.assign(revenue=sales["amount"] * sales["price"])
