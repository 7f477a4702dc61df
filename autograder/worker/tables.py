"""How values of pandas are sent: a Series, DataFrame or Index becomes columns.

A column is an array. Some dtypes also need their categories, their time zone, or a mask of missing values.
The receiver checks sizes and dtypes of all arrays before pandas' constructors rebuild the value.
"""

import sys
from collections.abc import Sequence
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

from autograder.worker.arrays import MAX_OBJECTS, as_objects, decode_objects, encode_objects
from autograder.worker.coding import MAX_ITEMS, Decoder, Encoder, RefusedError, Row, is_key
from autograder.worker.protocol import Header, ProtocolError


def _column(encoder: Encoder, values: Any) -> Header:
    """Return the JSON of a column: a Series, or one level of an Index."""
    pandas, numpy = sys.modules["pandas"], sys.modules["numpy"]
    if len(values) > MAX_OBJECTS:
        raise RefusedError
    dtype = values.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        column = pandas.Categorical(values)
        codes, categories = column.codes.astype("int64"), _column(encoder, column.categories)
        return {"codes": encoder.encode(codes), "categories": categories, "ordered": bool(column.ordered)}
    if isinstance(dtype, pandas.DatetimeTZDtype):
        moments = pandas.Series(values).dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        return {"values": encoder.encode(moments), "zone": _zone_name(dtype.tz)}
    if isinstance(dtype, pandas.StringDtype) or dtype.name == "object":
        texts = [None if value is pandas.NA else value for value in values.tolist()]
        return {
            "values": encode_objects(encoder, texts),
            "texts": "object" if dtype.name == "object" else "str",
        }
    if dtype.kind in "biuf" and hasattr(dtype, "numpy_dtype"):  # a nullable dtype of pandas
        plain = values.to_numpy(dtype=dtype.numpy_dtype, na_value=0)
        return {"values": encoder.encode(plain), "missing": encoder.encode(numpy.asarray(values.isna()))}
    if dtype.kind not in "biufcmM" or hasattr(dtype, "subtype"):
        raise RefusedError
    return {"values": encoder.encode(values.to_numpy())}


def _zone_name(zone: Any) -> str:
    """Return the name of a time zone; raise RefusedError if it has none."""
    if zone is UTC or isinstance(getattr(zone, "key", None), str):
        return str(getattr(zone, "key", "UTC"))
    raise RefusedError


def _read_column(decoder: Decoder, code: Header, length: int | None = None) -> Any:
    """Return a column as an array. A wrong length is refused before pandas builds the array."""
    pandas = sys.modules["pandas"]
    if "categories" in code:
        codes, categories = _array(decoder, code["codes"], length), _read_column(decoder, code["categories"])
        return pandas.Categorical.from_codes(codes, categories, ordered=code["ordered"] is True)
    if "texts" in code:
        texts = decode_objects(decoder, code["values"])
        _check(texts, length)
        values = as_objects(texts)
        return pandas.array(values, dtype="str") if code["texts"] == "str" else values
    values = _array(decoder, code["values"], length)
    if "zone" in code:
        zone = ZoneInfo(code["zone"])  # unlike pandas, ZoneInfo refuses the path of a file
        return pandas.Series(values).dt.tz_localize("UTC").dt.tz_convert(zone).array
    if "missing" in code:
        kinds = {"b": pandas.arrays.BooleanArray, "f": pandas.arrays.FloatingArray}
        array = kinds.get(values.dtype.kind, pandas.arrays.IntegerArray)
        return array(values, _array(decoder, code["missing"], len(values)))
    return values


def _array(decoder: Decoder, code: Any, length: int | None) -> Any:
    values = decoder.value(code)
    if (
        type(values) is not sys.modules["numpy"].ndarray
        or values.ndim != 1
        or values.dtype.kind not in "biufcmM"
    ):
        raise ProtocolError("a column should be an array of one dimension")
    _check(values, length)
    return values


def _check(values: Sequence[Any], length: int | None) -> None:
    if len(values) > MAX_OBJECTS or (length is not None and len(values) != length):
        raise ProtocolError("a column is too long, or not as long as the others")


def _index(encoder: Encoder, value: Any) -> Header:
    """Return the JSON of an Index, with a column for each level."""
    encoder.take(3 * value.nlevels)
    levels = [_column(encoder, value.get_level_values(level)) for level in range(value.nlevels)]
    return {"index": levels, "names": encoder.encode(list(value.names))}


def _read_index(decoder: Decoder, levels: Any, code: Header, length: int | None = None) -> Any:
    pandas, names = sys.modules["pandas"], decoder.value(code["names"])
    if not isinstance(levels, list) or not 0 < len(levels) <= MAX_ITEMS or len(names) != len(levels):
        raise ProtocolError("labels have no levels")
    columns = [_read_column(decoder, levels[0], length)]
    columns += [_read_column(decoder, level, len(columns[0])) for level in levels[1:]]
    if not all(
        map(is_key, [*names, *(label for column in columns for label in column if column.dtype.kind == "O")])
    ):
        raise ProtocolError("a label is too long, or of an unsupported type")
    if len(columns) == 1:
        return pandas.Index(columns[0], name=names[0])
    return pandas.MultiIndex.from_arrays(columns, names=names)


def _series(encoder: Encoder, value: Any) -> Header:
    column, index = _column(encoder, value), _index(encoder, value.index)
    return {
        "series": column,
        "labels": index,
        "name": encoder.encode(value.name if is_key(value.name) else None),
    }


def _read_series(decoder: Decoder, column: Any, code: Header) -> Any:
    index = _read_index(decoder, code["labels"]["index"], code["labels"])
    values = _read_column(decoder, column, len(index))
    name = decoder.value(code["name"])
    if not is_key(name):
        raise ProtocolError("the name of a series has an unsupported type")
    return sys.modules["pandas"].Series(values, index, name=name)


def _frame(encoder: Encoder, value: Any) -> Header:
    encoder.take(5 * value.shape[1])
    columns = [_column(encoder, value.iloc[:, number]) for number in range(value.shape[1])]
    return {
        "frame": columns,
        "labels": _index(encoder, value.index),
        "columns": _index(encoder, value.columns),
    }


def _read_frame(decoder: Decoder, columns: Any, code: Header) -> Any:
    index = _read_index(decoder, code["labels"]["index"], code["labels"])
    names = _read_index(decoder, code["columns"]["index"], code["columns"], len(columns))
    values = {number: _read_column(decoder, column, len(index)) for number, column in enumerate(columns)}
    frame = sys.modules["pandas"].DataFrame(values, index)
    frame.columns = names
    return frame


ROWS = {
    "frame": Row(("pandas.DataFrame",), _frame, _read_frame),
    "series": Row(("pandas.Series",), _series, _read_series),
    "index": Row(("pandas.Index",), _index, _read_index),
}
