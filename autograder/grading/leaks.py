"""Keeps hidden inputs out of a submission's own words, such as an exception's message or a class's name.

The submission chose these words after it had seen a test's inputs, so they could hold them. The test's
requests are therefore repeated in a fresh worker, with other numbers in every tensor. Words that come out
the same there do not depend on the numbers, and may be shown.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from autograder.testing.exchange import Exchange, Request
from autograder.worker.protocol import Header


def scrambled(exchanges: Sequence[Exchange]) -> Iterator[Request]:
    """Yield the requests of `exchanges`, with other numbers in their tensors."""
    generator = torch.Generator().manual_seed(len(exchanges))
    for exchange in exchanges:
        header, tensors = exchange.request
        yield header, [_other(tensor, generator) for tensor in tensors]


def same_words(exchanges: Sequence[Exchange], replies: Sequence[Header]) -> bool:
    """Whether each answer of `exchanges` that holds words of its own has the same ones in `replies`."""
    return all(
        said == words(reply)
        for exchange, reply in zip(exchanges, replies, strict=True)
        if (said := words(exchange.reply[0]))
    )


def words(header: Header) -> list[str]:
    """Return the words in a reply that the submission chose: those of its error, or its objects' types."""
    error = header.get("error")
    if isinstance(error, dict):
        return [repr(error.get(key)) for key in ("type", "bases", "message")]
    return list(_kinds(header.get("value")))


def _kinds(code: Any) -> Iterator[str]:
    """Yield the types of the objects in a value."""
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
    """Return a tensor of the same kind with other numbers; whole ones stay within the same bounds."""
    if tensor.dtype.is_floating_point:
        return torch.randn(tensor.shape, generator=generator).to(tensor.dtype)
    low, high = (int(tensor.min()), int(tensor.max())) if tensor.numel() else (0, 0)
    if tensor.dtype is torch.bool:
        low, high = 0, 1
    return torch.randint(low, high + 1, tensor.shape, generator=generator).to(tensor.dtype)
