"""Raises an error whose type's name is a property that fails.

verdict: crashed
hint: Hostile
"""


class Meta(type):
    @property
    def __name__(cls):
        raise RuntimeError

    @property
    def __mro__(cls):
        raise RuntimeError


class Hostile(Exception, metaclass=Meta):
    pass


def row_sums(x):
    raise Hostile
