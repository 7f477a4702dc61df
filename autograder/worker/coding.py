"""Turns values into a message's JSON and parts, and back, by a table with a row for each kind of values.

A row says which types it is for, how a value is written, within which bounds, and how it is rebuilt. What is
rebuilt is always plain: a subclass arrives as what it is a subclass of. A value without a row, or beyond its
row's bounds, is not sent but referred to, like any other object. The module `values` has the rows.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from autograder.worker.protocol import (
    MAX_DEPTH,
    MAX_PARTS,
    MAX_PAYLOAD,
    MAX_TEXT,
    MAX_TOKENS,
    Header,
    Parts,
    ProtocolError,
)

MAX_KEY = 500  # characters of a dict's key, such as a parameter's name
MAX_ITEMS = 1000  # of a dict or set: should all its keys have one hash, building it is still quick
MAX_BITS = 4096  # of a whole number
MAX_INTEGER = 1 << 63  # from here on a number is written in hexadecimal
_MAX_LEVELS = MAX_DEPTH // 3 - 4  # a dict is three brackets deep, and some stand around all
_MOST_KEYS = 100  # of a tuple that is a key
_MRO = type.__dict__["__mro__"].__get__


class RefusedError(Exception):
    """A value is beyond its row's bounds, or of a kind that its row does not know."""


class Row(NamedTuple):
    """One kind of values."""

    types: tuple[str, ...]  # by dotted path
    encode: Callable[["Encoder", Any], Any]  # returns its form in JSON; a RefusedError where it is too much
    decode: Callable[["Decoder", Any, Header], Any]  # the value from what stands under the row's name
    is_key: bool = False  # whether a dict or set may hold it


TABLE: dict[str, Row] = {}  # by the key that stands first in a value's form


def _row_of(kind: Any) -> Row | None:
    """Return the row of a type, or of the first of its bases that has one."""
    rows = _rows(len(sys.modules), len(TABLE))
    return next((rows[id(base)][1] for base in _MRO(kind) if id(base) in rows), None)


@lru_cache(1)
def _rows(*_: int) -> Mapping[int, tuple[object, Row]]:
    """Return the rows by the addresses of their types, as long as no package is loaded."""
    found = dict[int, tuple[object, Row]]()
    for row in reversed(TABLE.values()):
        for path in row.types:
            module, __, name = path.rpartition(".")  # a package that is not loaded has no types
            if (kind := getattr(sys.modules.get(module or "builtins"), name, None)) is not None:
                found[id(kind)] = kind, row
    return found


class Encoder:
    """Turns the values of one message into JSON, and gathers their parts.

    What is larger than a message may be is not sent but referred to, like any other object.
    """

    def __init__(self, refer: Callable[[object], Header]) -> None:
        self.parts: Parts = []
        self._refer = refer  # returns a reference for a value that cannot be sent itself
        self._sent: dict[int, tuple[int, Any]] = {}  # places by id, with the value, so that ids stay
        self._bytes = MAX_PAYLOAD
        self._tokens = MAX_TOKENS - 100  # those are for what stands around the values
        self._depth = 0

    def encode(self, value: Any) -> Any:
        """Return the form of `value`; a tensor that occurs twice is sent once and stays one object."""
        row = _row_of(type(value))
        if row is None:
            return self._refer(value)
        parts, left = len(self.parts), self._bytes
        try:
            return row.encode(self, value)
        except RefusedError:
            del self.parts[parts:]
            self._sent = {key: sent for key, sent in self._sent.items() if sent[0] < parts}
            self._bytes = left
            return self._refer(value)

    def items(self, values: Iterable[Any], tokens: int) -> list[Any]:
        """Return the forms of all that a container holds, which take so many brackets and commas."""
        self.take(2 + tokens)
        if self._depth > _MAX_LEVELS:
            raise RecursionError("the containers are nested too deeply")
        self._depth += 1
        try:
            return [self.encode(value) for value in values]
        finally:
            self._depth -= 1

    def take(self, tokens: int) -> None:
        """Take room for so many brackets and commas; a RefusedError where there is none."""
        self._tokens -= tokens
        if self._tokens < 0:
            raise RefusedError

    def place(self, value: object) -> int | None:
        """Return the place of a part that was added for the same object before."""
        return self._sent[id(value)][0] if id(value) in self._sent else None

    def add(
        self, part: Any, size: int, copy: Callable[[Any], Any] = lambda part: part, of: object = None
    ) -> int:
        """Add a part of so many bytes, copied only if there is room, and return its place."""
        self._bytes -= size
        if self._bytes < 0:  # before it is copied, which may take more memory than there is
            raise ValueError(f"the tensors take more than {MAX_PAYLOAD >> 20} MB")
        if len(self.parts) == MAX_PARTS:
            raise ValueError(f"there are more than {MAX_PARTS:,} tensors")
        self.parts.append(copy(part))
        if of is not None:
            self._sent[id(of)] = len(self.parts) - 1, of
        return len(self.parts) - 1


class Decoder:
    """Turns the JSON of one message back into values; anything malformed is a ProtocolError."""

    def __init__(self, parts: Parts, resolve: Callable[[Header], Any]) -> None:
        self.parts = parts
        self._resolve = resolve  # turns a reference into its object
        self.tensors: dict[int, Any] = {}  # by place
        self._taken: set[int] = set()

    def decode(self, code: Any) -> Any:
        """Return the value that `code` stands for."""
        try:
            return self.value(code)
        except (ProtocolError, NameError, MemoryError):
            raise
        except Exception as error:  # pandas raises many types
            raise ProtocolError(f"a value is malformed: {type(error).__name__}") from None

    def value(self, code: Any) -> Any:
        """Return the value of a form inside another one."""
        if code is None or type(code) in (bool, float):
            return code
        if type(code) is str and len(code) <= MAX_TEXT:
            return code
        if type(code) is int and -MAX_INTEGER < code < MAX_INTEGER:
            return code
        if type(code) is not dict:
            raise ProtocolError("a value has no known form")
        if (row := TABLE.get(name := next(iter(code), ""))) is not None:
            return row.decode(self, code[name], code)
        return self._resolve(code)

    def items(self, codes: Any) -> list[Any]:
        """Return the values of the forms in a list."""
        if not isinstance(codes, list):
            raise ProtocolError("a container holds no list")
        return [self.value(code) for code in codes]

    def keys(self, codes: Any) -> list[Any]:
        """Return what a set or dict holds as keys; no submission has hashed any of them."""
        keys = self.items(codes)
        if len(keys) > MAX_ITEMS or not all(map(is_key, keys)):
            raise ProtocolError("there are too many keys, or one is too long or of another kind")
        return keys

    def content(self, place: Any) -> bytes:
        """Return a part that is bytes: each one once, so that few of them cannot become many values."""
        part = self.parts[place] if type(place) is int and place >= 0 else None
        if place in self._taken or type(part) is not bytes:
            raise ProtocolError("a part is of another kind, or used twice")
        self._taken.add(place)
        return part


def is_key(value: Any) -> bool:
    """Whether a value may be a dict's key or in a set: a short text, a number, a date, or a tuple of such."""
    if isinstance(value, str | bytes):
        return len(value) <= MAX_KEY
    if isinstance(value, tuple | frozenset):
        return len(value) <= _MOST_KEYS and all(map(is_key, value))
    if isinstance(value, int):
        return value.bit_length() <= MAX_BITS
    row = _row_of(type(value))
    return row is not None and row.is_key
