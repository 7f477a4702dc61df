"""How much one message may hold, which is checked before anything large is built of it.

Whoever reads an answer spends memory and time on each value in it, more than the sender spends on writing
it: three bytes of JSON become a dict of seventy, and a tensor without elements can have a row for every one
of a billion sums. So a message is counted as bytes first, then as JSON, and its tensors by their sizes.

The largest messages that the exercises' right answers and known mistakes exchange have 205 KB of
tensors, a header of 1.9 KB and a depth of 7 brackets, 18 tensors of 4 dimensions and 32,000 elements, dicts
of 15 items, keys of 25 characters and texts of 388. Each bound leaves at least twenty times as much.
"""

import math
from itertools import accumulate
from typing import Any

import torch

MAX_HEADER = 8 << 20  # bytes: a cell's pictures travel in it
MAX_ANSWER = 256 << 10  # bytes of a header without such long parts
MAX_PAYLOAD = 16 << 20  # bytes
MAX_TOKENS = 10_000  # brackets and commas of a header: each value needs one at least
MAX_DEPTH = 200  # brackets inside brackets
MAX_TEXT = 10_000  # characters of any text but a cell's code and outputs
MAX_KEY = 500  # characters of a dict's key, such as a parameter's name
MAX_ITEMS = 1000  # of a dict: should all its keys have one hash, building it is still quick
MAX_TENSORS = 1000
MAX_TENSOR_HEADER = 512 << 10  # bytes in which safetensors names dtypes and shapes
TENSOR_HEADER_LENGTH = 8  # bytes at a payload's start, which say how many these are
MAX_DIMS = 32  # torch itself stops at 64 in most places
MAX_ELEMENTS = 1 << 22  # of a tensor, or of what sums and products along its dimensions can give
MAX_INTEGER = 1 << 63
LONG = ("code", "source", "outputs")  # the parts of a header that hold longer texts
_TOLD_BY = 200  # bytes from a header's start, within which it names its long part
_MAX_DIGITS = 20
_BRACKETS = b"{}[]"
_NO_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_STEPS = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}


class ProtocolError(Exception):
    """A frame or a value breaks the protocol."""


def check_json(text: bytes) -> None:
    """Refuse JSON of too many values or of too great a depth, without building any of it."""
    if len(text) <= MAX_TOKENS and text.count(b"{") + text.count(b"[") <= MAX_DEPTH:
        return  # as nearly every answer, which need not be looked at closely
    bare = text.replace(rb"\\", b"").replace(rb"\"", b"")  # now every quote begins or ends a text
    if bare.count(b'"') > 4 * MAX_TOKENS:
        raise ProtocolError("a header holds too many texts")
    outside = b"".join(bare.split(b'"')[::2])
    if sum(map(outside.count, (b"{", b"[", b","))) > MAX_TOKENS:
        raise ProtocolError("a header holds too many values")
    brackets = outside.translate(None, _NO_BRACKETS)
    if max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > MAX_DEPTH:
        raise ProtocolError("a header is too deep")


def check_start(start: bytes) -> None:
    """Refuse a header of more than an answer's length by the `start` of it, before the rest has come."""
    if not any(f'"{name}": '.encode() in start[:_TOLD_BY] for name in LONG):
        raise ProtocolError("a header does not say at its start why it is long")
    check_json(start)


def check_length(header: dict[str, Any], text: bytes) -> None:
    """Refuse a header, written as `text`, that is longer than its parts explain."""
    if len(text) <= MAX_ANSWER:
        return  # as nearly every header
    if len(text) > MAX_HEADER or not any(name in header for name in LONG):
        raise ProtocolError("the header is larger than a frame may hold")


def check_texts(header: dict[str, Any], written: bytes) -> None:
    """Refuse a header, as it was `written`, with a text or a name too long to be of use in an answer."""
    if len(written) <= MAX_TEXT:
        return
    left: list[Any] = [*header, *(part for name, part in header.items() if name not in LONG)]
    while left:
        match left.pop():
            case str(text) if len(text) > MAX_TEXT:
                raise ProtocolError("a header holds a text that is too long")
            case list(items):
                left.extend(items)
            case dict(items):
                left.extend(items)
                left.extend(items.values())


def check_tensor_header(payload: bytes) -> None:
    """Refuse a safetensors payload whose header is too long, before anybody reads it."""
    if int.from_bytes(payload[:TENSOR_HEADER_LENGTH], "little") > MAX_TENSOR_HEADER:
        raise ProtocolError("a payload describes too many tensors")


def is_small(tensor: torch.Tensor) -> bool:
    """Whether a tensor may be sent: neither it nor what a sum leaves of it is large.

    Dimensions of size 0 do not count: the row sums of a tensor of shape (2**29, 0) would take gigabytes.
    """
    if (elements := tensor.numel()) > 0:
        return elements <= MAX_ELEMENTS and tensor.dim() <= MAX_DIMS
    shape = tensor.shape
    return len(shape) <= MAX_DIMS and math.prod(size or 1 for size in shape) <= MAX_ELEMENTS


def is_key(value: object) -> bool:
    """Whether a value may be a dict's key: a short text or a number, which no submission has hashed."""
    if isinstance(value, str):
        return len(value) <= MAX_KEY
    return value is None or type(value) in (bool, float) or (type(value) is int and is_integer(value))


def is_integer(value: int) -> bool:
    """Whether a whole number has a form of its own."""
    return abs(value) < MAX_INTEGER


def integer(digits: str) -> int:
    """Return the number that JSON writes as `digits`."""
    if len(digits) > _MAX_DIGITS:
        raise ValueError("a number is too long")
    return int(digits)
