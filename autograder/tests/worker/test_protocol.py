"""Frames survive the pipe; what is too much is counted before it is built, and refused like anything else."""

import io
import json
import struct
import sys
from pathlib import Path
from subprocess import run
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.worker.coding import TABLE
from autograder.worker.protocol import (
    MAX_ANSWER,
    MAX_DEPTH,
    MAX_DIMS,
    MAX_PARTS,
    MAX_TOKENS,
    Header,
    ProtocolError,
    pack,
    read_frame,
    unpack,
)
from autograder.worker.values import Decoder

KEYS = [*TABLE, "order", "dtype", "shape", "labels", "names", "handle"]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=12,
)


def survive(frame: bytes) -> None:
    """Read `frame` as a reply: only the errors that the grader expects may come of it."""
    stream = io.BytesIO(frame)

    def receive(count: int) -> bytes:
        data = stream.read(count)
        if len(data) < count:
            raise EOFError
        return data

    try:
        header, tensors = read_frame(receive)
        Decoder(tensors, _known).decode(header.get("value"))
    except (ProtocolError, EOFError):
        pass


def _known(reference: Header) -> object:
    if set(reference) != {"handle"}:
        raise ProtocolError(reference)
    return object()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_noise_is_a_protocol_error_or_an_early_end(noise: bytes) -> None:
    survive(noise)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(JSON, st.integers(0, 3), st.binary(max_size=40))
def test_a_well_formed_frame_with_any_header_is_read_or_refused(
    value: Any, count: int, trailing: bytes
) -> None:
    parts = [torch.zeros(2, 3), bytes(48), b'["a", null]']
    survive(pack({"value": value}, parts[:count]) + trailing)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_a_frame_with_flipped_bytes_is_read_or_refused(data: st.DataObject) -> None:
    frame = bytearray(pack({"value": {"tensor": 0}}, [torch.zeros(2, 3)]))
    for _ in range(data.draw(st.integers(1, 8))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    survive(bytes(frame))


@pytest.mark.parametrize(
    "header",
    [
        b"{} trailing",
        b'{"a": NaN}',
        b"\xff",
        b"null",
        b'{"a": ' + b"9" * 21 + b"}",
        b"[" * 100_000,
        b"[" + b"{}," * (MAX_TOKENS // 2) + b"0]",
        b'{"a": [' + b'"",' * MAX_TOKENS + b'""]}',
        b'{"a": "\\\\", "b": [' + b"0," * MAX_TOKENS + b"0]}",
        b'{"a": "\\"", "b": [' + b"0," * MAX_TOKENS + b"0]}",
        b'{"a": ' + b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1) + b"}",
    ],
    ids=lambda header: str(header[:20]),
)
def test_a_header_that_is_none_or_holds_too_much_is_refused(header: bytes) -> None:
    with pytest.raises(ProtocolError):
        unpack(header, b"")


def tensors_of(*shapes: list[int]) -> bytes:
    """Return a payload of float32 tensors of these shapes, all without bytes."""
    named = {
        str(i): {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]} for i, shape in enumerate(shapes)
    }
    head = json.dumps(named).encode()
    return struct.pack("<Q", len(head)) + head


@pytest.mark.parametrize(
    "shapes",
    [
        [[2**29, 0]],
        [[0, 2**62, 2**62]],
        [[1 << 11, 1 << 12, 0]],
        [[0, *[1] * MAX_DIMS]],
        [[0]] * (MAX_PARTS + 1),
        [[0] * 5000] * 100,
    ],
    ids=["rows", "overflow", "product", "dimensions", "count", "header"],
)
def test_tensors_that_weigh_nothing_are_bounded_too(shapes: list[list[int]]) -> None:
    with pytest.raises(ProtocolError):
        unpack(b"{}", tensors_of(*shapes))


def test_a_frame_that_claims_to_be_huge_is_refused_before_it_is_read() -> None:
    with pytest.raises(ProtocolError):
        read_frame(io.BytesIO(struct.pack("!II", 1 << 31, 0)).read)


def test_a_long_header_of_outputs_arrives_and_what_stands_in_texts_is_not_counted() -> None:
    texts = [character * 9000 for character in '"[{,:'] * 20 + ['[{,\\"' * 100_000]
    outputs = [{"output_type": "stream", "name": "stdout", "text": text} for text in texts]
    frame = pack({"id": "0" * 16, "outputs": outputs, "error": None}, [])
    assert len(frame) > 2 * MAX_ANSWER
    assert read_frame(io.BytesIO(frame).read)[0]["outputs"] == outputs
    with pytest.raises(ProtocolError):
        pack({"value": outputs}, [])


def test_hostile_frames_are_refused_within_little_memory() -> None:
    command = [sys.executable, "-m", "autograder.tests.worker.hostile_frames"]
    root = Path(__file__).parents[3]
    done = run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
