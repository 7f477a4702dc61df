"""The rows for torch and numpy in the table of values: tensors and dtypes, arrays and scalars.

Neither package is loaded here: in a course without it, none of its values can be sent, and none arrives.
"""

import math
import re
import sys
from collections.abc import Sequence
from typing import Any

from autograder.worker.coding import Decoder, Encoder, RefusedError, Row
from autograder.worker.protocol import ARRAY_DTYPES, DTYPES, MAX_ELEMENTS, Header, ProtocolError, is_small

MAX_TEXTS = 100_000  # of an array or a column
_MOMENTS = re.compile(r"(datetime64|timedelta64)(\[(Y|M|W|D|h|m|s|ms|us|ns)\])?")
_COMPLEX = {"complex64": "float32", "complex128": "float64"}  # and the type of their two halves
_TENSORS, _ARRAYS = frozenset(DTYPES.values()), frozenset(ARRAY_DTYPES.values())


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
    kind, name = plain.dtype.kind, plain.dtype.newbyteorder("=").name
    if kind in "OUT":
        texts = encode_texts(encoder, plain.ravel().tolist())
        return {"array": texts, "dtype": "object" if kind == "O" else "str", "shape": list(plain.shape)}
    code: Header = {}
    if name in _COMPLEX or _MOMENTS.fullmatch(name):
        code["dtype"] = name
    elif name not in _ARRAYS:
        raise RefusedError
    packed = numpy.ascontiguousarray(plain, plain.dtype.newbyteorder("=")).reshape(plain.shape)
    stored = packed if not code else packed.reshape(-1).view(_COMPLEX.get(name, "int64"))
    if code:
        code["shape"] = list(plain.shape)
    return {"array": encoder.add(stored, stored.nbytes, lambda part: part.copy()), **code}


def _array(decoder: Decoder, content: Any, code: Header) -> Any:
    name, shape = code.get("dtype"), code.get("shape")
    if name is None:
        return decoder.part(content, "numpy.ndarray")
    whole = isinstance(shape, list) and all(type(size) is int and size >= 0 for size in shape)
    if not whole or not is_small(shape or []):
        raise ProtocolError("an array has no shape, or too large a one")
    if name in ("str", "object"):
        texts = decode_texts(decoder, content)
        if name == "str" and len(texts) * max(map(len, texts), default=0) > MAX_ELEMENTS:
            raise ProtocolError("an array of texts is too large")
        made = as_objects(texts)
        return (made.astype(str) if name == "str" else made).reshape(shape)
    if name not in _COMPLEX and not _MOMENTS.fullmatch(name):
        raise ProtocolError("an array's dtype is unknown")
    stored = decoder.part(content, "numpy.ndarray")
    if stored.dtype != _COMPLEX.get(name, "int64") or stored.ndim != 1:
        raise ProtocolError("an array is stored in another form than its dtype's")
    return stored.view(name).reshape(shape)


def encode_texts(encoder: Encoder, values: Sequence[Any]) -> Header:
    """Return the form of texts, among which None and NaN may stand; of other values, that of a list."""
    if not all(value is None or isinstance(value, str) or _is_nan(value) for value in values):
        return {"list": encoder.items(values, 3 * len(values))}
    if len(values) > MAX_TEXTS:
        raise RefusedError
    texts = [value.encode("utf-8", "surrogatepass") if isinstance(value, str) else b"" for value in values]
    sizes = [
        len(t) if isinstance(v, str) else -1 if v is None else -2 for v, t in zip(values, texts, strict=True)
    ]
    lengths = sys.modules["numpy"].array(sizes, dtype="int64")
    joined = b"".join(texts)
    return {"texts": encoder.add(joined, len(joined)), "lengths": encoder.add(lengths, lengths.nbytes)}


def _is_nan(value: object) -> bool:
    return type(value) is float and value != value


def decode_texts(decoder: Decoder, code: Any) -> list[Any]:
    """Return what `encode_texts` has written."""
    if not isinstance(code, dict) or "texts" not in code:
        return decoder.items(code["list"])
    joined, lengths = decoder.part(code["texts"], "bytes"), decoder.part(code["lengths"], "numpy.ndarray")
    sizes = lengths.tolist() if lengths.ndim == 1 else [-3]
    if len(sizes) > MAX_TEXTS or not all(type(size) is int and size >= -2 for size in sizes):
        raise ProtocolError("texts have no lengths, or there are too many")
    found: list[Any] = []
    begin = 0
    for size in sizes:
        end = begin + max(size, 0)
        text = joined[begin:end].decode("utf-8", "surrogatepass")
        found.append(text if size >= 0 else None if size == -1 else math.nan)
        begin = end
    if begin != len(joined):
        raise ProtocolError("texts are of another length than they say")
    return found


def as_objects(values: Sequence[Any]) -> Any:
    """Return an array of objects; numpy would take lists among them for rows."""
    made = sys.modules["numpy"].empty(len(values), dtype=object)
    for place, value in enumerate(values):
        made[place] = value
    return made


def _encode_scalar(encoder: Encoder, value: Any) -> Header:
    name = value.dtype.name
    if _MOMENTS.fullmatch(name):
        return {"scalar": int(value.view("int64")), "dtype": name}
    if name not in _ARRAYS and name not in _COMPLEX:
        raise RefusedError
    return {"scalar": encoder.encode(value.item()), "dtype": name}


def _scalar(decoder: Decoder, content: Any, code: Header) -> Any:
    numpy, name, value = sys.modules["numpy"], code["dtype"], decoder.value(content)
    if _MOMENTS.fullmatch(name) and type(value) is int:
        return numpy.int64(value).view(name)
    if (name not in _ARRAYS and name not in _COMPLEX) or not isinstance(value, bool | int | float | complex):
        raise ProtocolError("a number's dtype is unknown")
    return numpy.array(value, dtype=name)[()]


ROWS = {
    "tensor": Row(("torch.Tensor",), _encode_tensor, _tensor),
    "dtype": Row(("torch.dtype",), _encode_dtype, _dtype),
    "array": Row(("numpy.ndarray",), _encode_array, _array),
    "scalar": Row(("numpy.generic",), _encode_scalar, _scalar, is_key=True),
}
