# %% mistake="double" name="in_place"
"""What does the caller's own tensor hold after the call?"""


def double(x):
    return x.mul_(2)


# %% mistake="double" name="squares"
"""Try your function on 3: twice three is not three times three."""


def double(x):
    return x**2


# %% mistake="row_sums" name="columns"
"""The dimension that you name is the one that disappears. Which one is left over in your result?"""


def row_sums(x):
    return x.sum(dim=0)

