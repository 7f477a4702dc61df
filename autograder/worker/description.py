"""Describes an exception, or a value that cannot be sent, in a few short texts and numbers.

The exception comes from a submission, so its methods may fail and its texts may have any length.
"""

import sys
import traceback
from collections.abc import Iterator
from itertools import islice
from typing import Any

from autograder.worker.protocol import MAX_DIMS, Header, is_small

CELL = "cell "  # a cell's code is compiled under the file name "cell 7"
_MAX_MESSAGE = 500
_MAX_PLACES = 20
_MAX_NAME = 100
_MANY = 100
_SIZED = {  # builtin types of values that may be too large to send, and the word for their elements
    (dict, list, tuple, set, frozenset): "items",
    (str,): "characters",
    (bytes,): "bytes",
}
_NAME, _BASES = type.__dict__["__name__"].__get__, type.__dict__["__mro__"].__get__


def describe(error: BaseException) -> Header:
    """Return an exception's type, bases and shortened message, and the cells and lines of its traceback."""
    return {
        "type": _name(type(error)),
        "bases": [_name(base) for base in _BASES(type(error))[:20]],
        "message": _message(error),
        "places": list(islice(_cell_lines(error), _MAX_PLACES)),
    }


def _cell_lines(error: BaseException) -> Iterator[list[int | None]]:
    """Yield the number of the cell and the line of each frame in a traceback, the innermost first."""
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(CELL):
        yield [int((error.filename or "").removeprefix(CELL)), error.lineno]
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        number = frame.f_code.co_filename.removeprefix(CELL)
        if number.isdecimal():
            yield [int(number), line]


def _message(error: BaseException) -> str:
    try:
        text = str(error.msg if isinstance(error, SyntaxError) else error)
        return str.__getitem__(text, slice(_MAX_MESSAGE))  # a subclass of str may override slicing
    except BaseException:
        return ""  # the exception's own __str__ failed


def _name(kind: type) -> str:
    """Return the real name of a type, even if its metaclass overrides `__name__`."""
    name: str = _NAME(kind)
    return str.__getitem__(name, slice(_MAX_NAME))


def kind(value: Any) -> str:
    """Return a description of a value's type for a student."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        if type(value) not in (torch.Tensor, torch.nn.Parameter):
            return f"{_name(type(value))}, a subclass of Tensor"
        size = "" if is_small(value.shape) else _describe_size(value)
        where = "" if value.device.type == "cpu" else f" on {value.device.type}"
        layout = "" if value.layout is torch.strided else f" {str(value.layout).removeprefix('torch.')}"
        return f"Tensor of {str(value.dtype).removeprefix('torch.')}{layout}{where}{size}"
    name, module = _name(type(value)), type(value).__module__
    for kinds, unit in _SIZED.items():
        if isinstance(value, kinds) and module == "builtins":
            return f"{name} with {len(value):,} {unit}" if len(value) > _MANY else name
    if name == "ndarray" and module == "numpy" and not is_small(value.shape):
        return f"numpy.ndarray with {value.size:,} elements"
    return name if module in ("builtins", "__main__") else f"{module[:_MAX_NAME]}.{name}"


def _describe_size(tensor: Any) -> str:
    if tensor.dim() > MAX_DIMS:
        return f" with {tensor.dim()} dimensions"
    return (
        f" with {tensor.numel():,} elements" if tensor.numel() else " without elements, but with a huge shape"
    )
