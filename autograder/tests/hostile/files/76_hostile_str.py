"""Raises an error whose own text cannot be had: it fails, or is no text.

verdict: crashed
hint: Hostile
"""


class Meta(type):
    def __instancecheck__(cls, other):
        raise SystemExit


class Text(str):
    def __getitem__(self, key):
        return self

    def __str__(self):
        raise MemoryError


class Hostile(Exception, metaclass=Meta):
    def __str__(self):
        return Text("x" * 10_000_000)

    def __repr__(self):
        raise KeyboardInterrupt


def row_sums(x):
    raise Hostile
