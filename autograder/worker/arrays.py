"""How values of torch and numpy are sent: tensors, dtypes, arrays and scalars.

This module imports neither torch nor numpy. A worker that has not loaded a package cannot send or receive its
values.
"""

import math
import re
import sys
from collections.abc import Sequence
from typing import Any

from autograder.worker.coding import Decoder, Encoder, RefusedError, Row
from autograder.worker.core import core, undisturbed
from autograder.worker.protocol import (
    DTYPES,
    MAX_ELEMENTS,
    Header,
    ProtocolError,
    is_small,
    read_json,
    write_json,
)

MAX_OBJECTS = 100_000  # largest number of Python objects in an array, or in a column of a table
_TENSORS = frozenset(DTYPES.values())
_SENT_DTYPES = re.compile(  # dtypes of arrays that are sent as bytes; U3 is for texts of at most 3 characters
    r"bool|u?int(8|16|32|64)|float(16|32|64)|complex(64|128)|U[1-9]\d{0,4}"
    r"|(datetime64|timedelta64)(\[(Y|M|W|D|h|m|s|ms|us|ns)\])?"
)


def is_plain(tensor: Any) -> bool:
    """Whether a tensor can be sent: a plain Tensor or Parameter, dense, on the CPU, of a common dtype."""
    base = core().tensor
    return (
        type(tensor) in core().plain
        and base.layout.__get__(tensor) is core().strided
        and base.device.__get__(tensor).type == "cpu"
        and not base.is_quantized.__get__(tensor)
        and str(base.dtype.__get__(tensor)).removeprefix("torch.") in _TENSORS
        and is_small(base.shape.__get__(tensor))
    )


def _encode_tensor(encoder: Encoder, tensor: Any) -> Header:
    """Return the JSON of a tensor. If the tensor is not contiguous, add the order of dimensions in memory.

    The tensor is read only by functions from `core`, because a submission may have replaced Python methods.
    """
    with undisturbed():
        return _encode_plain(encoder, tensor)


def _encode_plain(encoder: Encoder, tensor: Any) -> Header:
    if not is_plain(tensor):
        raise RefusedError
    base = core().tensor
    dims = list(range(base.dim(tensor)))
    strides = base.stride(tensor)
    order = dims if base.is_contiguous(tensor) else sorted(dims, key=lambda dim: -strides[dim])
    if (index := encoder.part_index(tensor)) is None:
        detached = base.detach(tensor)
        laid_out = detached if order is dims else base.permute(detached, order)
        size = base.numel(tensor) * base.element_size(tensor)
        contiguous = core().contiguous
        index = encoder.add(
            laid_out, size, lambda part: base.clone(part, memory_format=contiguous), of=tensor
        )
    code: Header = {"tensor": index}
    if base.requires_grad.__get__(tensor):
        code["grad"] = True
    if order != dims:
        code["order"] = order
        encoder.take(len(order))
    return code


def _tensor(decoder: Decoder, index: int, code: Header) -> Any:
    """Return the tensor in part number `index`. Each call with this number returns the same object."""
    if index not in decoder.tensors:
        tensor = decoder.parts[index]
        if type(tensor) is not sys.modules["torch"].Tensor:
            raise ProtocolError("a part should be a tensor")
        dims = list(range(tensor.dim()))
        if (order := code.get("order", dims)) is not dims:
            if sorted(order) != dims:
                raise ProtocolError("the order of a tensor's dimensions is malformed")
            dims = [order.index(dim) for dim in dims]
        tensor = tensor.permute(dims)
        decoder.tensors[index] = tensor.requires_grad_() if code.get("grad") is True else tensor
    return decoder.tensors[index]


def _encode_dtype(_: Encoder, value: Any) -> Header:
    if (name := str(value).removeprefix("torch.")) not in _TENSORS:
        raise RefusedError
    return {"dtype": name}


def _dtype(_: Decoder, name: Any, __: Header) -> Any:
    if name not in _TENSORS:
        raise ProtocolError("a dtype is unknown")
    return getattr(sys.modules["torch"], name)


def _encode_array(encoder: Encoder, value: Any) -> Header:
    """Return the JSON of an array. Its elements are sent as a part, or as objects by `encode_objects`."""
    numpy = sys.modules["numpy"]
    if not is_small(value.shape) or numpy.ma.isMaskedArray(value):
        raise RefusedError
    plain = value.view(numpy.ndarray)
    encoder.take(2 + plain.ndim)
    if plain.dtype.kind in "OT":
        return {"array": encode_objects(encoder, plain.ravel().tolist()), "shape": list(plain.shape)}
    native, name = plain.dtype.newbyteorder("="), _dtype_name(plain.dtype)
    index = encoder.add(plain, plain.nbytes, lambda part: part.astype(native).tobytes())
    return {"array": index, "dtype": name, "shape": list(plain.shape)}


def _array(decoder: Decoder, content: Any, code: Header) -> Any:
    shape = code["shape"]
    if not all(type(size) is int and size >= 0 for size in shape) or not is_small(shape):
        raise ProtocolError("an array has no shape, or its shape is too large")
    if "dtype" in code:
        return _elements(decoder.content(content), code["dtype"]).reshape(shape)
    return as_objects(decode_objects(decoder, content)).reshape(shape)


def _scalar(_: Decoder, digits: str, code: Header) -> Any:
    (number,) = _elements(bytes.fromhex(digits), code["dtype"])
    return number


def _dtype_name(dtype: Any) -> str:
    """Return the name of a dtype that is sent as bytes; raise RefusedError for other dtypes."""
    name = f"U{dtype.itemsize // 4}" if dtype.kind == "U" else str(dtype.name)
    if not _SENT_DTYPES.fullmatch(name):
        raise RefusedError
    return name


def _elements(content: bytes, name: str) -> Any:
    """Return the elements of dtype `name` in `content`, as an array of one dimension."""
    if not _SENT_DTYPES.fullmatch(name):
        raise ProtocolError("a dtype is unknown")
    elements = sys.modules["numpy"].frombuffer(content, dtype=name).copy()
    if elements.dtype.kind == "U" and elements.view("uint32").max(initial=0) > sys.maxunicode:
        raise ProtocolError("an array of texts contains invalid characters")
    return elements


def encode_objects(encoder: Encoder, values: Sequence[Any]) -> Header:
    """Return the JSON of objects. If all objects are texts, None or NaN, they are sent as one part."""
    if not all(value is None or isinstance(value, str) or _is_nan(value) for value in values):
        return {"list": encoder.items(values, 3 * len(values))}
    written = write_json([0 if _is_nan(value) else value for value in values])
    if len(values) > MAX_OBJECTS or len(written) > MAX_ELEMENTS:
        raise RefusedError
    return {"texts": encoder.add(written, len(written))}


def _is_nan(value: object) -> bool:
    return type(value) is float and value != value


def decode_objects(decoder: Decoder, code: Header) -> list[Any]:
    """Reverse `encode_objects`. In a part of texts, 0 stands for NaN."""
    if "texts" not in code:
        return decoder.items(code["list"])
    texts = read_json(decoder.content(code["texts"]), MAX_OBJECTS)
    if not isinstance(texts, list) or not all(
        text is None or text == 0 or isinstance(text, str) for text in texts
    ):
        raise ProtocolError("a list of texts contains other values")
    return [math.nan if text == 0 else text for text in texts]


def as_objects(values: Sequence[Any]) -> Any:
    """Return a one-dimensional array of objects. `numpy.array` would turn lists among `values` into rows."""
    objects = sys.modules["numpy"].empty(len(values), dtype=object)
    for index, value in enumerate(values):
        objects[index] = value
    return objects


ROWS = {
    "tensor": Row(("torch.Tensor",), _encode_tensor, _tensor),
    "dtype": Row(("torch.dtype",), _encode_dtype, _dtype),
    "array": Row(("numpy.ndarray",), _encode_array, _array),
    "scalar": Row(
        ("numpy.generic",),
        lambda _, value: {"scalar": value.tobytes().hex(), "dtype": _dtype_name(value.dtype)},
        _scalar,
        is_key=True,
    ),
}
