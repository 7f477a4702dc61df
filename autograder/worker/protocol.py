"""The messages between grader and worker: frames of a JSON header and tensors in safetensors form.

Nothing is ever pickled, because unpickling runs code, and a submission can write whatever it likes.
"""

import json
import math
import socket
import struct
from collections.abc import Callable
from typing import Any

import safetensors
import torch

from autograder.worker import bounds
from autograder.worker.bounds import MAX_ANSWER, MAX_HEADER, MAX_PAYLOAD
from autograder.worker.bounds import ProtocolError as ProtocolError

_KINDS = {  # by the words that safetensors' header has for them
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64",
    "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
}  # fmt: skip
_WRITTEN: dict[str, torch.dtype] = {word: getattr(torch, name) for word, name in _KINDS.items()}
DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in _KINDS.values()}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
_BASE: Any = torch._C.TensorBase  # whose attributes nobody can replace
Tensors = list[torch.Tensor]


def written(tensors: Tensors) -> bytes:
    """Return contiguous tensors as bytes."""
    return safetensors.serialize({str(i): _spec(t) for i, t in enumerate(tensors)}) if tensors else b""


def read(payload: bytes) -> Tensors:
    """Return the tensors that `written` has written; anything else is a ProtocolError."""
    bounds.check_tensor_header(payload)
    try:
        named = dict(safetensors.deserialize(payload))  # type: ignore[no-untyped-call]
        tensors = [_tensor(named[str(index)]) for index in range(len(named))]
    except Exception as error:  # safetensors raises its own type and several others
        raise ProtocolError(f"a payload is not safetensors: {type(error).__name__}") from None
    if len(tensors) > bounds.MAX_TENSORS or not all(map(is_plain, tensors)):
        raise ProtocolError("a payload holds a tensor that has no form of its own")
    return tensors


def is_plain(tensor: torch.Tensor) -> bool:
    """Whether a tensor can be sent: it is no subclass, and is dense, on the CPU and of a common dtype."""
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.layout is torch.strided
        and tensor.device.type == "cpu"
        and not tensor.is_quantized
        and tensor.dtype in NAMES
        and bounds.is_small(tensor)
    )


def _spec(tensor: torch.Tensor) -> safetensors.TensorSpec:
    """Return where a contiguous tensor lies in memory; safetensors' own way by numpy is ten times slower.

    It asks torch itself: a submission may have put attributes of its own into torch's class.
    """
    return safetensors.TensorSpec(
        dtype=NAMES[_BASE.dtype.__get__(tensor)],
        shape=list(_BASE.shape.__get__(tensor)),
        data_ptr=_BASE.data_ptr(tensor),
        data_len=_BASE.nbytes.__get__(tensor),
    )


def _tensor(part: dict[str, Any]) -> torch.Tensor:
    """Return one tensor of a payload; safetensors' own function for torch takes twice as long."""
    dtype, shape, data = _WRITTEN[part["dtype"]], part["shape"], part["data"]
    return torch.frombuffer(data, dtype=dtype).reshape(shape) if data else torch.empty(shape, dtype=dtype)


_LENGTHS = struct.Struct("!II")
_PLAIN = (bool, float, str)  # values that stand for themselves
_FLOATS = {name: float(name) for name in ("nan", "inf", "-inf")}  # for which JSON has no number
_AT_ONCE = 16 << 10  # bytes: nearly every message as a whole
Header = dict[str, Any]
Receive = Callable[[int], bytes]  # returns exactly so many bytes
Container = dict[Any, Any] | list[Any] | tuple[Any, ...]
_ENCODER = json.JSONEncoder(allow_nan=False)
_DECODER = json.JSONDecoder(parse_constant=int, parse_int=bounds.integer)  # int refuses NaN and infinities
_MAX_LEVELS = bounds.MAX_DEPTH // 3 - 4  # a dict is three brackets deep, and some stand around all


def pack(header: Header, tensors: Tensors) -> bytes:
    """Return the frame of `header` and `tensors`."""
    text = _ENCODER.encode(header).encode()
    payload = written(tensors)
    bounds.check_length(header, text)
    if len(payload) > MAX_PAYLOAD:
        raise ProtocolError("the tensors are larger than a frame may hold")
    return _LENGTHS.pack(len(text), len(payload)) + text + payload


def longest_answer(request: Header) -> int:
    """Return how many bytes the header of an answer may have: only what cells show may be long."""
    return MAX_HEADER if request.get("op") == "cell" else MAX_ANSWER


def read_frame(receive: Receive, most: int = MAX_HEADER) -> tuple[Header, Tensors]:
    """Read one frame through `receive(count)`, which returns exactly `count` bytes.

    A frame that announces a header of more than `most` bytes, or too much else, is refused before it is read.
    """
    header_length, payload_length = _LENGTHS.unpack(receive(_LENGTHS.size))
    if header_length > most or payload_length > MAX_PAYLOAD:
        raise ProtocolError("a frame claims to be larger than a frame may be")
    return unpack(_header(receive, header_length), _payload(receive, payload_length))


def _header(receive: Receive, length: int) -> bytes:
    """Read a frame's header; one whose first part shows that it holds too much is not read to its end."""
    if length <= MAX_ANSWER:
        return receive(length)
    start = receive(MAX_ANSWER)
    bounds.check_start(start)
    return start + receive(length - len(start))


def _payload(receive: Receive, length: int) -> bytes:
    """Read a frame's tensors; one whose first bytes announce too many of them is not read to its end."""
    if length <= bounds.MAX_TENSOR_HEADER:
        return receive(length)
    start = receive(bounds.TENSOR_HEADER_LENGTH)
    bounds.check_tensor_header(start)
    return start + receive(length - len(start))


def reader(channel: socket.socket) -> Receive:
    """Return a function that reads so many bytes of a socket that waits for them, or raises an EOFError.

    It takes what is there at once, so nobody else must read from the socket.
    """
    stream = open(channel.fileno(), "rb", buffering=_AT_ONCE, closefd=False)  # noqa: SIM115 - no file

    def receive(count: int) -> bytes:
        received = stream.read(count)
        if len(received) < count:
            raise EOFError
        return received

    return receive


def unpack(text: bytes, payload: bytes) -> tuple[Header, Tensors]:
    """Return the header and tensors of a frame's two parts, each of which is counted before it is built."""
    bounds.check_json(text)
    try:
        header = _DECODER.decode(text.decode())
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a header is not JSON: {type(error).__name__}") from None
    if not isinstance(header, dict):
        raise ProtocolError("a header is not an object")
    bounds.check_length(header, text)
    bounds.check_texts(header, text)
    return header, read(payload) if payload else []


class Encoder:
    """Turns the values of one message into JSON, and gathers their tensors.

    What is larger than a message may be is not sent but referred to, like any other object.
    """

    def __init__(self, refer: Callable[[object], Header]) -> None:
        self.tensors: Tensors = []
        self._refer = refer  # returns a reference for a value that cannot be sent itself
        self._sent: dict[int, tuple[int, torch.Tensor]] = {}  # by id; kept, so that ids stay
        self._bytes = MAX_PAYLOAD
        self._tokens = bounds.MAX_TOKENS - 100  # those are for what stands around the values
        self._depth = 0

    def encode(self, value: object) -> Any:
        """Return the form of `value`; a tensor that occurs twice is sent once and stays one object."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return value if len(value) <= bounds.MAX_TEXT else self._refer(value)
        if type(value) is int and bounds.is_integer(value):
            return value
        if isinstance(value, float):  # numpy.float64, too, such as np.mean gives it
            plain = float.__pos__(value)
            return plain if math.isfinite(plain) else {"float": repr(plain)}
        if isinstance(value, torch.Tensor):
            return self._tensor(value) if is_plain(value) else self._refer(value)
        if isinstance(value, torch.dtype) and value in NAMES:
            return {"dtype": NAMES[value]}
        if isinstance(value, dict | list | tuple) and self._takes(value):
            return self._container(value)
        return self._refer(value)

    def _takes(self, value: Container) -> bool:
        """Whether there is room for all that a container holds."""
        if isinstance(value, dict) and (len(value) > bounds.MAX_ITEMS or not all(map(bounds.is_key, value))):
            return False
        self._tokens -= 2 + len(value) * (6 if isinstance(value, dict) else 3)
        return self._tokens >= 0

    def _container(self, value: Container) -> Header:
        if self._depth > _MAX_LEVELS:
            raise RecursionError("the containers are nested too deeply")
        self._depth += 1
        code: Header
        if isinstance(value, dict):
            code = {"dict": [[self.encode(key), self.encode(item)] for key, item in value.items()]}
        else:
            name = "list" if isinstance(value, list) else "tuple"
            code = {name: [self.encode(item) for item in value]}
        self._depth -= 1
        return code

    def _tensor(self, tensor: torch.Tensor) -> Header:
        dims = list(range(tensor.dim()))
        order = dims if tensor.is_contiguous() else _order(tensor)
        index, _ = self._sent.get(id(tensor), (len(self.tensors), tensor))
        if index == len(self.tensors):
            self._bytes -= tensor.numel() * tensor.element_size()
            if self._bytes < 0:  # before the tensor is copied, which may take more memory than there is
                raise ValueError(f"the tensors take more than {MAX_PAYLOAD >> 20} MB")
            if index == bounds.MAX_TENSORS:
                raise ValueError(f"there are more than {bounds.MAX_TENSORS:,} tensors")
            self._sent[id(tensor)] = index, tensor
            laid_out = tensor.detach() if order is dims else tensor.detach().permute(order)
            self.tensors.append(laid_out.clone(memory_format=torch.contiguous_format))
        code: Header = {"tensor": index}
        if tensor.requires_grad:
            code["grad"] = True
        if order != dims:
            code["order"] = order
            self._tokens -= len(order)
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
        if code is None or isinstance(code, _PLAIN):
            return code
        if isinstance(code, int) and bounds.is_integer(code):
            return code
        if not isinstance(code, dict):
            raise ProtocolError("a value has no known form")
        if "tensor" in code:
            return self._tensor(code["tensor"], code)
        if "tuple" in code:
            return tuple(self._items(code["tuple"]))
        if "dict" in code:
            return self._dict(code["dict"])
        if "list" in code:
            return self._items(code["list"])
        if "dtype" in code:
            return DTYPES[code["dtype"]]
        if "float" in code:
            return _FLOATS[code["float"]]
        return self._resolve(code)

    def _items(self, codes: Any) -> list[Any]:
        if not isinstance(codes, list):
            raise ProtocolError("a container holds no list")
        return [self._value(code) for code in codes]

    def _dict(self, pairs: Any) -> dict[Any, Any]:
        if not isinstance(pairs, list) or len(pairs) > bounds.MAX_ITEMS:
            raise ProtocolError("a dict holds no list of pairs, or too many")
        return {self._key(key): self._value(item) for key, item in pairs}

    def _key(self, code: Any) -> Any:
        if not bounds.is_key(key := self._value(code)):
            raise ProtocolError("a dict has a key that is too long, or no text and no number")
        return key

    def _tensor(self, index: int, code: Header) -> torch.Tensor:
        if index not in self._seen:
            tensor = self._tensors[index]
            dims = list(range(tensor.dim()))
            if (order := code.get("order", dims)) is not dims:
                if sorted(order) != dims:
                    raise ProtocolError("a tensor's order is no order of its dimensions")
                dims = [order.index(dim) for dim in dims]
            tensor = tensor.permute(dims)
            self._seen[index] = tensor.requires_grad_() if code.get("grad") is True else tensor
        return self._seen[index]


def _order(tensor: torch.Tensor) -> list[int]:
    """Return the dimensions from the largest stride to the smallest, which is their order in memory."""
    strides = tensor.stride()
    return sorted(range(tensor.dim()), key=lambda dim: -strides[dim])
