"""Says where the code of a called object begins: in which cells, and in which lines of them."""

import functools
import types
from collections.abc import Iterator
from itertools import islice

from autograder.worker.description import CELL

Place = list[int]  # a cell's number and a line, as they are sent
MAX_PLACES = 20
_MAX_WRAPPERS = 10  # decorators and partial objects around a function


def origins(called: object) -> list[Place]:
    """Return where the functions begin that calling an object runs first; none where no cell holds them.

    These are the function itself, or the methods of the class or object that is called.
    """
    owner = called if isinstance(called, type) else type(called)
    own = _code(called)
    codes = (
        [own] if own else [code for kind in owner.__mro__ for v in vars(kind).values() if (code := _code(v))]
    )
    return list(islice((place for code in codes for place in _place(code)), MAX_PLACES))


def _code(value: object) -> types.CodeType | None:
    """Return the code of a function, also of one behind decorators, methods and partial objects."""
    for _ in range(_MAX_WRAPPERS):
        match value:
            case types.FunctionType():
                if "__wrapped__" not in value.__dict__:
                    return value.__code__
                value = value.__dict__["__wrapped__"]
            case types.MethodType(__func__=inner) | functools.partial(func=inner):
                value = inner
            case staticmethod(__func__=inner) | classmethod(__func__=inner) | property(fget=inner):
                value = inner
            case functools._lru_cache_wrapper(__wrapped__=inner):
                value = inner
            case _:
                return None
    return None


def _place(code: types.CodeType) -> Iterator[Place]:
    number = code.co_filename.removeprefix(CELL)
    if number.isdecimal():
        yield [int(number), code.co_firstlineno]
