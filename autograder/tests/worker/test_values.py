"""Each kind of values arrives as it was, a subclass as what it is a subclass of; forged ones are refused."""

import io
from collections import Counter, namedtuple
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch
from torch.overrides import TorchFunctionMode

from autograder.testing.expectations import equals
from autograder.tests.worker.crossing import across, refuse
from autograder.worker.coding import MAX_BITS, MAX_ITEMS, MAX_KEY
from autograder.worker.figures import Figure
from autograder.worker.protocol import (
    MAX_DIMS,
    MAX_ELEMENTS,
    MAX_TEXT,
    MAX_TOKENS,
    Header,
    Parts,
    ProtocolError,
    pack,
    read_frame,
)
from autograder.worker.values import Decoder, Encoder

Pair = namedtuple("Pair", "one other")
PLAIN: list[Any] = [
    *(None, True, -2.5, float("nan"), float("inf"), ["a", {"b": [None], 2: 3.0}]),
    *(1 << 70, -(1 << MAX_BITS - 1), b"a\0b", b"", 3 - 4j, complex("inf"), range(3, 10, 2), range(0)),
    *({1, 2.5, "a", None}, frozenset({(1, (2,))}), {(1, 2): "x", b"k": 1, 2j: 2}, date(2026, 1, 2)),
    *(datetime(2026, 1, 2, 3, 4, 5, 6), datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=2)))),
    *(time(3, 4, tzinfo=UTC), timedelta(-1, 2, 3)),
]
ARRAYS: list[Any] = [
    *(np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3).T, np.zeros((0, 3)), np.array(3.5)),
    *(np.array([True]), np.array([1 + 2j, 3]), np.array([[1 + 2j]], "complex64"), np.array([1.5], "float16")),
    *(np.array([1, 2], "uint64"), np.array(["2026-01-01", "NaT"], "datetime64[ns]")),
    *(np.array([3], "timedelta64[h]"), np.array(["a", "bcd"]), np.array([["a", None], [1, 2.5]], object)),
    *(np.float32(1.5), np.int64(3), np.bool_(True), np.uint8(7)),
    *(np.complex64(1j), np.datetime64("2026-01-01")),
]
TENSORS: list[Any] = [
    *(torch.float64, torch.tensor(3.0), torch.zeros(0, 3), torch.randn(2, 3, dtype=torch.float64)),
    *(torch.tensor([True, False]), torch.arange(6).reshape(2, 3).T, torch.randn(2, 3, 4).permute(2, 0, 1)),
    *(torch.randn(2, 3).to(torch.bfloat16), torch.ones(2, requires_grad=True)),
]
TABLES: list[Any] = [
    *(pd.Series([1, 2], name="n"), pd.Series(["a", None, "b"]), pd.Series([1, None], dtype="Int64")),
    *(pd.Series(["a", None, float("nan"), 1.5], dtype=object), pd.Series([True, None], dtype="boolean")),
    *(pd.Series([1.5, None], dtype="Float64"), pd.Series(["x", "y", None], dtype="category")),
    *(pd.Series(pd.date_range("2026", periods=2, tz=zone)) for zone in ("Europe/Berlin", "UTC")),
    *(pd.Series(pd.to_timedelta([1, 2], unit="D")), pd.Series([[1], {"a": 2}]), pd.Series([[1, 2], [3, 4]])),
    *(pd.Series([], dtype=float), pd.Index(["a", "b"], name="k"), pd.RangeIndex(3), pd.DataFrame()),
    pd.MultiIndex.from_tuples([(1, "a"), (2, "b")], names=["p", None]),
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=[5, 7]),
    pd.DataFrame([[1, 2.5]], columns=["a", "a"]),
    pd.DataFrame({"a": [1, 2, 2], "b": [1.0, 2.0, 3.0]}).groupby("a").agg({"b": ["mean", "sum"]}),
    *(pd.NA, pd.NaT),
]


@pytest.mark.parametrize(
    "value", [*PLAIN, *ARRAYS, *TENSORS, *TABLES], ids=lambda value: type(value).__name__
)
def test_a_value_arrives_as_it_was(value: Any) -> None:
    arrived = across([value])[0]
    assert equals(arrived, value)
    assert type(arrived) is (pd.Index if isinstance(value, pd.RangeIndex) else type(value))
    for name in ("dtype", "dtypes", "name", "names", "shape", "requires_grad"):
        assert str(getattr(arrived, name, "")) == str(getattr(value, name, "")), name
    if type(value) is torch.Tensor:
        assert arrived.stride() == value.stride()


class Zeros(TorchFunctionMode):
    """A mode in which torch gives nothing but zeros, and notes that it was asked."""

    asked = False

    def __torch_function__(self, *_: object) -> torch.Tensor:
        self.asked = True
        return torch.zeros(2)


def test_nothing_that_a_submission_puts_into_torch_reads_or_copies_a_tensor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tensor = torch.arange(6.0).view(2, 3).mT.requires_grad_()
    for name in (
        "clone",
        "detach",
        "dim",
        "is_contiguous",
        "numel",
        "permute",
        "requires_grad",
        "shape",
        "stride",
    ):
        monkeypatch.setattr(torch.Tensor, name, None)
    with Zeros() as mode:
        encoder = Encoder(refuse)
        form = encoder.encode(tensor)
        frame = pack({"value": form}, encoder.parts)
    monkeypatch.undo()
    assert not mode.asked
    header, parts = read_frame(io.BytesIO(frame).read)
    sent = Decoder(parts, refuse).decode(header["value"])
    assert torch.equal(sent, tensor)
    assert sent.requires_grad


def test_one_tensor_twice_stays_one_object() -> None:
    tensor = torch.zeros(2)
    first, second = across((tensor, tensor))
    assert first is second


class Odd(float):
    """A number that pretends to be another."""

    def __float__(self) -> float:
        return 7.0

    def __repr__(self) -> str:
        return "nonsense"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Counter("aab"), {"a": 2, "b": 1}),
        (Pair(1, [2]), (1, [2])),
        (np.str_("a"), "a"),
        (np.float64(2.5), 2.5),
        (Odd(2.5), 2.5),
        (Odd("-inf"), float("-inf")),
        (np.complex128(1j), 1j),
        (pd.Timestamp("2026-01-02"), datetime(2026, 1, 2)),
        (pd.Timedelta("1D"), timedelta(1)),
    ],
)
def test_a_subclass_arrives_as_what_it_is_a_subclass_of(value: Any, plain: Any) -> None:
    assert (type(across(value)), across(value)) == (type(plain), plain)
    assert type(across(np.zeros(2).view(np.recarray))) is np.ndarray


@pytest.mark.parametrize(
    "value",
    [
        *(1 << MAX_BITS, object(), range(1 << 40), range(1 << 70), "x" * (MAX_TEXT + 1)),
        *(bytes(MAX_ELEMENTS + 1), [0.0] * MAX_TOKENS, dict.fromkeys(range(MAX_ITEMS + 1))),
        *({"x" * (MAX_KEY + 1): 0}, {(1, ()) * 51: 0}, {1 << 5000: 0}, {frozenset(): [object()]}),
        *(torch.zeros(2, device="meta"), torch.zeros(2).to_sparse(), torch.zeros(1).expand(10**12)),
        *(torch.zeros(2**29, 0), torch.zeros([1] * (MAX_DIMS + 1)), np.zeros((1 << 40, 0))),
        *(np.broadcast_to(0.0, (1 << 20, 1 << 20)), np.ma.masked_array([1], [True])),
        *(np.zeros(1, [("a", int)]), np.longdouble(1), pd.Series(pd.interval_range(0, 2))),
        *(pd.Series(range(100_001)), pd.Series(["x" * 50] * 90_000)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_too_much_or_has_no_form_is_referred_to(value: object) -> None:
    encoder = Encoder(lambda _: {"handle": 0})
    assert "{'handle': 0}" in str(encoder.encode([b"a", value]))
    assert encoder.parts == [b"a"]


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
    assert len(across(value, lambda _: {"handle": 0}, lambda _: "kept")) == len(value)


def test_lists_up_to_the_bound_are_read_or_referred_to_and_never_break_the_protocol() -> None:
    for count in range(3200, 3400, 7):
        value = [{"a": 0.5}, [1] * count, {"b": [None]}]
        assert across(value, lambda _: {"handle": 0}, lambda _: "kept")[0] == {"a": 0.5}


def test_equal_sets_give_equal_bytes() -> None:
    ones, others = {"a", "b", 1}, {1, "b", "a"}
    assert Encoder(refuse).encode(ones) == Encoder(refuse).encode(others)


def series(column: Header, name: object = None) -> Header:
    return {"series": column, "labels": LABELS, "name": name}


def whole(place: int, count: int = 3) -> Header:
    return {"array": place, "dtype": "int64", "shape": [count]}


LABELS = {"index": [{"values": whole(1)}], "names": {"list": [None]}}
NUMBERS = np.arange(3).tobytes()


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ({"int": "0x" + "f" * 2000}, []),
        ({"int": 5}, []),
        (1 << 63, []),
        ("x" * (MAX_TEXT + 1), []),
        ({"list": {"a": 0}}, []),
        ({"tuple": "abc"}, []),
        ({"dict": [[number, 0] for number in range(MAX_ITEMS + 1)]}, []),
        ({"dict": [["x" * (MAX_KEY + 1), 0]]}, []),
        ({"dict": [[{"tuple": [{"list": []}]}, 0]]}, []),
        ({"None": 1}, []),
        ({"range": [0, 1 << 40, 1]}, []),
        ({"range": [0, 1, 0]}, []),
        ({"set": [{"list": []}]}, []),
        ({"set": list(range(1001))}, []),
        ({"dict": [[whole(0), 1]]}, [NUMBERS]),
        ({"date": "yesterday"}, []),
        ({"timedelta": [1 << 60, 0, 0]}, []),
        ({"missing": "__class__"}, []),
        ({"float": "much"}, []),
        ({"complex": "1j1"}, []),
        ({"bytes": 0}, [torch.zeros(3)]),
        ({"list": [{"bytes": 0}, {"bytes": 0}]}, [NUMBERS]),
        (whole(0), [b"abc"]),
        (whole(-1), [NUMBERS]),
        (whole(0), [torch.zeros(3)]),
        ({"list": [whole(0), whole(0)]}, [NUMBERS]),
        ({"array": 0, "dtype": "O", "shape": [3]}, [NUMBERS]),
        ({"array": 0, "dtype": "int64,int64", "shape": [1]}, [NUMBERS[:16]]),
        ({"array": 0, "dtype": "int32", "shape": [4]}, [NUMBERS]),
        ({"array": 0, "dtype": "U3", "shape": [2]}, [b"\xff" * 24]),
        ({"array": 0, "dtype": "datetime64[ns]", "shape": [1 << 40, 0]}, [b""]),
        ({"array": {"texts": 0}, "shape": [2]}, [b'["a"]']),
        ({"array": {"texts": 0}, "shape": [1]}, [b"[[]]"]),
        ({"array": {"texts": 0}, "shape": [1]}, [b'{"a": 0}']),
        ({"array": {"texts": 0}, "shape": [1]}, [b"\xff"]),
        ({"array": {"texts": 0}, "shape": [200_000]}, [b"[0" + b",0" * 199_999 + b"]"]),
        ({"scalar": "00", "dtype": "object"}, []),
        ({"scalar": "0000", "dtype": "int8"}, []),
        ({"scalar": {"list": []}, "dtype": "float32"}, []),
        (series({"values": whole(0)}), [NUMBERS, NUMBERS[:16]]),
        (series({"values": whole(0)}, {"list": []}), [NUMBERS, NUMBERS]),
        (series({"values": whole(0), "zone": "dateutil//etc/localtime"}), [NUMBERS, NUMBERS]),
        (series({"values": {"list": []}}), [NUMBERS, NUMBERS]),
        (series({"codes": whole(0), "categories": {"values": whole(2, 1)}}), [NUMBERS, NUMBERS, NUMBERS[:8]]),
        ({"frame": [{"values": whole(0)}] * 2, "labels": LABELS, "columns": LABELS}, [NUMBERS, NUMBERS]),
        ({"index": [], "names": {"list": []}}, []),
        ({"index": [{"values": {"list": [{"list": []}]}, "texts": "object"}], "names": {"list": [None]}}, []),
        ({"figure": {"dict": [["title", 1], ["axes", {"list": []}]]}}, []),
        ({"figure": {"dict": [["title", ""], ["axes", {"list": [{"dict": []}]}]]}}, []),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_forged_value_is_refused(code: Any, parts: Parts) -> None:
    with pytest.raises(ProtocolError):
        Decoder(parts, refuse).decode(code)


def test_what_is_nested_too_deeply_is_refused() -> None:
    value: Any = 1
    for _ in range(5000):
        value = {"list": [value]}
    with pytest.raises(ProtocolError):
        Decoder([], refuse).decode(value)


def test_a_figure_arrives_as_facts() -> None:
    figure, (left, right) = plt.subplots(1, 2)
    figure.suptitle("Both")
    left.plot([1, 2], [3, 4], label="rise")
    left.set(title="Left", xlabel="x", ylabel="y", yscale="log")
    left.legend()
    right.imshow(np.eye(2))
    right.bar(["a", "b"], [3, 4])
    right.barh([1], [2])
    right.scatter([1, 2], [5, 6])
    facts = across(figure)
    plt.close(figure)
    assert isinstance(facts, Figure)
    first, second = facts.axes
    assert (facts.title, first.title, first.xlabel, first.ylabel) == ("Both", "Left", "x", "y")
    assert (first.xscale, first.yscale, first.legend) == ("linear", "log", ("rise",))
    (line,), (image,) = first.lines, second.images
    assert (line.label, line.x.tolist(), line.y.tolist()) == ("rise", [1, 2], [3, 4])
    assert image.tolist() == [[1, 0], [0, 1]]
    upright, lying = second.bars
    assert [one.tolist() for one in (upright.x, upright.y)] == [[0, 1], [3, 4]]
    assert [one.tolist() for one in (lying.x, lying.y)] == [[1], [2]]
    assert second.points[0].y.tolist() == [5, 6]
    assert across(left).axes[0].title == "Left"
