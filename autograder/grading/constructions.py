"""Finds calls of objects in a test's exchanges: how each was made, and which weights it was given."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograder.testing.exchange import Exchange
from autograder.worker.protocol import Header

_CALLS = ("call", "inspect")


@dataclass(frozen=True, slots=True)
class ObjectCall:
    """A call of an object of the question's class, by the places of its exchanges in the test."""

    made: int  # where it was made
    loaded: int  # where it was given its weights, by name
    called: int

    @property
    def places(self) -> tuple[int, int, int]:
        """All three, in their order."""
        return self.made, self.loaded, self.called


@dataclass
class _Objects:
    """What is known of the objects so far, by the numbers that they go by."""

    made: dict[int, int] = field(default_factory=dict)
    loaded: dict[int, int] = field(default_factory=dict)
    methods: dict[int, int] = field(default_factory=dict)  # the object's number by that of its method


def object_calls(question: str, exchanges: Sequence[Exchange]) -> Iterator[ObjectCall]:
    """Yield each call of an object that has been made and given weights before; `question` is its class."""
    known = _Objects()
    for place, exchange in enumerate(exchanges):
        header, reply = exchange.request[0], exchange.reply[0]
        number, fresh = _number(header.get("of")), _number(reply.get("value"))
        if header.get("of") == {"name": question}:
            if fresh is not None and header["op"] == "call":
                known.made[fresh] = place
                known.loaded.pop(fresh, None)
        elif header["op"] == "attribute" and number in known.made and fresh is not None:
            known.methods[fresh] = number
        elif header["op"] in _CALLS:
            owner = _owner(header, number, known)
            if owner is not None and _weights(header):
                known.loaded[owner] = place
            elif number in known.loaded:
                yield ObjectCall(known.made[number], known.loaded[number], place)


def _owner(header: Header, number: int | None, known: _Objects) -> int | None:
    """Return the object whose method is called, or that is among a function's arguments."""
    if number in known.methods:
        return known.methods[number]
    given = (_number(part) for part in _arguments(header))
    return next((one for one in given if one in known.made), None)


def _weights(header: Header) -> bool:
    """Whether tensors by name are among the arguments of a call."""
    return any(isinstance(part, dict) and part.get("dict") for part in _arguments(header))


def _arguments(header: Header) -> list[object]:
    match header.get("args"):
        case {"tuple": list(parts)}:
            return parts
    return []


def _number(code: object) -> int | None:
    """Return the number that an object goes by."""
    match code:
        case {"handle": int(number)} if type(number) is int:
            return number
    return None
