"""Keeps hidden inputs out of a submission's own words: they must be the same with other numbers.

An exception's message, or the name of a class, is chosen by the submission, which has seen the test's inputs.
So the test's requests are repeated in a fresh worker with other numbers in every tensor; words that come out
the same there cannot tell what the first ones were.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from autograder.testing.student import Exchange
from autograder.worker.protocol import Header, Tensors

Request = tuple[Header, Tensors]


def scrambled(exchanges: Sequence[Exchange]) -> Iterator[Request]:
    """Yield the requests of `exchanges`, with other numbers in their tensors."""
    generator = torch.Generator().manual_seed(len(exchanges))
    for exchange in exchanges:
        header, tensors = exchange.request
        yield header, [_other(tensor, generator) for tensor in tensors]


def same_words(exchanges: Sequence[Exchange], replies: Sequence[Header]) -> bool:
    """Whether all words in the answers of `exchanges` are in `replies` too."""
    return all(
        said == words(reply)
        for exchange, reply in zip(exchanges, replies, strict=True)
        if (said := words(exchange.reply[0]))
    )


def words(header: Header) -> list[str]:
    """Return what the submission says in its own words in a reply: of its error, of its objects' kinds."""
    error = header.get("error")
    if isinstance(error, dict):
        return [repr(error.get(key)) for key in ("type", "bases", "message")]
    return list(_kinds(header.get("value")))


def _kinds(code: Any) -> Iterator[str]:
    match code:
        case {"handle": _, "type": kind}:
            yield repr(kind)
        case {"list": list(items)} | {"tuple": list(items)}:
            for item in items:
                yield from _kinds(item)
        case {"dict": list(pairs)}:
            for pair in pairs:
                yield from _kinds({"list": pair})


def _other(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return a tensor of the same kind with other numbers; whole ones stay between the same bounds."""
    if tensor.dtype.is_floating_point:
        return torch.randn(tensor.shape, generator=generator).to(tensor.dtype)
    low, high = (int(tensor.min()), int(tensor.max())) if tensor.numel() else (0, 0)
    if tensor.dtype is torch.bool:
        low, high = 0, 1
    return torch.randint(low, high + 1, tensor.shape, generator=generator).to(tensor.dtype)
