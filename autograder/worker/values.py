"""The table of types whose values grader and worker exchange: types of Python and of four packages.

A row names its types by their dotted paths, so that the table does not import a package that a course does
not use.
"""

import math
import sys
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

from autograder.worker import arrays, figures, tables
from autograder.worker.coding import MAX_BITS, MAX_INTEGER, MAX_ITEMS, TABLE, RefusedError, Row, is_key
from autograder.worker.coding import Decoder as Decoder
from autograder.worker.coding import Encoder as Encoder
from autograder.worker.protocol import MAX_ELEMENTS, MAX_TEXT, Header, ProtocolError


def _single(*types: str, encode: Callable[[Any], Any], decode: Callable[[Any], Any]) -> Row:
    """Return a row for values that contain no other values and are sent without parts, such as dates."""
    return Row(types, lambda _, value: encode(value), lambda _, content, __: decode(content), is_key=True)


def _malformed(content: object) -> Any:
    raise ProtocolError(f"a plain JSON value must not have a type name: {type(content).__name__}")


def _text(value: str) -> str:
    if str.__len__(value) > MAX_TEXT:
        raise RefusedError
    return value


def _encode_whole(value: int) -> Any:
    plain = int.__index__(value)
    if -MAX_INTEGER < plain < MAX_INTEGER:
        return plain
    if plain.bit_length() > MAX_BITS:
        raise RefusedError
    return {"int": hex(plain)}


def _whole(digits: str) -> int:
    if len(digits) > MAX_BITS // 4 + len("-0x"):
        raise ProtocolError("a number is too long")
    return int(digits, 16)


def _encode_float(value: float) -> Any:
    plain = float.__pos__(value)
    return plain if math.isfinite(plain) else {"float": repr(plain)}  # JSON has neither NaN nor infinities


def _encode_range(value: range) -> Header:
    steps = [value.start, value.stop, value.step]
    if max(map(abs, steps)) >= MAX_INTEGER or len(value) > MAX_ELEMENTS:
        raise RefusedError
    return {"range": steps}


def _range(steps: list[int]) -> range:
    """Return a range; refuse a range that is too long to become a list in a test."""
    numbers = range(*steps)
    if numbers and (numbers[-1] - numbers[0]) // numbers.step >= MAX_ELEMENTS:
        raise ProtocolError("a range is too long")
    return numbers


def _dated(kind: type[date] | type[time]) -> Row:
    """Return the row of a type of dates or times. Only the offset of a time zone is sent, not the name."""
    name = kind.__name__
    return _single(
        f"datetime.{name}", encode=lambda value: {name: kind.isoformat(value)}, decode=kind.fromisoformat
    )


def _encode_bytes(encoder: Encoder, value: bytes) -> Header:
    plain = bytes.__add__(value, b"")
    if len(plain) > MAX_ELEMENTS:
        raise RefusedError
    return {"bytes": encoder.add(plain, len(plain))}


def _encode_dict(encoder: Encoder, value: dict[Any, Any]) -> Header:
    if len(value) > MAX_ITEMS or not all(map(is_key, value)):
        raise RefusedError
    flat = encoder.items((part for pair in value.items() for part in pair), 6 * len(value))
    return {"dict": [[key, item] for key, item in zip(flat[::2], flat[1::2], strict=True)]}


def _dict(decoder: Decoder, pairs: Any, _: Header) -> dict[Any, Any]:
    if not isinstance(pairs, list) or len(pairs) > MAX_ITEMS:
        raise ProtocolError(f"a dict should be sent as a list of at most {MAX_ITEMS} pairs")
    keys = decoder.keys([key for key, _ in pairs])
    return dict(zip(keys, decoder.items([item for _, item in pairs]), strict=True))


def _sequence(kind: type) -> Row:
    def encode(encoder: Encoder, value: Any) -> Header:
        return {kind.__name__: encoder.items(value, 3 * len(value))}

    return Row((kind.__name__,), encode, lambda decoder, codes, _: kind(decoder.items(codes)), kind is tuple)


def _set(kind: type) -> Row:
    """Return the row of sets. Elements are sent in sorted order, so that equal sets give equal bytes."""

    def encode(encoder: Encoder, value: Any) -> Header:
        if len(value) > MAX_ITEMS or not all(map(is_key, value)):
            raise RefusedError
        return {kind.__name__: sorted(encoder.items(value, 3 * len(value)), key=repr)}

    return Row((kind.__name__,), encode, lambda decoder, keys, _: kind(decoder.keys(keys)), kind is frozenset)


TABLE |= {
    "None": _single("types.NoneType", "bool", encode=lambda value: value, decode=_malformed),
    "str": _single("str", encode=_text, decode=_malformed),
    "int": _single("int", encode=_encode_whole, decode=_whole),
    "float": _single("float", "numpy.float64", encode=_encode_float, decode=float),
    "complex": _single(
        "complex",
        "numpy.complex128",
        encode=lambda value: {"complex": complex.__repr__(value)},
        decode=complex,
    ),
    "range": _single("range", encode=_encode_range, decode=_range),
    "missing": _single(
        "pandas.api.typing.NaTType",
        "pandas.api.typing.NAType",
        encode=lambda value: {"missing": type(value).__name__.removesuffix("Type")},
        decode=lambda name: {kind: getattr(sys.modules["pandas"], kind) for kind in ("NaT", "NA")}[name],
    ),
    "datetime": _dated(datetime),
    "date": _dated(date),
    "time": _dated(time),
    "timedelta": _single(
        "datetime.timedelta",
        encode=lambda value: {"timedelta": [value.days, value.seconds, value.microseconds]},
        decode=lambda amounts: timedelta(*amounts),
    ),
    "bytes": Row(("bytes",), _encode_bytes, lambda decoder, index, _: decoder.content(index), is_key=True),
    "tuple": _sequence(tuple),
    "list": _sequence(list),
    "dict": Row(("dict",), _encode_dict, _dict),
    "set": _set(set),
    "frozenset": _set(frozenset),
    **arrays.ROWS,
    **tables.ROWS,
    **figures.ROWS,
}
