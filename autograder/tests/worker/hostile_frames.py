"""Frames that cost whoever reads them far more than they cost the sender, all refused within some memory."""

import json
import random
import resource
import struct
from collections.abc import Iterator
from pathlib import Path

from autograder.worker.protocol import MAX_HEADER, Header, ProtocolError, unpack
from autograder.worker.values import Decoder

_PARTS = rb"""
    {} [] "" 0 [[]] {"":0} {"tensor":0} {"list":[]} "\"" 1e308 {"set":[]} {"array":0} {"index":[]}
    {"range":[0,9]}
""".split()


def frames(seed: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """Yield the known forms and, made of the same parts, a few at random."""
    for part in _PARTS:
        yield b'{"value": {"list": [' + b",".join([part] * (MAX_HEADER // (len(part) + 1))) + b"]}}", b""
    same_hash = b",".join(b"[%d,0]" % (number * (2**61 - 1)) for number in range(60_000))
    yield b'{"value": {"dict": [' + same_hash + b"]}}", b""
    yield b'{"value": ' + b'{"list": [' * 400_000 + b"]}" * 400_000 + b"}", b""
    yield b'{"value": ' + b"[" * (4 << 20) + b"]" * (4 << 20) + b"}", b""
    yield b'{"value": "' + b"\\u00e9" * (1 << 20) + b'"}', b""
    yield b'{"value": "' + b'\\"' * (4 << 20), b""
    for count, shape in ((20_000, "0"), (1, "536870912,0"), (1, ",".join("1" * 50_000) + ",0")):
        each = f'{{"dtype":"F32","shape":[{shape}],"data_offsets":[0,0]}}'
        head = ("{" + ",".join(f'"{number}":{each}' for number in range(count)) + "}").encode()
        yield b'{"value": {"tensor": 0}}', struct.pack("<Q", len(head)) + head
    shapes = {"0": {"dtype": "F32", "shape": [2**31, 0, 2**31], "data_offsets": [0, 0]}}
    head = json.dumps(shapes).encode()
    yield b'{"value": {"tensor": 0}}', struct.pack("<Q", len(head)) + head
    chance = random.Random(seed)
    for _ in range(5):
        parts = [b'{"list": [' * chance.randrange(50), *chance.choices(_PARTS, k=chance.randrange(200_000))]
        yield b'{"value": {"list": [' + b",".join(parts) + b"]" * chance.randrange(60), b""


def refuse_all(memory: int) -> None:
    """Expect every frame to be refused by a process that may take `memory` more bytes than it has now."""
    held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + memory, held + memory))
    for text, payload in frames():
        try:
            header, tensors = unpack(text[:MAX_HEADER], payload)
            Decoder(tensors, _refuse).decode(header["value"])
        except ProtocolError:
            continue
        raise AssertionError(text[:60])


def _refuse(reference: Header) -> object:
    raise ProtocolError(reference)


if __name__ == "__main__":
    refuse_all(1 << 30)
