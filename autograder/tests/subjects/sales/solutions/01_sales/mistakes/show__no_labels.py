"""Nobody can tell what the axes show. Where do labels go?"""

import matplotlib.pyplot as plt


def show(revenue):
    _, axes = plt.subplots()
    axes.bar(list(revenue.index), revenue.to_numpy())
    axes.set_title("Revenue")
    return axes
