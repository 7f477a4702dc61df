"""Turns values into a message's JSON and parts (tensors or bytes), and back.

The table in the module `values` has a row for each kind of value, with a function that encodes such values
and a function that decodes them. An instance of a subclass arrives as an instance of its base. A value that
has no row or is too large stays in its process, and the message contains a reference to it.
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

MAX_KEY = 500  # largest length of a dict's key, in characters
# Largest number of items in a dict or set. If all hashes are equal, adding more items could take long.
MAX_ITEMS = 1000
MAX_BITS = 4096  # largest number of bits in an integer
MAX_INTEGER = 1 << 63  # integers from this size on are written in hexadecimal
# The largest number of containers inside each other. Each container takes at most three levels of brackets.
# Four containers are subtracted for the message that contains the values.
_MAX_LEVELS = MAX_DEPTH // 3 - 4
_MAX_KEY_ELEMENTS = 100  # largest number of elements in a tuple or frozenset that is a key
_MRO = type.__dict__["__mro__"].__get__


class RefusedError(Exception):
    """A value is too large to be sent, or of a kind that cannot be sent."""


class Row(NamedTuple):
    """How values of one kind are written to a message and read from it."""

    types: tuple[str, ...]  # dotted paths of the types
    encode: Callable[["Encoder", Any], Any]  # returns the value's JSON, or raises RefusedError
    # Called as decode(decoder, code[name], code), where `code` is the value's JSON and `name` the row's name.
    decode: Callable[["Decoder", Any, Header], Any]
    is_key: bool = False  # whether the value may be a key of a dict or an element of a set


TABLE: dict[str, Row] = {}  # rows by name; the JSON objects of a row have the row's name as their first key


def _row_of(kind: Any) -> Row | None:
    """Return the row of a type or of its nearest base, or None if none of these types has a row."""
    rows = _rows(len(sys.modules), len(TABLE))
    return next((rows[id(base)][1] for base in _MRO(kind) if id(base) in rows), None)


@lru_cache(1)
def _rows(*_: int) -> Mapping[int, tuple[object, Row]]:
    """Return {id(type): (type, row)}.

    The arguments are the number of loaded modules and the number of rows. If one changes, the cached result
    is computed again.
    """
    rows = dict[int, tuple[object, Row]]()
    for row in reversed(TABLE.values()):
        for path in row.types:
            module, __, name = path.rpartition(".")  # types of a package that is not loaded are skipped
            if (kind := getattr(sys.modules.get(module or "builtins"), name, None)) is not None:
                rows[id(kind)] = kind, row
    return rows


class Encoder:
    """Turns the values of one message into JSON, and collects the message's parts.

    A message that becomes too large raises ValueError. Containers nested too deeply raise RecursionError.
    """

    def __init__(self, refer: Callable[[object], Header]) -> None:
        self.parts: Parts = []
        self._refer = refer  # returns a reference to a value that cannot be sent
        # id(object): (index of its part, the object). The object is kept so that no new object gets its id.
        self._sent: dict[int, tuple[int, Any]] = {}
        self._bytes = MAX_PAYLOAD
        self._tokens = MAX_TOKENS - 100  # 100 tokens are left for the rest of the message
        self._depth = 0

    def encode(self, value: Any) -> Any:
        """Return the JSON of `value`. A tensor that occurs twice is sent once and arrives as one object."""
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
        """Return the JSON of a container's items. `tokens` counts the container's brackets and commas."""
        self.take(2 + tokens)
        if self._depth > _MAX_LEVELS:
            raise RecursionError("the containers are nested too deeply")
        self._depth += 1
        try:
            return [self.encode(value) for value in values]
        finally:
            self._depth -= 1

    def take(self, tokens: int) -> None:
        """Count `tokens` more brackets and commas in the message; raise RefusedError if it has too many."""
        self._tokens -= tokens
        if self._tokens < 0:
            raise RefusedError

    def part_index(self, value: object) -> int | None:
        """Return the index of the part that was added for `value`, or None if no part was added for it."""
        return self._sent[id(value)][0] if id(value) in self._sent else None

    def add(
        self, part: Any, size: int, copy: Callable[[Any], Any] = lambda part: part, of: object = None
    ) -> int:
        """Add a copy of `part`, which takes `size` bytes, and return the index of the new part.

        If the message has no room for the copy, raise ValueError without copying. `of` is the object
        that the part represents.
        """
        self._bytes -= size
        if self._bytes < 0:  # checked before copying, which could exhaust the memory
            raise ValueError(f"the tensors take more than {MAX_PAYLOAD >> 20} MB")
        if len(self.parts) == MAX_PARTS:
            raise ValueError(f"there are more than {MAX_PARTS:,} tensors")
        self.parts.append(copy(part))
        if of is not None:
            self._sent[id(of)] = len(self.parts) - 1, of
        return len(self.parts) - 1


class Decoder:
    """Turns the JSON of one message back into values; raises ProtocolError for anything malformed."""

    def __init__(self, parts: Parts, resolve: Callable[[Header], Any]) -> None:
        self.parts = parts
        self._resolve = resolve  # returns the object of a reference
        self.tensors: dict[int, Any] = {}  # by part index
        self._taken: set[int] = set()

    def decode(self, code: Any) -> Any:
        """Return the value whose JSON is `code`."""
        try:
            return self.value(code)
        except (ProtocolError, NameError, MemoryError):
            raise
        except Exception as error:  # pandas raises many types of errors for malformed data
            raise ProtocolError(f"a value is malformed: {type(error).__name__}") from None

    def value(self, code: Any) -> Any:
        """Return a value that is inside another value. `decode` turns its errors into ProtocolErrors."""
        if code is None or type(code) in (bool, float):
            return code
        if type(code) is str and len(code) <= MAX_TEXT:
            return code
        if type(code) is int and -MAX_INTEGER < code < MAX_INTEGER:
            return code
        if type(code) is not dict:
            raise ProtocolError("a value has an unknown form")
        if (row := TABLE.get(name := next(iter(code), ""))) is not None:
            return row.decode(self, code[name], code)
        return self._resolve(code)

    def items(self, codes: Any) -> list[Any]:
        """Return the values of a list of JSON items; raise ProtocolError if `codes` is not a list."""
        if not isinstance(codes, list):
            raise ProtocolError("the items of a container should be a list")
        return [self.value(code) for code in codes]

    def keys(self, codes: Any) -> list[Any]:
        """Return the keys of a set or dict. They are plain values, so hashing them runs no student code."""
        keys = self.items(codes)
        if len(keys) > MAX_ITEMS or not all(map(is_key, keys)):
            raise ProtocolError("there are too many keys, or a key is too long or of an unsupported type")
        return keys

    def content(self, index: Any) -> bytes:
        """Return the bytes of part number `index`.

        A part can be used only once, so that a small message cannot become many large values.
        """
        part = self.parts[index] if type(index) is int and index >= 0 else None
        if index in self._taken or type(part) is not bytes:
            raise ProtocolError("a value refers to a part that is not bytes or is already used")
        self._taken.add(index)
        return part


def is_key(value: Any) -> bool:
    """Whether a value may be a key of a dict or an element of a set.

    Short texts, short bytes, and values whose row has `is_key`, such as numbers and dates, may be keys. Short
    tuples and frozensets of keys may be keys, too.
    """
    if isinstance(value, str | bytes):
        return len(value) <= MAX_KEY
    if isinstance(value, tuple | frozenset):
        return len(value) <= _MAX_KEY_ELEMENTS and all(map(is_key, value))
    if isinstance(value, int):
        return value.bit_length() <= MAX_BITS
    row = _row_of(type(value))
    return row is not None and row.is_key
