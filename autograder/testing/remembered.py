"""What the solution has answered in a test before, so that it is not computed for each wrong answer again."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.testing.exchange import Backend, Exchange, Reply, Request
from autograder.worker.namespace import copied
from autograder.worker.protocol import Header, Parts

_BITS = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}  # by the size of a number in bytes


@dataclass(frozen=True)
class Remembered:
    """Requests of one test in their order, with their answers."""

    exchanges: tuple[Exchange, ...] = ()
    headers: tuple[str, ...] = ()  # of the requests, spelt out: 1, 1.0 and True are equal and not the same

    def has(self, place: int, request: Request) -> bool:
        """Whether this request, to the bit, came in this place."""
        if place >= len(self.exchanges) or self.headers[place] != repr(request[0]):
            return False
        parts = self.exchanges[place].request[1]
        return len(parts) == len(request[1]) and all(map(_same, parts, request[1]))


def remember(exchanges: Sequence[Exchange]) -> Remembered:
    """Keep copies of what a test has asked and got: it may change its parts afterwards."""
    copies = tuple(
        Exchange((one.request[0], copied(one.request[1])), (one.reply[0], copied(one.reply[1])))
        for one in exchanges
    )
    return Remembered(copies, tuple(repr(one.request[0]) for one in copies))


class FromMemory:
    """A backend that answers from memory as long as a test asks what it asked before.

    From the first other request on, the real backend answers, which gets all the earlier ones first.
    """

    def __init__(self, backend: Backend, memory: Remembered) -> None:
        self._backend, self._memory = backend, memory
        self._place = 0
        self._remembers = bool(memory.exchanges)

    def ask(self, header: Header, parts: Parts) -> Reply:
        """Return the answer to one request."""
        if self._remembers and self._memory.has(self._place, (header, parts)):
            reply, answered = self._memory.exchanges[self._place].reply
            self._place += 1
            return reply, copied(answered)
        if self._remembers:
            self._remembers = False
            for exchange in self._memory.exchanges[: self._place]:
                self._backend.ask(*exchange.request)
        return self._backend.ask(header, parts)


def _same(one: Any, other: Any) -> bool:
    """Whether two parts are the same in everything that code can tell."""
    if type(one) is not type(other):
        return False
    if isinstance(one, bytes):
        return bool(one == other)
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return False
    if not hasattr(one, "stride"):  # an array, which is laid out as each other one of its shape
        return bool(one.tobytes() == other.tobytes())
    bits = getattr(torch := sys.modules["torch"], _BITS.get(one.element_size(), ""), None)
    if one.stride() != other.stride() or bits is None:
        return False
    return bool(torch.equal(one.view(bits), other.view(bits)))
