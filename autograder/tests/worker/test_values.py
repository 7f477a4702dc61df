"""Each kind of values arrives as it was, a subclass as what it is a subclass of; forged ones are refused."""

from collections import Counter, namedtuple
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from autograder.testing.expectations import equals
from autograder.tests.worker.crossing import across, refuse
from autograder.worker.coding import MAX_BITS
from autograder.worker.figures import Figure
from autograder.worker.protocol import MAX_ELEMENTS, Header, Parts, ProtocolError
from autograder.worker.values import Decoder, Encoder

Pair = namedtuple("Pair", "one other")
PLAIN: list[Any] = [
    1 << 70,
    -(1 << MAX_BITS - 1),
    b"a\0b",
    b"",
    3 - 4j,
    complex("inf"),
    range(3, 10, 2),
    range(0),
    {1, 2.5, "a", None},
    frozenset({(1, (2,))}),
    {(1, 2): "x", b"k": 1, 2j: 2},
    date(2026, 1, 2),
    datetime(2026, 1, 2, 3, 4, 5, 6),
    datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=2))),
    time(3, 4, tzinfo=UTC),
    timedelta(-1, 2, 3),
]
ARRAYS: list[Any] = [
    np.arange(6).reshape(2, 3),
    np.arange(6).reshape(2, 3).T,
    np.zeros((0, 3)),
    np.array(3.5),
    np.array([True]),
    np.array([1 + 2j, 3]),
    np.array([[1 + 2j]], "complex64"),
    np.array([1.5], "float16"),
    np.array([1, 2], "uint64"),
    np.array(["2026-01-01", "NaT"], "datetime64[ns]"),
    np.array([3], "timedelta64[h]"),
    np.array(["a", "bcd"]),
    np.array([["a", None], [1, 2.5]], object),
    np.float32(1.5),
    np.int64(3),
    np.bool_(True),
    np.uint8(7),
    np.complex64(1j),
    np.datetime64("2026-01-01"),
]
TABLES: list[Any] = [
    pd.Series([1, 2], name="n"),
    pd.Series(["a", None, "b"]),
    pd.Series(["a", None, float("nan"), 1.5], dtype=object),
    pd.Series([1, None], dtype="Int64"),
    pd.Series([True, None], dtype="boolean"),
    pd.Series([1.5, None], dtype="Float64"),
    pd.Series(["x", "y", None], dtype="category"),
    pd.Series(pd.date_range("2026", periods=2, tz="Europe/Berlin")),
    pd.Series(pd.to_timedelta([1, 2], unit="D")),
    pd.Series([[1], {"a": 2}]),
    pd.Series([[1, 2], [3, 4]]),
    pd.Series(pd.date_range("2026", periods=2, tz="UTC")),
    pd.Series([], dtype=float),
    pd.Index(["a", "b"], name="k"),
    pd.MultiIndex.from_tuples([(1, "a"), (2, "b")], names=["p", None]),
    pd.RangeIndex(3),
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=[5, 7]),
    pd.DataFrame(),
    pd.DataFrame([[1, 2.5]], columns=["a", "a"]),
    pd.DataFrame({"a": [1, 2, 2], "b": [1.0, 2.0, 3.0]}).groupby("a").agg({"b": ["mean", "sum"]}),
    pd.NA,
    pd.NaT,
]


@pytest.mark.parametrize("value", [*PLAIN, *ARRAYS, *TABLES], ids=lambda value: type(value).__name__)
def test_a_value_arrives_as_it_was(value: Any) -> None:
    arrived = across([value])[0]
    assert equals(arrived, value)
    assert type(arrived) is (pd.Index if isinstance(value, pd.RangeIndex) else type(value))
    for name in ("dtype", "dtypes", "name", "names", "shape"):
        assert str(getattr(arrived, name, "")) == str(getattr(value, name, "")), name


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Counter("aab"), {"a": 2, "b": 1}),
        (Pair(1, [2]), (1, [2])),
        (np.str_("a"), "a"),
        (np.float64(2.5), 2.5),
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
        1 << MAX_BITS,
        range(1 << 40),
        range(1 << 70),
        bytes(MAX_ELEMENTS + 1),
        {frozenset(): [object()]},
        np.broadcast_to(0.0, (1 << 20, 1 << 20)),
        np.zeros((1 << 40, 0)),
        np.ma.masked_array([1], [True]),
        np.zeros(1, [("a", int)]),
        np.longdouble(1),
        pd.Series(pd.interval_range(0, 2)),
        pd.Series(range(100_001)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_too_much_or_has_no_form_goes_to_the_caller(value: object) -> None:
    with pytest.raises(TypeError):
        Encoder(refuse).encode(value)
    encoder = Encoder(lambda _: {"handle": 0})
    assert encoder.encode([np.zeros(2), value]) == {"list": [{"array": 0}, {"handle": 0}]} or encoder.parts


def test_equal_sets_give_equal_bytes() -> None:
    ones, others = {"a", "b", 1}, {1, "b", "a"}
    assert Encoder(refuse).encode(ones) == Encoder(refuse).encode(others)


LABELS = {"index": [{"values": {"array": 1}}], "names": {"list": [None]}}
NUMBERS = np.arange(3)


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ({"int": "0x" + "f" * 2000}, []),
        ({"int": 5}, []),
        ({"None": 1}, []),
        ({"range": [0, 1 << 40, 1]}, []),
        ({"range": [0, 1, 0]}, []),
        ({"set": [{"list": []}]}, []),
        ({"set": list(range(1001))}, []),
        ({"dict": [[{"array": 0}, 1]]}, [NUMBERS]),
        ({"date": "yesterday"}, []),
        ({"timedelta": [1 << 60, 0, 0]}, []),
        ({"missing": "__class__"}, []),
        ({"bytes": 0}, [NUMBERS]),
        ({"array": 0}, [b"abc"]),
        ({"array": -1}, [NUMBERS]),
        ({"list": [{"array": 0}, {"array": 0}]}, [NUMBERS]),
        ({"array": 0, "dtype": "O", "shape": [3]}, [NUMBERS]),
        ({"array": 0, "dtype": "complex128", "shape": [3]}, [NUMBERS]),
        ({"array": 0, "dtype": "datetime64[ns]", "shape": [1 << 40, 0]}, [NUMBERS[:0]]),
        ({"array": {"texts": 0, "lengths": 1}, "dtype": "str", "shape": [2]}, [b"abc", np.array([1, 3])]),
        ({"array": {"texts": 0, "lengths": 1}, "dtype": "str", "shape": [2]}, [b"abc", np.array([4, -1])]),
        ({"array": {"texts": 0, "lengths": 1}, "dtype": "str", "shape": [1]}, [b"\xff", np.array([1])]),
        (
            {"array": {"texts": 0, "lengths": 1}, "dtype": "str", "shape": [90_000]},
            [b"x" * 90_000, np.array([90_000] + [0] * 89_999)],
        ),
        ({"scalar": 1, "dtype": "object"}, []),
        ({"scalar": 1 << 40, "dtype": "int8"}, []),
        ({"scalar": {"list": []}, "dtype": "float32"}, []),
        ({"series": {"values": {"array": 0}}, "labels": LABELS, "name": None}, [NUMBERS, NUMBERS[:2]]),
        ({"series": {"values": {"array": 0}}, "labels": LABELS, "name": {"list": []}}, [NUMBERS, NUMBERS]),
        (
            {
                "series": {"values": {"array": 0}, "zone": "dateutil//etc/localtime"},
                "labels": LABELS,
                "name": None,
            },
            [NUMBERS, NUMBERS],
        ),
        ({"series": {"values": {"list": []}}, "labels": LABELS, "name": None}, [NUMBERS, NUMBERS]),
        (
            {
                "series": {"codes": {"array": 0}, "categories": {"values": {"array": 2}}},
                "labels": LABELS,
                "name": None,
            },
            [NUMBERS, NUMBERS, NUMBERS[:1]],
        ),
        ({"frame": [{"values": {"array": 0}}] * 2, "labels": LABELS, "columns": LABELS}, [NUMBERS, NUMBERS]),
        ({"index": [], "names": {"list": []}}, []),
        ({"index": [{"values": {"list": [{"list": []}]}, "texts": "object"}], "names": {"list": [None]}}, []),
        ({"figure": {"dict": [["title", 1], ["axes", {"list": []}]]}}, []),
        ({"figure": {"dict": [["title", ""], ["axes", {"list": [{"dict": []}]}]]}}, []),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_forged_value_is_refused(code: Header, parts: Parts) -> None:
    with pytest.raises(ProtocolError):
        Decoder(parts, refuse).decode(code)


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
    assert (upright.x.tolist(), upright.y.tolist(), lying.x.tolist(), lying.y.tolist()) == (
        [0, 1],
        [3, 4],
        [1],
        [2],
    )
    assert second.points[0].y.tolist() == [5, 6]
    assert across(left).axes[0].title == "Left"
