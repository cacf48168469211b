"""A user's columns, wherever they come from, as one of two things: numbers, or labels.

What a column is by its type (a `Kind`) is settled here; whether it is ordered or a category is the schema's business.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from savvybayes import _kernel

Array: TypeAlias = NDArray[Any]
Name: TypeAlias = str | int
Kind: TypeAlias = Literal["number", "boolean", "label", "date", "duration"]


@dataclass(frozen=True)
class Numbers:
    """Integers, floats or booleans; NaN is a missing value. Dates and durations are microseconds."""

    values: Array

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Any) -> Numbers:
        """Those rows: a slice, a mask or positions."""
        return Numbers(self.values[rows])

    def as_labels(self) -> Labels:
        """The same column with its distinct values spelt out as Python's own numbers."""
        missing = np.isnan(self.values) if self.values.dtype.kind == "f" else np.zeros(len(self), dtype=bool)
        values, codes = np.unique(self.values[~missing], return_inverse=True)
        all_codes = np.full(len(self), -1, dtype=np.int32)
        all_codes[~missing] = codes
        return Labels(all_codes, tuple(values.tolist()))


@dataclass(frozen=True)
class Labels:
    """Values of any hashable type, by their positions in `values`; -1 is a missing value."""

    codes: Array
    values: Sequence[Any] | Array

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: Any) -> Labels:
        """Those rows: a slice, a mask or positions."""
        return Labels(self.codes[rows], self.values)

    def as_numbers(self) -> Array:
        """The same column as doubles, where its values are numbers."""
        return np.array([*map(float, self.values), np.nan])[self.codes]

    def seen(self, weights: Array | None) -> tuple[list[int], bool]:
        """The positions of the values that rows of positive weight have, and whether a value is missing in one."""
        return self._present if weights is None else _present_in(self.codes[weights > 0])

    @cached_property
    def _present(self) -> tuple[list[int], bool]:
        return _present_in(self.codes)

    def recoded(self, codes: Array) -> Array:
        """For each row the entry of `codes` at its value's position, as an int32; no value is missing."""
        if np.array_equal(codes, np.arange(len(codes))):
            return np.ascontiguousarray(self.codes, dtype=np.int32)
        return np.asarray(codes, dtype=np.int32)[self.codes]


def _present_in(codes: Array) -> tuple[list[int], bool]:
    [(positions, _, _)] = _kernel.distinct([codes])
    present = positions.astype(np.intp).tolist()
    return present[1:] if present[:1] == [-1] else present, present[:1] == [-1]


Data: TypeAlias = Numbers | Labels


@dataclass(frozen=True)
class Column:
    """One column of a table in memory."""

    name: Name
    kind: Kind
    data: Data

    def check_finite(self) -> None:
        """Raise where a number is infinite."""
        if isinstance(self.data, Labels):
            endless = [isinstance(value, float | np.floating) and bool(np.isinf(value)) for value in self.data.values]
            infinite = np.array([*endless, False])[self.data.codes]
        elif self.data.values.dtype.kind == "f":
            infinite = np.isinf(self.data.values)
        else:
            return
        if infinite.any():
            raise ValueError(
                "Input X contains infinity or a value too large for dtype('float64'): "
                f"column {self.name!r}, first in row {int(infinite.argmax())}. "
                "Replace infinite values by a number, or by NaN, which is read as missing."
            )


def columns_of_array(X: Array, names: Sequence[Name]) -> list[Column]:
    """The columns of a two-dimensional array."""
    read = _READERS.get(X.dtype.kind, _read_objects)
    return [Column(name, *read(column, name)) for name, column in zip(names, _split(X), strict=True)]


def columns_of_frame(frame: nw.DataFrame[Any], names: Sequence[Name]) -> list[Column]:
    """The columns of a data frame."""
    rows = _rows_of(frame)
    if rows is not None:
        return columns_of_array(rows, names)
    return [
        Column(name, *_read_series(frame.get_column(column), name))
        for name, column in zip(names, frame.columns, strict=True)
    ]


def _rows_of(frame: nw.DataFrame[Any]) -> Array | None:
    """The array of numbers that a frame of pandas is a view of, where that is rows: its columns lie far apart."""
    if not frame.implementation.is_pandas_like():
        return None
    dtypes = set(frame.to_native().dtypes)
    if len(dtypes) != 1 or not all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in dtypes):
        return None
    first = frame.get_column(frame.columns[0]).to_numpy()
    if len(first) < 2 or first.strides[0] == first.dtype.itemsize:
        return None
    rows: Array = frame.to_numpy()
    return rows if rows.dtype == first.dtype and rows.strides[0] == first.strides[0] else None


def _split(X: Array) -> list[Array]:
    """The columns of an array; of rows, those of small whole numbers as bytes, which one pass over the rows makes."""
    if X.dtype.kind == "b":
        return [column.view(bool) for column in _split(X.view(np.uint8))]
    if X.shape[1] == 1 or X.strides[1] != X.dtype.itemsize or not _may_be_bytes(X):
        return list(X.T)
    return [X[:, j] if column is None else column for j, column in enumerate(_kernel.to_bytes(X))]


def _may_be_bytes(X: Array) -> bool:
    """Whether some column may fit into bytes: integers, or doubles of which the first ones are whole numbers."""
    if X.strides[0] % X.dtype.itemsize or not (X.dtype.isnative and X.flags.aligned):
        return False
    if X.dtype == np.float64:
        first = X[:64]
        return bool(((first >= 0) & (first <= 255) & (np.floor(first) == first)).all(axis=0).any())
    return X.dtype.kind in "iu"


def _read_numbers(values: Array, name: Name) -> tuple[Kind, Data]:
    if values.dtype.kind == "f" and values.dtype.itemsize != 8:
        values = values.astype(np.float32 if values.dtype.itemsize < 8 else np.float64, copy=False)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.strides[0] % values.dtype.itemsize:  # a field of a structured array
        values = values.copy()
    if values.strides[0] == values.dtype.itemsize > 1 and _may_be_bytes(values[:, np.newaxis]):
        [narrow] = _kernel.to_bytes(values[:, np.newaxis])  # bytes are read much faster
        values = values if narrow is None else narrow
    return "number", Numbers(values)


def _read_booleans(values: Array, name: Name) -> tuple[Kind, Data]:
    return "boolean", Numbers(values)


def _read_strings(values: Array, name: Name) -> tuple[Kind, Data]:
    distinct, codes = np.unique(values, return_inverse=True)
    return "label", Labels(codes.astype(np.int32), tuple(distinct.tolist()))


def _read_times(values: Array, name: Name) -> tuple[Kind, Data]:
    kind: Kind = "date" if values.dtype.kind == "M" else "duration"
    unit, count = np.datetime_data(values.dtype)
    if unit not in _MICROSECONDS:  # years and months have no length of their own
        values, unit, count = values.astype(f"{values.dtype.kind}8[D]"), "D", 1
    whole, rest = np.divmod(values.astype(np.int64), _PER_MICROSECOND.get(unit, 1))  # exact, where doubles are
    microseconds = (whole + rest / _PER_MICROSECOND.get(unit, 1)) * (count * _MICROSECONDS[unit])
    microseconds[np.isnat(values)] = np.nan
    return kind, Numbers(microseconds)


def _read_objects(values: Iterable[Any], name: Name) -> tuple[Kind, Data]:
    """Python's objects: numbers, truth values or times where all are, labels otherwise."""
    values = list(values)
    present = {t for t in set(map(type, values)) if t.__name__ not in _MISSING_TYPES}
    if any(issubclass(t, _MAY_BE_MISSING) for t in present):
        present = {type(value) for value in values if not is_missing(value)}
    _reject_containers(values, present, name)

    if present and all(t.__name__ == "Period" for t in present):  # of pandas: the date it begins at
        return _read_objects((v if is_missing(v) else v.to_timestamp() for v in values), name)

    def all_are(*wanted: type) -> bool:
        return bool(present) and all(issubclass(t, wanted) for t in present)

    if all_are(bool, np.bool_):
        return "boolean", Numbers(_as_floats(values))
    if all_are(datetime.date, np.datetime64):
        return _read_times(np.array([as_date(v) for v in values], dtype="M8[us]"), name)
    if all_are(datetime.timedelta, np.timedelta64):
        return _read_times(np.array([None if is_missing(v) else v for v in values], dtype="m8[us]"), name)
    if all_are(numbers.Real, decimal.Decimal, np.bool_):
        return "number", _number_objects(values, name)
    if all_are(datetime.time):
        return "duration", Numbers(_as_floats([_microseconds(v) for v in values]))
    try:
        return "label", _label(values)
    except TypeError as error:
        raise TypeError(f"column {name!r}: categories must be hashable. {error}") from None


def _read_series(series: nw.Series[Any], name: Name) -> tuple[Kind, Data]:
    dtype = series.dtype
    if dtype.is_nested():
        raise TypeError(_ONE_VALUE.format(name=name, where="", held=dtype))
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return "label", _read_categories(series)
    if isinstance(dtype, nw.String) and (text := read_text(series)).values:
        return "label", text
    if isinstance(dtype, nw.Decimal):
        series = series.cast(nw.Float64)
    elif isinstance(dtype, nw.Time):
        return "duration", Numbers(_as_floats([_microseconds(v) for v in series.to_list()]))
    elif dtype.is_integer() and series.null_count() and _beyond_doubles(series):
        return "number", _label(series.to_list())
    values = series.to_numpy()
    return _READERS.get(values.dtype.kind, _read_objects)(values, name)


def _read_categories(series: nw.Series[Any]) -> Labels:
    native = series.to_native()
    if series.implementation.is_pandas_like():
        if hasattr(native, "cat"):
            return Labels(native.cat.codes.to_numpy().astype(np.int32), tuple(native.cat.categories.tolist()))
        return _read_dictionary(native.array.__arrow_array__())
    if series.implementation.is_pyarrow():
        return _read_dictionary(native)
    if series.implementation.is_polars():
        return read_text(series.cast(nw.String))
    return _label(series.to_list())


def _read_dictionary(encoded: Any) -> Labels:
    """A dictionary of Arrow's, which may name a value twice, and hold missing ones, in chunks with one each."""
    parts = []
    for chunk in getattr(encoded, "chunks", [encoded]):
        codes = chunk.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)  # polars' are unsigned
        parts.append((codes, chunk.dictionary.to_pylist()))
    known = _label([value for _, values in parts for value in values])
    begin, codes_of_all = 0, []
    for codes, values in parts:
        own = np.append(known.codes[begin : begin + len(values)], np.int32(-1))
        codes_of_all.append(own[codes])
        begin += len(values)
    return Labels(np.concatenate([np.zeros(0, np.int32), *codes_of_all]), known.values)


def read_text(series: nw.Series[Any]) -> Labels:
    """Text by the means of its own frame: without a Python object for each cell."""
    native = series.to_native()
    if series.implementation.is_pandas_like():
        codes, distinct = native.factorize()
        return Labels(codes.astype(np.int32), tuple(distinct.tolist()))
    if series.implementation.is_pyarrow():
        encoded = native.combine_chunks().dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return Labels(codes.astype(np.int32), tuple(encoded.dictionary.to_pylist()))
    if series.implementation.is_polars():
        values = series.drop_nulls().unique().sort().to_list()
        physical = series.cast(nw.Enum(values)).to_native().to_physical()
        return Labels(physical.cast(int).fill_null(-1).to_numpy().astype(np.int32), tuple(values))
    return _label(series.to_list())


_MICROSECONDS = {
    "W": 6048e8,
    "D": 864e8,
    "h": 36e8,
    "m": 6e7,
    "s": 1e6,
    "ms": 1e3,
    "us": 1.0,
    "ns": 1.0,
    "ps": 1.0,
}
_PER_MICROSECOND = {"ns": 1_000, "ps": 1_000_000}

_READERS = {
    "b": _read_booleans,
    "i": _read_numbers,
    "u": _read_numbers,
    "f": _read_numbers,
    "U": _read_strings,
    "S": _read_strings,
    "M": _read_times,
    "m": _read_times,
}

# Partly in scikit-learn's words.
_ONE_VALUE = (
    "column {name!r}{where}: argument must be a string or a number, not {held!r}. Each cell must hold one value."
)

_MAY_BE_MISSING = (float, np.floating, decimal.Decimal, np.datetime64, np.timedelta64)
_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}


def is_missing(value: Any) -> bool:
    """Whether a Python object stands for a missing value: None, NaN, pandas.NA, NaT."""
    if type(value).__name__ in _MISSING_TYPES:
        return True
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    return isinstance(value, _MAY_BE_MISSING) and bool(value != value)


def _label(values: Sequence[Any]) -> Labels:
    index: dict[Any, int] = {}
    codes = np.array([index.setdefault(value, len(index)) for value in values], dtype=np.int32)
    distinct = [value.item() if isinstance(value, np.generic) else value for value in index]
    missing = [is_missing(value) for value in distinct]
    if not any(missing):
        return Labels(codes, tuple(distinct))
    renumbered = np.cumsum(np.logical_not(missing), dtype=np.int32) - np.int32(1)
    renumbered[missing] = -1
    return Labels(renumbered[codes], tuple(value for value, m in zip(distinct, missing, strict=True) if not m))


def _reject_containers(values: Sequence[Any], types: set[type], name: Name) -> None:
    for t in types:
        if issubclass(t, dict | list | tuple | set | frozenset | np.ndarray):
            row = next(i for i, value in enumerate(values) if type(value) is t)
            raise TypeError(_ONE_VALUE.format(name=name, where=f", row {row}", held=t.__name__))
        if issubclass(t, numbers.Complex) and not issubclass(t, numbers.Real):
            raise ValueError(f"Complex data not supported: column {name!r}")


def _number_objects(values: Sequence[Any], name: Name) -> Data:
    """Doubles; where these cannot hold great integers, which may be categories, the integers themselves."""
    try:
        floats = _as_floats(values)
    except OverflowError:
        raise ValueError(f"Input X contains a value too large for dtype('float64'): column {name!r}") from None
    great = np.abs(floats) >= 2.0**53
    if any(isinstance(values[row], numbers.Integral) for row in np.flatnonzero(great).tolist()):
        return _label(values)
    return Numbers(floats)


def _as_floats(values: Sequence[Any]) -> Array:
    return np.array([np.nan if is_missing(value) else float(value) for value in values], dtype=np.float64)


def as_date(value: Any) -> Any:
    """What NumPy can read as a date: moments with a time zone as those of UTC, None for a missing one."""
    if is_missing(value):
        return None
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value


def _microseconds(time: Any) -> float | None:
    if is_missing(time):
        return None
    return float(((time.hour * 60 + time.minute) * 60 + time.second) * 1_000_000 + time.microsecond)


def _beyond_doubles(series: nw.Series[Any]) -> bool:
    """Whether a column of integers has one that doubles, which have a NaN for the missing, may not hold."""
    least, greatest = series.min(), series.max()
    return not is_missing(least) and max(-int(least), int(greatest)) >= 2**53
