"""The messages between grader and worker. A message is a JSON header and parts in safetensors' format.

A part is a tensor or bytes. Nothing is pickled, because unpickling runs code, and a submission can write any
bytes to the channel.

Reading a message may cost much more memory and time than writing it. For example, three bytes of JSON become
a dict of seventy bytes. Therefore the reader first checks the length of a message, then the number of its
JSON values, then the sizes of its parts.

Right answers and known mistakes in the course's exercises need at most an eighth of MAX_DIMS, and at most a
twentieth of each other limit.
"""

import ctypes
import json
import math
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import safetensors

from autograder.worker.core import core, undisturbed

MAX_HEADER = 8 << 20  # largest size of a header with code or with a cell's outputs, in bytes
MAX_ANSWER = 256 << 10  # largest size of any other header, in bytes
MAX_PAYLOAD = 16 << 20  # largest size of all parts together, in bytes
MAX_TOKENS = 10_000  # largest number of brackets and commas in a header, which limits the number of values
MAX_DEPTH = 200  # largest number of brackets inside each other
MAX_TEXT = 10_000  # largest length of a string, in characters
MAX_PARTS = 1000
MAX_PARTS_HEADER = 512 << 10  # largest size of safetensors' header, which lists dtypes and shapes, in bytes
MAX_DIMS = 32  # largest number of a tensor's dimensions; most functions of torch allow 64
MAX_ELEMENTS = 1 << 22  # largest number of elements in a tensor; a dimension of size 0 counts as size 1
_LONG = {"code", "source", "outputs"}  # a header with one of these entries may have MAX_HEADER bytes
_MAX_DIGITS = 20
_BRACKETS = b"{}[]"
_NO_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_STEPS = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_LENGTHS = struct.Struct("!II")
_AT_ONCE = 16 << 10  # bytes of a read buffer, enough for nearly every message
DTYPES = {  # the dtypes that can be sent: safetensors' name and torch's name
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64",
    "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
}  # fmt: skip

Header = dict[str, Any]
Parts = list[Any]  # each a tensor or bytes
Receive = Callable[[int], bytes]  # returns exactly that number of bytes


class ProtocolError(Exception):
    """A message or a value breaks the protocol."""


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError("a number is too long")
    return int(digits)


_ENCODER = json.JSONEncoder(allow_nan=False)
_DECODER = json.JSONDecoder(parse_constant=int, parse_int=_integer)  # int("NaN") fails, so NaN is refused


def pack(header: Header, parts: Parts) -> bytes:
    """Return the frame of a message: the lengths of header and payload, the header, and the payload."""
    text = write_json(header)
    if len(text) > (MAX_HEADER if header.keys() & _LONG else MAX_ANSWER):
        raise ProtocolError("the header is larger than a frame allows")
    with undisturbed():
        specs = {f"{i}{'b' * (type(part) is bytes)}": _spec(part) for i, part in enumerate(parts)}
    payload = safetensors.serialize(specs) if specs else b""
    if len(payload) > MAX_PAYLOAD:
        raise ProtocolError("the tensors are larger than a frame allows")
    return _LENGTHS.pack(len(text), len(payload)) + text + payload


def longest_answer(request: Header) -> int:
    """Return the limit of a reply's header in bytes. Only a header with a cell's outputs may be long."""
    return MAX_HEADER if request.get("op") == "cell" else MAX_ANSWER


def read_frame(receive: Receive, most: int = MAX_HEADER) -> tuple[Header, Parts]:
    """Read one frame through `receive(count)`, which returns exactly `count` bytes.

    Read nothing and raise ProtocolError if the header has more than `most` bytes or the payload is too long.
    """
    header_length, payload_length = _LENGTHS.unpack(receive(_LENGTHS.size))
    if header_length > most or payload_length > MAX_PAYLOAD:
        raise ProtocolError("a frame is larger than allowed")
    return unpack(receive(header_length), receive(payload_length))


def reader(channel: socket.socket) -> Receive:
    """Return a function that reads a given number of bytes from a blocking socket, or raises EOFError.

    It reads ahead into a buffer, so nothing else may read from the socket.
    """
    stream = open(channel.fileno(), "rb", buffering=_AT_ONCE, closefd=False)  # noqa: SIM115 - no file

    def receive(count: int) -> bytes:
        received = stream.read(count)
        if len(received) < count:
            raise EOFError
        return received

    return receive


def unpack(text: bytes, payload: bytes) -> tuple[Header, Parts]:
    """Return the header and parts of a frame. Limits are checked before any value or tensor is built."""
    header = read_json(text)
    if not isinstance(header, dict):
        raise ProtocolError("a header is not an object")
    return header, _read_parts(payload) if payload else []


def write_json(value: object) -> bytes:
    """Return a value as JSON in UTF-8."""
    return _ENCODER.encode(value).encode()


def read_json(text: bytes, most: int = MAX_TOKENS) -> Any:
    """Return the value of a JSON text. A text with more than `most` brackets and commas is refused."""
    _check_json(text, most)
    try:
        return _DECODER.decode(text.decode())
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"this is not JSON: {type(error).__name__}") from None


def _check_json(text: bytes, most: int) -> None:
    """Raise ProtocolError if JSON has too many values or is nested too deeply. No value is built."""
    if len(text) <= MAX_TOKENS and text.count(b"{") + text.count(b"[") <= MAX_DEPTH:
        return  # nearly every message is so small that it needs no further check
    bare = text.replace(rb"\\", b"").replace(rb"\"", b"")  # the text without escaped quotes
    if bare.count(b'"') > 4 * most:
        raise ProtocolError("a message contains too many strings")
    outside = b"".join(bare.split(b'"')[::2])
    if sum(map(outside.count, (b"{", b"[", b","))) > most:
        raise ProtocolError("a message contains too many values")
    brackets = outside.translate(None, _NO_BRACKETS)
    if max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > MAX_DEPTH:
        raise ProtocolError("a message is nested too deeply")


def _read_parts(payload: bytes) -> Parts:
    """Return the parts of a payload in the format of `pack`; raise ProtocolError for any other bytes."""
    if int.from_bytes(payload[:8], "little") > MAX_PARTS_HEADER:
        raise ProtocolError("the description of a payload's parts is too long")
    try:
        parts = {int(name.removesuffix("b")): (name, part) for name, part in safetensors.deserialize(payload)}  # type: ignore[no-untyped-call]
        if len(parts) > MAX_PARTS:
            raise ProtocolError("a payload contains too many parts")
        return [_part(*parts[index]) for index in range(len(parts))]
    except ProtocolError:
        raise
    except Exception as error:  # safetensors raises its own type and several others
        raise ProtocolError(f"a payload is not safetensors: {type(error).__name__}") from None


def is_small(shape: Sequence[int]) -> bool:
    """Whether a tensor of this shape may be sent: it has few dimensions, and its sizes have a small product.

    A size of 0 counts as 1: a tensor of shape (2**29, 0) is empty, but it has 2**29 rows.
    """
    return len(shape) <= MAX_DIMS and math.prod(size or 1 for size in shape) <= MAX_ELEMENTS


def _part(name: str, described: dict[str, Any]) -> Any:
    """Return one part. A tensor is rebuilt only in a process that has imported torch."""
    word, shape, data = described["dtype"], described["shape"], described["data"]
    if name.endswith("b"):
        return bytes(data)
    if not is_small(shape):
        raise ProtocolError("a payload contains a tensor that is too large")
    torch = sys.modules["torch"]  # the lines below are twice as fast as safetensors.torch
    dtype = getattr(torch, DTYPES[word])
    return torch.frombuffer(data, dtype=dtype).reshape(shape) if data else torch.empty(shape, dtype=dtype)


def _spec(part: Any) -> safetensors.TensorSpec:
    """Return safetensors' description of a contiguous part: its dtype, its shape and its address in memory.

    Tensors are read only by functions from `core`, because a submission may have replaced Python methods.
    """
    if type(part) is bytes:
        address = ctypes.cast(ctypes.c_char_p(part), ctypes.c_void_p).value or 0
        return safetensors.TensorSpec(dtype="uint8", shape=[len(part)], data_ptr=address, data_len=len(part))
    base = core().tensor
    return safetensors.TensorSpec(
        dtype=str(base.dtype.__get__(part)).removeprefix("torch."),
        shape=list(base.shape.__get__(part)),
        data_ptr=base.data_ptr(part),
        data_len=base.nbytes.__get__(part),
    )
