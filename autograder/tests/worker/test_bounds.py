"""What a message may hold: it is counted before anything large is built of it."""

import json
import struct
import sys
from pathlib import Path
from subprocess import run
from typing import Any

import pytest
import torch

from autograder.worker import coding, protocol
from autograder.worker.protocol import Header, ProtocolError, pack, unpack
from autograder.worker.values import Decoder, Encoder


class Kept:
    """Stands for a value that an encoder has referred to."""


def refer(value: object) -> Header:
    return {"handle": 0, "type": type(value).__name__}


def kept(reference: Header) -> Any:
    if "handle" not in reference:
        raise ProtocolError(reference)
    return Kept


def across(value: object) -> Any:
    """Return `value` as an honest worker sends it and the grader has it."""
    encoder = Encoder(refer)
    frame = pack({"value": encoder.encode(value)}, encoder.parts)
    length = struct.unpack("!II", frame[:8])[0]
    header, tensors = unpack(frame[8 : 8 + length], frame[8 + length :])
    return Decoder(tensors, kept).decode(header["value"])


def tensors_of(*shapes: list[int]) -> bytes:
    """Return a payload of float32 tensors of these shapes, all without bytes."""
    named = {
        str(i): {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]} for i, shape in enumerate(shapes)
    }
    head = json.dumps(named).encode()
    return struct.pack("<Q", len(head)) + head


@pytest.mark.parametrize(
    "header",
    [
        b"[" + b"{}," * (protocol.MAX_TOKENS // 2) + b"0]",
        b'{"a": [' + b'"",' * protocol.MAX_TOKENS + b'""]}',
        b'{"a": "\\\\", "b": [' + b"0," * protocol.MAX_TOKENS + b"0]}",
        b'{"a": "\\"", "b": [' + b"0," * protocol.MAX_TOKENS + b"0]}",
        b'{"a": ' + b"[" * (protocol.MAX_DEPTH + 1) + b"]" * (protocol.MAX_DEPTH + 1) + b"}",
        b'{"a": "' + b"x" * (protocol.MAX_TEXT + 1) + b'"}',
        b'{"a": {"' + b"x" * (protocol.MAX_TEXT + 1) + b'": 0}}',
        b'{"error": {"message": "' + b"x" * (protocol.MAX_TEXT + 1) + b'"}, "outputs": []}',
        b'{"a": [' + b'"' + b"x" * 9000 + b'",' * 40 + b"0]}",
        b'{"a": ' + b"9" * 21 + b"}",
    ],
    ids=lambda header: str(header[:20]),
)
def test_a_header_of_too_much_is_refused(header: bytes) -> None:
    with pytest.raises(ProtocolError):
        unpack(header, b"")


def test_what_stands_in_texts_is_not_counted() -> None:
    text = json.dumps({"outputs": [{"text": '[{,\\"\\\\' * 100_000}], "error": None}).encode()
    header, _ = unpack(text, b"")
    assert len(header["outputs"][0]["text"]) == 700_000


@pytest.mark.parametrize(
    "shapes",
    [
        [[2**29, 0]],
        [[0, 2**62, 2**62]],
        [[1 << 11, 1 << 12, 0]],
        [[0, *[1] * protocol.MAX_DIMS]],
        [[0]] * (protocol.MAX_PARTS + 1),
        [[0] * 5000] * 100,
    ],
    ids=["rows", "overflow", "product", "dimensions", "count", "header"],
)
def test_tensors_that_weigh_nothing_are_bounded_too(shapes: list[list[int]]) -> None:
    with pytest.raises(ProtocolError):
        unpack(b"{}", tensors_of(*shapes))


@pytest.mark.parametrize(
    "code",
    [
        {"dict": [[number, 0] for number in range(coding.MAX_ITEMS + 1)]},
        {"dict": [["x" * (coding.MAX_KEY + 1), 0]]},
        {"dict": [[{"tuple": [{"list": []}]}, 0]]},
        {"dict": [[{"handle": 0}, 0]]},
        {"list": {"a": 0}},
        {"tuple": "abc"},
        1 << 63,
    ],
)
def test_a_value_of_odd_keys_or_form_is_refused(code: Any) -> None:
    with pytest.raises(ProtocolError):
        Decoder([], kept).decode(code)


@pytest.mark.parametrize(
    "value",
    [
        "x" * (protocol.MAX_TEXT + 1),
        [0.0] * protocol.MAX_TOKENS,
        tuple(range(protocol.MAX_TOKENS)),
        dict.fromkeys(range(coding.MAX_ITEMS + 1)),
        {"x" * (coding.MAX_KEY + 1): 0},
        {(1, ()) * 51: 0},
        {1 << 5000: 0},
        torch.zeros(2**29, 0),
        torch.zeros([1] * (protocol.MAX_DIMS + 1)),
        torch.zeros(1).expand(protocol.MAX_ELEMENTS + 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_honest_worker_keeps_what_is_too_large_and_names_it(value: object) -> None:
    assert across(value) is Kept
    assert across([value, 7]) == [Kept, 7]


@pytest.mark.parametrize(
    "value",
    [
        [0.5] * 3000,
        [[0.0] * 50] * 60,
        {f"layer{number}": torch.zeros(2, 3).T for number in range(500)},
        [[torch.zeros(2, 3, 4).permute(2, 0, 1) for _ in range(20)] for _ in range(20)],
        [float("nan"), torch.float32, (1, (2,)), None] * 500,
        ["x" * 1000] * 200,
    ],
    ids=["list", "rows", "parameters", "tensors", "forms", "texts"],
)
def test_whatever_an_honest_worker_sends_is_read(value: Any) -> None:
    seen = across(value)
    assert len(seen) == len(value)


def test_lists_up_to_the_bound_are_read_or_kept_and_never_break_the_protocol() -> None:
    levels: Any = 0
    for _ in range(60):
        levels = {"a": levels}
    assert across(levels) != {}
    for count in range(3200, 3400, 7):
        assert across([{"a": 0.5}, [1] * count, {"b": [None]}])[0] == {"a": 0.5}


def test_hostile_frames_are_refused_within_little_memory() -> None:
    command, root = (
        [sys.executable, "-m", "autograder.tests.worker.hostile_frames"],
        Path(__file__).parents[3],
    )
    done = run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
