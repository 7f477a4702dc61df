"""Try your function on 3: twice three is not three times three."""


def double(x):
    return x**2
