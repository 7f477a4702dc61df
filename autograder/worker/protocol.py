"""The messages between grader and worker: frames of a JSON header and tensors in safetensors form.

Nothing is ever pickled, because unpickling runs code, and a submission can write whatever it likes.
"""

import json
import math
import struct
from collections.abc import Callable
from typing import Any

import safetensors
import safetensors.torch
import torch

MAX_HEADER = 8 << 20
MAX_PAYLOAD = 64 << 20
_LENGTHS = struct.Struct("!II")
_INTEGER = 1 << 63
_KINDS = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64"
_DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in _KINDS.split()}
Header = dict[str, Any]
Tensors = list[torch.Tensor]


class ProtocolError(Exception):
    """A frame or a value breaks the protocol."""


def pack(header: Header, tensors: Tensors) -> bytes:
    """Return the frame of `header` and `tensors`."""
    text = json.dumps(header, allow_nan=False).encode()
    payload = safetensors.serialize({str(i): _spec(t) for i, t in enumerate(tensors)}) if tensors else b""
    if len(text) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
        raise ProtocolError("the message is larger than a frame may be")
    return _LENGTHS.pack(len(text), len(payload)) + text + payload


def read_frame(receive: Callable[[int], bytes]) -> tuple[Header, Tensors]:
    """Read one frame through `receive(count)`, which returns exactly `count` bytes."""
    header_length, payload_length = _LENGTHS.unpack(receive(_LENGTHS.size))
    if header_length > MAX_HEADER or payload_length > MAX_PAYLOAD:
        raise ProtocolError("a frame claims to be larger than a frame may be")
    return unpack(receive(header_length), receive(payload_length))


def unpack(text: bytes, payload: bytes) -> tuple[Header, Tensors]:
    """Return the header and tensors of a frame's two parts."""
    try:
        header = json.loads(text, parse_constant=int)  # int refuses NaN and the infinities
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a header is not JSON: {type(error).__name__}") from None
    if not isinstance(header, dict):
        raise ProtocolError("a header is not an object")
    return header, _load(payload) if payload else []


class Encoder:
    """Turns the values of one message into JSON, and gathers their tensors."""

    def __init__(self, refer: Callable[[object], Header]) -> None:
        self.tensors: Tensors = []
        self._refer = refer  # returns a reference for a value that cannot be sent itself
        self._sent: list[torch.Tensor] = []
        self._room = MAX_PAYLOAD

    def encode(self, value: object) -> Any:
        """Return the form of `value`; a tensor that occurs twice is sent once and stays one object."""
        if value is None or isinstance(value, bool | str) or (type(value) is int and abs(value) < _INTEGER):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, torch.Tensor):
            return self._tensor(value) if _plain(value) else self._refer(value)
        if isinstance(value, torch.dtype) and _name(value) in _DTYPES:
            return {"dtype": _name(value)}
        if isinstance(value, dict):
            return {"dict": [[self.encode(key), self.encode(item)] for key, item in value.items()]}
        if isinstance(value, list):
            return {"list": [self.encode(item) for item in value]}
        if isinstance(value, tuple):
            return {"tuple": [self.encode(item) for item in value]}
        return self._refer(value)

    def _tensor(self, tensor: torch.Tensor) -> Header:
        order = _order(tensor)
        index = next((i for i, sent in enumerate(self._sent) if sent is tensor), len(self._sent))
        if index == len(self._sent):
            self._room -= tensor.numel() * tensor.element_size()
            if self._room < 0:  # before the tensor is copied, which may take more memory than there is
                raise ValueError(f"the tensors take more than {MAX_PAYLOAD >> 20} MB")
            self._sent.append(tensor)
            laid_out = tensor.detach().permute(order)
            self.tensors.append(laid_out.clone(memory_format=torch.contiguous_format))
        code: Header = {"tensor": index}
        if tensor.requires_grad:
            code["grad"] = True
        if order != list(range(tensor.dim())):
            code["order"] = order
        return code


class Decoder:
    """Turns the JSON of one message back into values; anything malformed is a ProtocolError."""

    def __init__(self, tensors: Tensors, resolve: Callable[[Header], Any]) -> None:
        self._tensors = tensors
        self._resolve = resolve  # turns a reference into its object
        self._seen: dict[int, torch.Tensor] = {}

    def decode(self, code: Any) -> Any:
        """Return the value that `code` stands for."""
        try:
            return self._value(code)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise ProtocolError(f"a value is malformed: {type(error).__name__}") from None

    def _value(self, code: Any) -> Any:
        match code:
            case None | bool() | int() | float() | str():
                return code
            case {"tensor": index}:
                return self._tensor(index, code)
            case {"float": "nan" | "inf" | "-inf" as number}:
                return float(number)
            case {"dtype": name}:
                return _DTYPES[name]
            case {"list": items}:
                return [self._value(item) for item in items]
            case {"tuple": items}:
                return tuple(self._value(item) for item in items)
            case {"dict": pairs}:
                return {self._value(key): self._value(item) for key, item in pairs}
            case dict():
                return self._resolve(code)
        raise ProtocolError("a value has no known form")

    def _tensor(self, index: int, code: Header) -> torch.Tensor:
        if index not in self._seen:
            tensor = self._tensors[index]
            order = code.get("order", list(range(tensor.dim())))
            if sorted(order) != list(range(tensor.dim())):
                raise ProtocolError("a tensor's order is no order of its dimensions")
            tensor = tensor.permute([order.index(dim) for dim in range(tensor.dim())])
            self._seen[index] = tensor.requires_grad_() if code.get("grad") is True else tensor
        return self._seen[index]


def _plain(tensor: torch.Tensor) -> bool:
    """Whether a tensor can be sent: it is no subclass, and is dense, on the CPU and of a common dtype."""
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.layout is torch.strided
        and tensor.device.type == "cpu"
        and not tensor.is_quantized
        and _name(tensor.dtype) in _DTYPES
        and tensor.numel() * tensor.element_size() <= MAX_PAYLOAD
    )


def _spec(tensor: torch.Tensor) -> safetensors.TensorSpec:
    """Return where a contiguous tensor lies in memory; safetensors' own way by numpy is ten times slower."""
    return safetensors.TensorSpec(
        dtype=_name(tensor.dtype),
        shape=list(tensor.shape),
        data_ptr=tensor.data_ptr(),
        data_len=tensor.nbytes,
    )


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _order(tensor: torch.Tensor) -> list[int]:
    """Return the dimensions from the largest stride to the smallest, which is their order in memory."""
    dims, strides = list(range(tensor.dim())), tensor.stride()
    return dims if tensor.is_contiguous() else sorted(dims, key=lambda dim: -strides[dim])


def _load(payload: bytes) -> Tensors:
    try:
        named = safetensors.torch.load(payload)
        tensors = [named[str(index)] for index in range(len(named))]
    except Exception as error:  # safetensors raises its own type and several others
        raise ProtocolError(f"a payload is not safetensors: {type(error).__name__}") from None
    if not all(_plain(tensor) for tensor in tensors):
        raise ProtocolError("a payload holds a tensor that has no form of its own")
    return tensors
