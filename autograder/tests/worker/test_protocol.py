"""Frames survive the pipe; whatever else comes is a ProtocolError and nothing worse."""

import io
import struct
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.tests.worker.crossing import across, refuse
from autograder.worker.coding import TABLE
from autograder.worker.protocol import (
    MAX_ANSWER,
    MAX_HEADER,
    Header,
    ProtocolError,
    pack,
    read_frame,
    unpack,
)
from autograder.worker.values import Decoder, Encoder

TENSORS = [
    torch.tensor(3.0),
    torch.zeros(0, 3),
    torch.randn(2, 3, dtype=torch.float64),
    torch.tensor([True, False]),
    torch.arange(6).reshape(2, 3).T,
    torch.randn(2, 3, 4).permute(2, 0, 1),
    torch.randn(2, 3).to(torch.bfloat16),
    torch.tensor([float("nan"), float("inf"), -float("inf")]),
]


@pytest.mark.parametrize("tensor", TENSORS, ids=lambda tensor: f"{tensor.dtype}{tuple(tensor.shape)}")
def test_a_tensor_arrives_as_it_was(tensor: torch.Tensor) -> None:
    arrived = across(tensor)
    assert arrived.dtype == tensor.dtype
    assert arrived.stride() == tensor.stride()
    assert torch.equal(arrived.nan_to_num(), tensor.nan_to_num())


@pytest.mark.parametrize(
    "value",
    [None, True, 7, -2.5, "text", [1, "a"], (1, (2,)), {"a": [None], 2: 3.0}, torch.float64, float("inf")],
)
def test_a_plain_value_arrives_as_it_was(value: object) -> None:
    assert across(value) == value


@pytest.mark.parametrize("value", [np.mean([1.0, 4.0]), np.float64("inf"), -np.float64(0.0)])
def test_a_float_of_numpy_s_is_a_float(value: np.float64) -> None:
    arrived = across(value)
    assert (type(arrived), repr(arrived)) == (float, repr(float(value)))


def test_a_float_that_pretends_to_be_another_arrives_as_what_it_holds() -> None:
    class Odd(float):
        def __float__(self) -> float:
            return 7.0

        def __repr__(self) -> str:
            return "nonsense"

    assert across([Odd(2.5), Odd("-inf")]) == [2.5, float("-inf")]


def test_one_tensor_twice_stays_one_object() -> None:
    tensor = torch.zeros(2)
    first, second = across((tensor, tensor))
    assert first is second


def test_whether_a_gradient_is_wanted_arrives() -> None:
    assert across(torch.ones(2, requires_grad=True)).requires_grad
    assert not across(torch.ones(2)).requires_grad


@pytest.mark.parametrize(
    "value", [object(), 1 << 7000, torch.zeros(2, device="meta"), torch.zeros(2).to_sparse()]
)
def test_what_has_no_form_goes_to_the_caller(value: object) -> None:
    with pytest.raises(TypeError):
        Encoder(refuse).encode(value)


def test_an_expanded_tensor_of_a_trillion_elements_is_not_copied() -> None:
    with pytest.raises(TypeError):
        Encoder(refuse).encode(torch.zeros(1).expand(10**12))


@settings(max_examples=2000, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_noise_is_a_protocol_error_or_an_early_end(noise: bytes) -> None:
    survive(noise)


KEYS = [*TABLE, "order", "shape", "labels", "names", "handle"]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=2500, deadline=None, derandomize=True)
@given(JSON, st.integers(0, 3), st.binary(max_size=40))
def test_a_well_formed_frame_with_any_header_is_read_or_refused(
    value: Any, count: int, trailing: bytes
) -> None:
    parts = [torch.zeros(2, 3), np.arange(6), b"abc"]
    survive(pack({"value": value}, parts[:count]) + trailing)


@settings(max_examples=2000, deadline=None, derandomize=True)
@given(st.data())
def test_a_frame_with_flipped_bytes_is_read_or_refused(data: st.DataObject) -> None:
    frame = bytearray(pack({"value": {"tensor": 0}}, [torch.zeros(2, 3)]))
    for _ in range(data.draw(st.integers(1, 8))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    survive(bytes(frame))


@pytest.mark.parametrize(
    "header",
    [b"[" * 100_000, b"{} trailing", b'{"a": NaN}', b"\xff", b"null", b'{"a": ' + b"9" * 5000 + b"}"],
)
def test_a_header_that_is_no_header_is_refused(header: bytes) -> None:
    with pytest.raises(ProtocolError):
        unpack(header, b"")


def test_a_frame_that_claims_to_be_huge_is_refused_before_it_is_read() -> None:
    with pytest.raises(ProtocolError):
        read_frame(io.BytesIO(struct.pack("!II", 1 << 31, 0)).read)


@pytest.mark.parametrize(
    "start",
    [
        b'{"id": "1", "value": "' + b"x" * MAX_ANSWER,
        b'{"id": "1", "outputs": [' + b"{}," * MAX_ANSWER,
        b'{"id": "1", "outputs": ' + b"[" * MAX_ANSWER,
    ],
    ids=["is long without a reason", "holds too many values", "is too deep"],
)
def test_a_long_header_is_refused_by_its_start_before_the_rest_has_come(start: bytes) -> None:
    frame = io.BytesIO(struct.pack("!II", MAX_HEADER, 0) + start + b" " * MAX_HEADER)
    with pytest.raises(ProtocolError):
        read_frame(frame.read)
    assert frame.tell() < 2 * MAX_ANSWER


def test_a_long_header_of_outputs_arrives() -> None:
    texts = [character * 9000 for character in '"[{,:'] * 20  # none of which counts inside a text
    outputs = [{"output_type": "stream", "name": "stdout", "text": text} for text in texts]
    frame = pack({"id": "0" * 16, "outputs": outputs, "error": None}, [])
    assert len(frame) > 2 * MAX_ANSWER
    assert read_frame(io.BytesIO(frame).read)[0]["outputs"] == outputs


def test_a_deeply_nested_value_is_refused() -> None:
    value: Any = 1
    for _ in range(5000):
        value = {"list": [value]}
    with pytest.raises(ProtocolError):
        Decoder([], refuse).decode(value)


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
