"""The rows for torch and numpy in the table of values: tensors and dtypes, arrays and scalars.

Neither package is loaded here: in a course without it, none of its values can be sent, and none arrives.
"""

import math
import re
import sys
from collections.abc import Sequence
from typing import Any

from autograder.worker.coding import Decoder, Encoder, RefusedError, Row
from autograder.worker.protocol import (
    ARRAY_DTYPES,
    DTYPES,
    MAX_ELEMENTS,
    Header,
    ProtocolError,
    is_small,
    read_json,
    write_json,
)

MAX_TEXTS = 100_000  # of an array or a column
_TENSORS, _NUMBERS = frozenset(DTYPES.values()), frozenset(ARRAY_DTYPES.values())
_COMPLEX = {"complex64": "float32", "complex128": "float64"}  # and the type of their two halves
_MOMENTS = re.compile(r"(datetime64|timedelta64)(\[(Y|M|W|D|h|m|s|ms|us|ns)\])?")


def is_plain(tensor: Any) -> bool:
    """Whether a tensor can be sent: it is no subclass, and is dense, on the CPU and of a common dtype."""
    torch = sys.modules["torch"]
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.layout is torch.strided
        and tensor.device.type == "cpu"
        and not tensor.is_quantized
        and str(tensor.dtype).removeprefix("torch.") in _TENSORS
        and is_small(tensor.shape)
    )


def _encode_tensor(encoder: Encoder, tensor: Any) -> Header:
    """Return the form of a tensor; one in another order in memory is laid out and marked."""
    if not is_plain(tensor):
        raise RefusedError
    dims = list(range(tensor.dim()))
    order = dims if tensor.is_contiguous() else sorted(dims, key=lambda dim: -tensor.stride()[dim])
    if (place := encoder.place(tensor)) is None:
        laid_out = tensor.detach() if order is dims else tensor.detach().permute(order)
        contiguous = sys.modules["torch"].contiguous_format
        size = tensor.numel() * tensor.element_size()
        place = encoder.add(laid_out, size, lambda part: part.clone(memory_format=contiguous), of=tensor)
    code: Header = {"tensor": place}
    if tensor.requires_grad:
        code["grad"] = True
    if order != dims:
        code["order"] = order
        encoder.take(len(order))
    return code


def _tensor(decoder: Decoder, place: int, code: Header) -> Any:
    """Return the tensor in this place, the same object each time."""
    if place not in decoder.tensors:
        tensor = decoder.parts[place]
        if type(tensor) is not sys.modules["torch"].Tensor:
            raise ProtocolError("a part is no tensor")
        dims = list(range(tensor.dim()))
        if (order := code.get("order", dims)) is not dims:
            if sorted(order) != dims:
                raise ProtocolError("a tensor's order is no order of its dimensions")
            dims = [order.index(dim) for dim in dims]
        tensor = tensor.permute(dims)
        decoder.tensors[place] = tensor.requires_grad_() if code.get("grad") is True else tensor
    return decoder.tensors[place]


def _encode_dtype(_: Encoder, value: Any) -> Header:
    if (name := str(value).removeprefix("torch.")) not in _TENSORS:
        raise RefusedError
    return {"dtype": name}


def _dtype(_: Decoder, name: Any, __: Header) -> Any:
    if name not in _TENSORS:
        raise ProtocolError("a dtype is unknown")
    return getattr(sys.modules["torch"], name)


def _encode_array(encoder: Encoder, value: Any) -> Header:
    """Return the form of an array; what is no number of a common type is written in another way."""
    numpy = sys.modules["numpy"]
    if not is_small(value.shape) or numpy.ma.isMaskedArray(value):
        raise RefusedError
    plain = value.view(numpy.ndarray)
    shape, native = list(plain.shape), plain.dtype.newbyteorder("=")
    if native.kind in "OUT":
        texts = encode_texts(encoder, plain.ravel().tolist())
        return {"array": texts, "dtype": "object" if native.kind == "O" else "str", "shape": shape}
    if not _is_known(native.name):
        raise RefusedError
    packed = numpy.ascontiguousarray(plain, native).reshape(plain.shape)
    if native.name in _NUMBERS:
        return {"array": encoder.add(packed, packed.nbytes, lambda part: part.copy())}
    stored = packed.reshape(-1).view(_COMPLEX.get(native.name, "int64"))
    place = encoder.add(stored, stored.nbytes, lambda part: part.copy())
    return {"array": place, "dtype": native.name, "shape": shape}


def _array(decoder: Decoder, content: Any, code: Header) -> Any:
    if (name := code.get("dtype")) is None:
        return decoder.part(content, "numpy.ndarray")
    shape = code["shape"]
    if not all(type(size) is int and size >= 0 for size in shape) or not is_small(shape):
        raise ProtocolError("an array has no shape, or too large a one")
    if name in ("str", "object"):
        texts = decode_texts(decoder, content)
        if name == "str" and len(texts) * max(map(len, texts), default=0) > MAX_ELEMENTS:
            raise ProtocolError("an array of texts is too large")
        made = as_objects(texts)
        return (made.astype(str) if name == "str" else made).reshape(shape)
    stored = decoder.part(content, "numpy.ndarray")
    is_stored_so = name not in _NUMBERS and _is_known(name) and stored.dtype == _COMPLEX.get(name, "int64")
    if not is_stored_so or stored.ndim != 1:
        raise ProtocolError("an array is stored in another form than its dtype's")
    return stored.view(name).reshape(shape)


def _is_known(name: str) -> bool:
    """Whether a dtype is one of those that are sent."""
    return name in _NUMBERS or name in _COMPLEX or _MOMENTS.fullmatch(name) is not None


def encode_texts(encoder: Encoder, values: Sequence[Any]) -> Header:
    """Return the form of texts, among which None and NaN may stand; of other values, that of a list."""
    if not all(value is None or isinstance(value, str) or _is_nan(value) for value in values):
        return {"list": encoder.items(values, 3 * len(values))}
    written = write_json([0 if _is_nan(value) else value for value in values])
    if len(values) > MAX_TEXTS or len(written) > MAX_ELEMENTS:
        raise RefusedError
    return {"texts": encoder.add(written, len(written))}


def _is_nan(value: object) -> bool:
    return type(value) is float and value != value


def decode_texts(decoder: Decoder, code: Header) -> list[Any]:
    """Return what `encode_texts` has written."""
    if "texts" not in code:
        return decoder.items(code["list"])
    texts = read_json(decoder.part(code["texts"], "bytes"), MAX_TEXTS)
    if not isinstance(texts, list) or not all(
        one is None or one == 0 or isinstance(one, str) for one in texts
    ):
        raise ProtocolError("texts are something else")
    return [math.nan if one == 0 else one for one in texts]


def as_objects(values: Sequence[Any]) -> Any:
    """Return an array of objects; numpy would take lists among them for rows."""
    made = sys.modules["numpy"].empty(len(values), dtype=object)
    for place, value in enumerate(values):
        made[place] = value
    return made


def _encode_scalar(_: Encoder, value: Any) -> Header:
    if not _is_known(name := value.dtype.name):
        raise RefusedError
    return {"scalar": value.tobytes().hex(), "dtype": name}


def _scalar(_: Decoder, digits: str, code: Header) -> Any:
    if not _is_known(code["dtype"]):
        raise ProtocolError("a number's dtype is unknown")
    (number,) = sys.modules["numpy"].frombuffer(bytes.fromhex(digits), dtype=code["dtype"])
    return number


ROWS = {
    "tensor": Row(("torch.Tensor",), _encode_tensor, _tensor),
    "dtype": Row(("torch.dtype",), _encode_dtype, _dtype),
    "array": Row(("numpy.ndarray",), _encode_array, _array),
    "scalar": Row(("numpy.generic",), _encode_scalar, _scalar, is_key=True),
}
