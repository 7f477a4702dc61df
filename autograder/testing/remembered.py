"""What the solution has answered in a test before, so that it is not computed for each wrong answer again."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from autograder.testing.exchange import Backend, Exchange, Reply, Request
from autograder.worker.protocol import Header, Tensors

_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}  # by the size of a number in bytes


@dataclass(frozen=True)
class Remembered:
    """Requests of one test in their order, with their answers."""

    exchanges: tuple[Exchange, ...] = ()
    headers: tuple[str, ...] = ()  # of the requests, spelt out: 1, 1.0 and True are equal and not the same

    def has(self, place: int, request: Request) -> bool:
        """Whether this request, to the bit, came in this place."""
        if place >= len(self.exchanges) or self.headers[place] != repr(request[0]):
            return False
        tensors = self.exchanges[place].request[1]
        return len(tensors) == len(request[1]) and all(map(_same, tensors, request[1]))


def remember(exchanges: Sequence[Exchange]) -> Remembered:
    """Keep copies of what a test has asked and got: it may change its tensors afterwards."""
    copies = tuple(
        Exchange((one.request[0], _copied(one.request[1])), (one.reply[0], _copied(one.reply[1])))
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

    def ask(self, header: Header, tensors: Tensors) -> Reply:
        """Return the answer to one request."""
        if self._remembers and self._memory.has(self._place, (header, tensors)):
            reply, answered = self._memory.exchanges[self._place].reply
            self._place += 1
            return reply, [tensor.clone() for tensor in answered]
        if self._remembers:
            self._remembers = False
            for exchange in self._memory.exchanges[: self._place]:
                self._backend.ask(*exchange.request)
        return self._backend.ask(header, tensors)


def _copied(tensors: Tensors) -> Tensors:
    return [tensor.detach().clone().requires_grad_(tensor.requires_grad) for tensor in tensors]


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are the same in everything that code can tell."""
    if (one.dtype, one.shape, one.requires_grad) != (other.dtype, other.shape, other.requires_grad):
        return False
    bits = _BITS.get(one.element_size())
    if one.stride() != other.stride() or bits is None:
        return False
    return torch.equal(one.detach().view(bits), other.detach().view(bits))
