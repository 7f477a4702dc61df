"""The table that was given has the new column, too. Which methods return a new table?"""


def complete(sales):
    sales["revenue"] = sales["amount"] * sales["price"]
    return sales.dropna()
