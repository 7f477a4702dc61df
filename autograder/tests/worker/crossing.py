"""A value on its way through the pipe, in this process."""

import io
from collections.abc import Callable
from typing import Any

from autograder.worker.protocol import Header, pack, read_frame
from autograder.worker.values import Decoder, Encoder


def refuse(value: object) -> Header:
    raise TypeError(value)


def across(
    value: object, refer: Callable[[object], Header] = refuse, resolve: Callable[[Header], Any] = refuse
) -> Any:
    """Return `value` as the other end of the pipe has it."""
    encoder = Encoder(refer)
    header, parts = read_frame(io.BytesIO(pack({"value": encoder.encode(value)}, encoder.parts)).read)
    return Decoder(parts, resolve).decode(header["value"])
