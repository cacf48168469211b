"""A user's columns: the same table gives the same schema and predictions whatever container it comes in."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import narwhals as nw
import narwhals.stable.v2 as stable
import numpy as np
import pandas
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import checks
from coded import unaligned
from savvybayes import TAN, NaiveBayes
from savvybayes.data.columns import Labels, Numbers, columns_of_frame, is_missing
from savvybayes.data.schema import Attribute

# Its stubs, where they are installed, know less than it does.
pd: Any = pandas

Raw = dict[str, list[Any]]

ROWS = 200
_rng = np.random.default_rng(0)
Y = _rng.integers(3, size=ROWS)


def _holes(values: list[Any], every: int) -> list[Any]:
    return [None if i % every == every - 1 else value for i, value in enumerate(values)]


def _told(n_values: int) -> list[int]:
    codes: list[int] = np.where(_rng.random(ROWS) < 0.5, Y, _rng.integers(n_values, size=ROWS)).tolist()
    return codes


RAW: Raw = {
    "text": _holes([["ant", "", "bee", "1"][i] for i in _told(4)], 7),
    "word": [["nan", "None", "yes", "no"][i] for i in _told(4)],
    "whole": [i * 3 - 2 for i in _told(6)],
    "holed": _holes([i + 1 for i in _told(6)], 9),
    "real": _holes((Y + np.round(_rng.normal(size=ROWS) * 4) / 4).tolist(), 11),
    "flag": [i % 2 == 0 for i in _told(4)],
    "unsure": _holes([i % 2 == 0 for i in _told(4)], 5),
    "when": _holes([dt.datetime(2020, 2, 28, 23, 59, 59, 123456) + dt.timedelta(hours=20 * i) for i in _told(5)], 8),
    "span": [dt.timedelta(minutes=7 * i, microseconds=1) for i in _told(5)],
}
KINDS = ["label", "label", "number", "number", "number", "boolean", "boolean", "date", "duration"]
NUMBERS = ["whole", "holed", "real", "flag"]


def pandas_as_is(raw: Raw) -> Any:
    """What pandas makes of Python's lists."""
    return pd.DataFrame(raw)


def pandas_objects(raw: Raw) -> Any:
    """Everything as Python's objects."""
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in raw.items()})


def pandas_nullable(raw: Raw) -> Any:
    """Types that know missing values."""
    frame = pandas_objects(raw).convert_dtypes()
    assert str(frame["unsure"].dtype) == "boolean"
    assert str(frame["holed"].dtype) == "Int64"
    return frame


def pandas_arrow(raw: Raw) -> Any:
    """Columns of Arrow behind pandas."""
    return pyarrow_table(raw).to_pandas(types_mapper=pd.ArrowDtype)


def pandas_categories(raw: Raw) -> Any:
    """Text as categories, of which one does not occur."""
    text = {name: pd.Categorical(raw[name], categories=["zzz", *_distinct(raw[name])]) for name in ("text", "word")}
    return pd.DataFrame(raw).assign(**text)


def pandas_arrow_dictionary(raw: Raw) -> Any:
    """Text as Arrow's dictionaries behind pandas."""
    text = {name: pa.array(raw[name], pa.string()).dictionary_encode() for name in ("text", "word")}
    return pd.DataFrame(raw).assign(**{name: pd.Series(pd.arrays.ArrowExtensionArray(v)) for name, v in text.items()})


def pandas_old_strings(raw: Raw) -> Any:
    """Text as strings with pandas.NA, times in nanoseconds."""
    return pd.DataFrame(raw).astype(
        {"text": "string", "word": "string", "when": "datetime64[ns]", "span": "timedelta64[ns]"}
    )


def polars_as_is(raw: Raw) -> Any:
    """What polars makes of Python's lists."""
    return pl.DataFrame(raw)


def polars_categorical(raw: Raw) -> Any:
    """Text as categories of polars."""
    return pl.DataFrame(raw).with_columns(pl.col("text", "word").cast(pl.Categorical))


def polars_enum(raw: Raw) -> Any:
    """Text as enums of polars, of which one value does not occur."""
    enums = [pl.col(name).cast(pl.Enum(["zzz", *_distinct(raw[name])])) for name in ("text", "word")]
    return pl.DataFrame(raw).with_columns(*enums)


def polars_narrow(raw: Raw) -> Any:
    """The narrowest types that hold the numbers, and several chunks."""
    narrow = pl.DataFrame(raw).with_columns(
        pl.col("whole").cast(pl.Int8), pl.col("holed").cast(pl.UInt8), pl.col("real").cast(pl.Float32)
    )
    return pl.concat([narrow[:50], narrow[50:51], narrow[51:]], rechunk=False)


def pyarrow_table(raw: Raw) -> Any:
    """A table of pyarrow."""
    return pa.table(raw)


def pyarrow_chunks(raw: Raw) -> Any:
    """A table in chunks."""
    table = pa.table(raw)
    return pa.concat_tables([table.slice(0, 3), table.slice(3, 0), table.slice(3)])


def pyarrow_dictionary(raw: Raw) -> Any:
    """Text as dictionaries, each chunk with one of its own, and large strings."""
    table = pa.table(raw)
    parts = []
    for rows in (slice(0, len(table) // 3), slice(len(table) // 3, None)):
        part = table[rows]
        for name in ("text", "word"):
            encoded = pa.array(raw[name][rows], pa.large_string()).dictionary_encode()
            part = part.set_column(part.column_names.index(name), name, encoded)
        parts.append(part)
    return pa.concat_tables(parts)


def narwhals_pandas(raw: Raw) -> Any:
    """A frame of narwhals before one of pandas."""
    return nw.from_native(pd.DataFrame(raw))


def narwhals_polars(raw: Raw) -> Any:
    """A frame of narwhals before one of polars."""
    return nw.from_native(pl.DataFrame(raw))


def narwhals_pyarrow(raw: Raw) -> Any:
    """A frame of narwhals before a table of pyarrow."""
    return nw.from_native(pa.table(raw))


def narwhals_stable(raw: Raw) -> Any:
    """A frame of the narwhals that promises not to change."""
    return stable.from_native(pl.DataFrame(raw))


def lists(raw: Raw) -> Any:
    """A list of rows."""
    return [list(row) for row in zip(*raw.values(), strict=True)]


def object_array(raw: Raw) -> Any:
    """An array of Python's objects."""
    array = np.empty((len(next(iter(raw.values()))), len(raw)), dtype=object)
    for j, values in enumerate(raw.values()):
        array[:, j] = values
    return array


def fortran_objects(raw: Raw) -> Any:
    """An array of objects by columns."""
    return np.asfortranarray(object_array(raw))


FRAMES: list[Callable[[Raw], Any]] = [
    pandas_as_is,
    pandas_objects,
    pandas_nullable,
    pandas_arrow,
    pandas_categories,
    pandas_arrow_dictionary,
    pandas_old_strings,
    polars_as_is,
    polars_categorical,
    polars_enum,
    polars_narrow,
    pyarrow_table,
    pyarrow_chunks,
    pyarrow_dictionary,
    narwhals_pandas,
    narwhals_polars,
    narwhals_pyarrow,
    narwhals_stable,
]
ARRAYS: list[Callable[[Raw], Any]] = [lists, object_array, fortran_objects]


@pytest.fixture(params=FRAMES, ids=lambda make: make.__name__)
def frame(request: pytest.FixtureRequest) -> Any:
    """The table in a container that has names."""
    return request.param(RAW)


@pytest.fixture(params=[*FRAMES, *ARRAYS], ids=lambda make: make.__name__)
def container(request: pytest.FixtureRequest) -> Callable[[Raw], Any]:
    """What makes a container of a table."""
    make: Callable[[Raw], Any] = request.param
    return make


def assert_same_attributes(ours: tuple[Attribute, ...], theirs: tuple[Attribute, ...]) -> None:
    """Fail unless two schemas are equal in all but the names of the columns."""
    for a, b in zip(ours, theirs, strict=True):
        assert (a.kind, a.cuts, a.values, a.missing) == (b.kind, b.cuts, b.values, b.missing)


def schema_of(X: Any, **parameters: Any) -> tuple[Attribute, ...]:
    """What is learnt of the columns."""
    attributes: tuple[Attribute, ...] = NaiveBayes(**parameters).fit(X, Y).schema_.attributes
    return attributes


def column_of(values: Any, **parameters: Any) -> Attribute:
    """What is learnt of one column of a frame of pandas."""
    (attribute,) = schema_of(pd.DataFrame({"a": values}), **parameters)
    return attribute


@pytest.mark.parametrize("categorical", ["from_dtype", "all"])
def test_same_schema(container: Callable[[Raw], Any], categorical: str) -> None:
    """The same table gives the same kinds, categories and cut points whatever it comes in."""
    reference = schema_of(pandas_objects(RAW), categorical_features=categorical)
    assert [attribute.kind for attribute in reference] == KINDS
    assert_same_attributes(schema_of(container(RAW), categorical_features=categorical), reference)


@pytest.mark.parametrize("categorical", ["from_dtype", "all"])
def test_same_predictions(container: Callable[[Raw], Any], categorical: str) -> None:
    """The same table gives the same model and probabilities, to the last bit, whatever it comes in."""
    reference = TAN(categorical_features=categorical).fit(pandas_objects(RAW), Y)
    model = TAN(categorical_features=categorical).fit(container(RAW), Y)
    checks.assert_same_bits(model.model_, reference.model_)
    few = {name: values[20:41] for name, values in RAW.items()}
    checks.assert_same_bits(model.predict_proba(container(few)), reference.predict_proba(pandas_objects(few)))


@pytest.mark.parametrize("categorical", ["from_dtype", "all"])
def test_trained_on_one_asked_with_another(frame: Any, categorical: str) -> None:
    """A model that was trained on one container gives the same probabilities for another, both ways."""
    first = TAN(categorical_features=categorical).fit(pandas_objects(RAW), Y)
    expected = first.predict_proba(pandas_objects(RAW))
    checks.assert_same_bits(first.predict_proba(frame), expected)
    second = TAN(categorical_features=categorical).fit(frame, Y)
    checks.assert_same_bits(second.predict_proba(pandas_objects(RAW)), expected)


def test_names_of_frames(frame: Any) -> None:
    """A frame's names are kept, and the structure speaks in them."""
    model = TAN().fit(frame, Y)
    assert model.feature_names_in_.tolist() == list(RAW)
    assert set(model.structure_.parents) == set(RAW)


def _numeric() -> NDArray[np.float64]:
    return np.array([[np.nan if v is None else float(v) for v in RAW[name]] for name in NUMBERS]).T


def _strided(array: NDArray[Any]) -> NDArray[Any]:
    wide = np.zeros((2 * array.shape[0], 3 * array.shape[1]), dtype=array.dtype)
    wide[::2, 1::3] = array
    return wide[::2, 1::3]


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


NUMERIC: dict[str, Callable[[NDArray[Any]], Any]] = {
    "float64": lambda a: a,
    "float32": lambda a: a.astype(np.float32),
    "float16": lambda a: a.astype(np.float16),
    "longdouble": lambda a: a.astype(np.longdouble),
    "big-endian float64": lambda a: a.astype(">f8"),
    "big-endian float32": lambda a: a.astype(">f4"),
    "fortran": np.asfortranarray,
    "strided": _strided,
    "backwards": lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
    "read-only": _read_only,
    "unaligned": unaligned,
    "lists": lambda a: a.tolist(),
    "tuples": lambda a: tuple(map(tuple, a.tolist())),
    "list of arrays": list,
    "object": lambda a: a.astype(object),
    "pandas": pd.DataFrame,
    "pandas float32": lambda a: pd.DataFrame(a.astype(np.float32)),
    "pandas Float64": lambda a: pd.DataFrame(a).astype("Float64"),
}


@pytest.mark.parametrize("layout", list(NUMERIC))
def test_arrays_of_floats(layout: str) -> None:
    """The type, byte order and layout of an array of numbers do not matter."""
    model, reference = TAN().fit(NUMERIC[layout](_numeric()), Y), TAN().fit(_numeric(), Y)
    assert_same_attributes(model.schema_.attributes, reference.schema_.attributes)
    checks.assert_same_bits(model.predict_proba(NUMERIC[layout](_numeric())), reference.predict_proba(_numeric()))
    few = NUMERIC[layout](_numeric()[40:51])
    checks.assert_same_bits(reference.predict_proba(few), reference.predict_proba(_numeric())[40:51])


@pytest.mark.parametrize("categorical", ["from_dtype", "all"])
@pytest.mark.parametrize(
    "dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i4", ">i8", ">u4", "f2", "f4", "f8", ">f8", "O"]
)
def test_arrays_of_whole_numbers(dtype: str, categorical: str) -> None:
    """Whole numbers are the same numbers in every type, as ordered columns and as categories."""
    codes = np.array([_told(5), _told(120), _told(3)]).T
    reference = TAN(categorical_features=categorical).fit(codes, Y)
    typed = codes.astype(dtype)
    model = TAN(categorical_features=categorical).fit(typed, Y)
    assert_same_attributes(model.schema_.attributes, reference.schema_.attributes)
    assert [repr(a.values) for a in model.schema_.attributes] == [repr(a.values) for a in reference.schema_.attributes]
    others = [] if dtype == "O" else [unaligned(typed)]
    for array in (typed, np.asfortranarray(typed), _strided(typed), *others):
        checks.assert_same_bits(model.predict_proba(array), reference.predict_proba(codes))
        checks.assert_same_bits(reference.predict_proba(array), reference.predict_proba(codes))


def test_arrays_of_strings() -> None:
    """Strings are the same in arrays of strings, of objects, of NumPy's variable strings, in lists and frames."""
    words = np.array([RAW["word"], [str(v) for v in RAW["whole"]]]).T
    reference = TAN().fit(words, Y)
    assert [attribute.kind for attribute in reference.schema_.attributes] == ["label", "label"]
    for same in (
        words.astype(object),
        words.astype(np.dtypes.StringDType()),
        words.astype(">U9"),
        np.asfortranarray(words),
        words.tolist(),
        pd.DataFrame(words),
    ):
        model = TAN().fit(same, Y)
        assert_same_attributes(model.schema_.attributes, reference.schema_.attributes)
        checks.assert_same_bits(model.predict_proba(same), reference.predict_proba(words))
        checks.assert_same_bits(reference.predict_proba(same), reference.predict_proba(words))


def test_arrays_of_truth_values() -> None:
    """An array of truth values is of categories, shown as such; numbers 0 and 1 are known to it."""
    flags = np.array([RAW["flag"], [v == 0 for v in Y.tolist()]]).T
    model = NaiveBayes().fit(flags, Y)
    assert [attribute.labels for attribute in model.schema_.attributes] == [("False", "True")] * 2
    checks.assert_same_bits(model.predict_proba(flags.astype(int)), model.predict_proba(flags))
    checks.assert_same_bits(model.predict_proba(flags.astype(object)), model.predict_proba(flags))


def test_truth_values_are_shown_as_truth_values() -> None:
    """A truth value is shown as one in every container, whether or not others are missing."""
    shown = {}
    for make in (pandas_as_is, pandas_arrow, polars_as_is, pyarrow_table, pandas_objects, lists):
        flag, unsure = schema_of(make({name: RAW[name] for name in ("flag", "unsure")}))
        shown[make.__name__] = (flag.labels, unsure.labels)
    assert shown == dict.fromkeys(shown, (("False", "True"), ("False", "True", "missing")))


def test_arrays_of_dates_and_durations() -> None:
    """Arrays of dates in any unit are dates, of durations durations, and NaT is missing."""
    days = np.array([_told(9), _told(4)]).T
    for unit in ("D", "h", "s", "ms", "us", "ns"):
        dates = days.astype("M8[D]").astype(f"M8[{unit}]")
        dates[3, 0] = "NaT"
        attributes = schema_of(dates, discretizer={0: ["1970-01-03"], 1: [np.datetime64("1970-01-02", "D")]})
        assert [a.kind for a in attributes] == ["date", "date"]
        assert attributes[0].labels == ("<= 1970-01-03", "> 1970-01-03", "missing")
        assert attributes[1].labels == ("<= 1970-01-02", "> 1970-01-02")
        spans = days.astype("m8[D]").astype(f"m8[{unit}]")
        (span, _) = schema_of(spans, discretizer={0: [dt.timedelta(days=2)]})
        assert span.kind == "duration"
        assert span.labels == ("<= 2 days, 0:00:00", "> 2 days, 0:00:00")


DATES = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in _told(6)]
_MIDNIGHT = dt.time()


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": DATES}),
        pd.DataFrame({"a": pd.to_datetime(pd.Series(DATES))}),
        pd.DataFrame({"a": pd.to_datetime(pd.Series(DATES)).dt.tz_localize("UTC")}),
        pd.DataFrame({"a": pd.to_datetime(pd.Series(DATES)).dt.tz_localize("UTC").dt.tz_convert("Asia/Kolkata")}),
        pd.DataFrame({"a": pd.to_datetime(pd.Series(DATES)).dt.tz_localize("UTC").astype(object)}),
        pd.DataFrame({"a": pd.to_datetime(pd.Series(DATES)).astype(object)}),
        pd.DataFrame({"a": [np.datetime64(date) for date in DATES]}, dtype=object),
        pd.DataFrame({"a": pd.Series(DATES, dtype=pd.ArrowDtype(pa.date32()))}),
        pd.DataFrame({"a": pd.Series(DATES, dtype=pd.ArrowDtype(pa.timestamp("ms")))}),
        pl.DataFrame({"a": DATES}),
        pl.DataFrame({"a": DATES}).with_columns(pl.col("a").cast(pl.Datetime("ms"))),
        pl.DataFrame({"a": DATES}).with_columns(pl.col("a").cast(pl.Datetime("ns")).dt.replace_time_zone("UTC")),
        pa.table({"a": DATES}),
        pa.table({"a": pa.array(DATES, pa.date64())}),
        pa.table({"a": pa.array([dt.datetime.combine(d, _MIDNIGHT) for d in DATES], pa.timestamp("ns", tz="UTC"))}),
        [[date] for date in DATES],
        np.array(DATES, dtype="M8[D]")[:, None],
    ],
    ids=[
        "pandas dates",
        "pandas datetimes",
        "pandas UTC",
        "pandas zone",
        "pandas object UTC",
        "pandas timestamps",
        "pandas object datetime64",
        "pandas arrow dates",
        "pandas arrow timestamps",
        "polars dates",
        "polars datetimes",
        "polars UTC",
        "pyarrow dates",
        "pyarrow date64",
        "pyarrow UTC",
        "lists",
        "numpy",
    ],
)
def test_dates(X: Any) -> None:
    """Dates are ordered and shown as dates, in whatever type, zones as the moments they mean."""
    (attribute,) = schema_of(X, discretizer={0: ["2020-01-02", "2020-01-04"]})
    assert attribute.kind == "date"
    assert attribute.labels == ("<= 2020-01-02", "(2020-01-02, 2020-01-04]", "> 2020-01-04")
    cuts: Any = {0: ["2020-01-02", "2020-01-04"]}
    model = NaiveBayes(discretizer=cuts).fit(X, Y)
    proba = model.predict_proba(X)
    place = np.searchsorted(np.array(["2020-01-02", "2020-01-04"], "M8[D]"), np.array(DATES, "M8[D]"))
    expected = np.array([[((place == i) & (c == Y)).sum() + 1 for c in range(3)] for i in place])
    expected = expected / (np.bincount(Y) + 3) * np.bincount(Y)
    np.testing.assert_allclose(proba, expected / expected.sum(axis=1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("categorical", ["all", ["when", "span"]])
def test_dates_as_categories_are_shown_as_dates(categorical: Any) -> None:
    """A date or a duration that is made a category is shown as a date or a duration, not as microseconds."""
    X = pd.DataFrame({"when": pd.to_datetime(pd.Series(DATES)), "span": RAW["span"]})
    when, span = schema_of(X, categorical_features=categorical)
    assert when.labels[:2] == ("2020-01-01", "2020-01-02")
    assert span.labels[0] == "0:00:00.000001"


def test_nanoseconds() -> None:
    """Times less than a microsecond apart are told apart; whole microseconds are the same in every unit."""
    spans = np.arange(ROWS).astype("m8[ns]")[:, None] * 8
    assert len(schema_of(spans, discretizer=4)[0].cuts or ()) == 3
    moments = np.array(["2020-01-01T12:34:56.123456", "1969-12-31T23:59:59.999999"] * 100, dtype="M8[us]")[:, None]
    assert schema_of(moments, discretizer=2) == schema_of(moments.astype("M8[ns]"), discretizer=2)


def test_dates_far_away() -> None:
    """Dates before 1970, and those beyond nanoseconds, keep their order and are shown."""
    dates = np.array(["0033-04-03", "1066-10-14", "1969-12-31", "9999-12-31"] * 50, dtype="M8[D]")[:, None]
    cuts = {0: ["0500-01-01", "1500-01-01", "2500-01-01"]}
    (attribute,) = schema_of(dates, discretizer=cuts)
    assert attribute.values == (0, 1, 2, 3)
    assert attribute.labels[1] == "(0500-01-01, 1500-01-01]"


def test_times_of_day() -> None:
    """A time of day is the same column in every container."""
    times = [dt.time(8 + i, 30) for i in _told(6)]
    frames = [pl.DataFrame({"a": times}), pa.table({"a": times}), pd.DataFrame({"a": times})]
    first, *others = [schema_of(frame) for frame in frames]
    for other in others:
        assert_same_attributes(other, first)


def test_decimals_and_fractions() -> None:
    """Exact numbers of any kind are numbers."""
    quarters = [i / 4 for i in _told(6)]
    (reference,) = schema_of(pd.DataFrame({"a": quarters}))
    exact = [decimal.Decimal(v) for v in quarters]
    for X in (
        pd.DataFrame({"a": exact}),
        pd.DataFrame({"a": [fractions.Fraction(v) for v in quarters]}),
        pd.DataFrame({"a": pd.Series(exact, dtype=pd.ArrowDtype(pa.decimal128(9, 2)))}),
        pl.DataFrame({"a": exact}),
        pa.table({"a": exact}),
        [[v] for v in exact],
    ):
        assert_same_attributes(schema_of(X), (reference,))


def test_holes_in_decimals() -> None:
    """A missing exact number is missing, whether it is None or not a number."""
    exact = [decimal.Decimal(v) for v in _told(6)]
    for hole in (None, decimal.Decimal("NaN"), np.nan, pd.NA):
        assert column_of(pd.Series([hole, *exact[1:]], dtype=object)).missing
    for table in (pl.DataFrame({"a": [None, *exact[1:]]}), pa.table({"a": [None, *exact[1:]]})):
        assert schema_of(table)[0].missing


def test_decimals_that_are_no_numbers_among_text() -> None:
    """A Decimal that is not a number is missing beside text as well."""
    cells = [decimal.Decimal("NaN"), "u", decimal.Decimal(2), "v"]
    attribute = column_of(pd.Series(cells * (ROWS // 4), dtype=object))
    assert attribute.missing
    assert set(attribute.values) == {"u", "v", 2}


def test_categories_of_pandas() -> None:
    """Categories may be strings, numbers, dates, intervals or periods; only those that occur count; holes are holes."""
    codes = _told(4)
    assert column_of(pd.Categorical.from_codes(codes, list("dcbaz"))).labels == ("a", "b", "c", "d")
    assert column_of(pd.Categorical.from_codes(codes, [30, 7, 100, -1])).values == (-1, 7, 30, 100)
    assert column_of(pd.Categorical.from_codes([-1, *codes[1:]], [0.5, 1.5, 2.5, 3.5])).missing
    assert column_of(pd.Categorical.from_codes(codes, list("dcba"), ordered=True)).kind == "label"
    assert column_of(pd.cut(codes, [-1, 0, 1, 3])).labels == ("(-1, 0]", "(0, 1]", "(1, 3]")
    periods = pd.PeriodIndex([f"2020-0{code + 1}" for code in codes], freq="M")
    assert column_of(periods).kind == "date"  # a period is where it begins; as a category it is itself:
    assert column_of(pd.Categorical(periods)).labels == ("2020-01", "2020-02", "2020-03", "2020-04")
    assert column_of(pd.PeriodIndex([pd.NaT, *periods[1:]], freq="M")).missing
    intervals = column_of(pd.arrays.IntervalArray.from_tuples([(code, code + 1) for code in codes]))
    assert intervals.labels == ("(0, 1]", "(1, 2]", "(2, 3]", "(3, 4]")


def test_categories_of_numbers_and_the_numbers() -> None:
    """A category of numbers in pandas is known by the plain numbers at predict, and the other way round."""
    codes = np.array(_told(5)) * 10
    categories = pd.DataFrame({"a": pd.Categorical(codes)})
    plain = pd.DataFrame({"a": codes})
    model = NaiveBayes().fit(categories, Y)
    checks.assert_same_bits(model.predict_proba(plain), model.predict_proba(categories))
    checks.assert_same_bits(model.predict_proba(plain.astype(float)), model.predict_proba(categories))
    listed = NaiveBayes(categorical_features=["a"]).fit(plain, Y)
    checks.assert_same_bits(listed.predict_proba(categories), model.predict_proba(categories))


def test_arrow_dictionaries_of_numbers() -> None:
    """A dictionary of numbers in pyarrow is a category of numbers, its nulls missing."""
    codes = _holes(_told(5), 6)
    (attribute,) = schema_of(pa.table({"a": pa.array(codes).dictionary_encode()}))
    assert (attribute.kind, attribute.values, attribute.missing) == ("label", (0, 1, 2, 3, 4), True)
    null_inside = pa.DictionaryArray.from_arrays(pa.array(_told(4)), pa.array(["u", None, "v", "w"]))
    (attribute,) = schema_of(pa.table({"a": null_inside}))
    assert (attribute.values, attribute.missing) == (("u", "v", "w"), True)


def test_sparse_columns_of_pandas() -> None:
    """A sparse column inside a frame of pandas is its values."""
    codes = np.array(_told(4), dtype=float)
    (attribute,) = schema_of(pd.DataFrame({"a": pd.arrays.SparseArray(codes)}), discretizer={"a": [0.5]})
    assert attribute.labels == ("<= 0.5", "> 0.5")


def test_mixed_objects() -> None:
    """A column of strings, numbers and truth values is of categories, told apart by value."""
    values = ["x", 1, 2.5, None, "1"]
    X = pd.DataFrame({"a": pd.Series([values[i] for i in _told(5)], dtype=object)})
    model = NaiveBayes().fit(X, Y)
    (attribute,) = model.schema_.attributes
    assert attribute.kind == "label"
    assert set(attribute.values) == {"x", 1, 2.5, "1"}
    assert attribute.missing
    proba = model.predict_proba(pd.DataFrame({"a": pd.Series(["1", 1, 1.0, None], dtype=object)}))
    assert proba[1].tolist() == proba[2].tolist()
    assert len({tuple(row) for row in proba.tolist()}) == 3


def test_labels_of_mixed_objects_are_distinct() -> None:
    """The number 1 and the text "1" in one column are not shown by the same label."""
    values = ["x", 1, "1", "y"]
    attribute = column_of(pd.Series([values[i] for i in _told(4)], dtype=object))
    assert len(set(attribute.labels)) == 4


def test_numbers_among_objects() -> None:
    """An object column of numbers is numbers, of truth values truth values, of both numbers; of none, missing."""
    assert column_of(pd.Series([1, 2.5, np.int8(3), np.float32(0.5)] * 50, dtype=object)).kind == "number"
    assert column_of(pd.Series([True, np.False_] * 100, dtype=object)).kind == "boolean"
    assert column_of(pd.Series([True, 2] * 100, dtype=object)).kind == "number"
    nothing = column_of(pd.Series([None] * 200, dtype=object))
    assert (nothing.values, nothing.missing) == ((), True)


def test_columns_of_nothing() -> None:
    """A column that is missing all over is the same column in every container, and is left out."""
    nothing = [None] * ROWS
    columns = [
        schema_of(X)[0]
        for X in (
            pd.DataFrame({"a": nothing}),
            pd.DataFrame({"a": nothing}, dtype="float64"),
            pd.DataFrame({"a": nothing}, dtype="Int64"),
            pl.DataFrame({"a": nothing}),
            pa.table({"a": nothing}),
            [[v] for v in nothing],
        )
    ]
    assert [column.labels for column in columns] == [("missing",)] * 6
    assert [column.size for column in columns] == [1] * 6


@pytest.mark.parametrize("hole", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT], ids=repr)
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["u", "v"], "label"),
        ([1, "v"], "label"),
        ([1.5, 2], "number"),
        ([decimal.Decimal(1), decimal.Decimal(2)], "number"),
        ([True, False], "boolean"),
        ([dt.date(2020, 1, 1), dt.date(2021, 1, 1)], "date"),
        ([pd.Timestamp(2020, 1, 1), pd.Timestamp(2021, 1, 1)], "date"),
        ([dt.timedelta(1), dt.timedelta(2)], "duration"),
    ],
    ids=["words", "mixed", "numbers", "decimals", "truth", "dates", "timestamps", "durations"],
)
def test_what_is_missing(hole: Any, values: list[Any], kind: str) -> None:
    """Every sign of a missing value is one among objects of every kind, and does not change what the column is."""
    assert is_missing(hole)
    attribute = column_of(pd.Series([hole, *(values * 100)[1:]], dtype=object))
    assert (attribute.kind, attribute.missing) == (kind, True)


def test_truth_values_after_a_join() -> None:
    """A column of truth values that a join has left with holes (pandas then holds NaN) is still of truth values."""
    flags = pd.DataFrame({"a": [True, False] * 50}).reindex(range(ROWS))
    assert flags["a"].dtype == object
    attribute = schema_of(flags)[0]
    assert (attribute.kind, attribute.values, attribute.missing) == ("boolean", (False, True), True)


@pytest.mark.parametrize("value", [0, "", "nan", "None", "NA", False, b"", dt.date(1970, 1, 1)])
def test_what_is_not_missing(value: Any) -> None:
    """Text that looks like a missing value, zero and the empty string are values."""
    assert not is_missing(value)
    attribute = column_of(pd.Series([value, "other"] * 100, dtype=object))
    assert attribute.size == 2
    assert not attribute.missing


def test_binary_values() -> None:
    """Bytes are categories."""
    values = [b"xyzw"[i : i + 1] for i in _told(4)]
    frames = [make({"a": values}) for make in (pl.DataFrame, pa.table, pd.DataFrame)]
    for X in (*frames, np.array(values)[:, None], np.array(values, dtype=object)[:, None]):
        assert schema_of(X)[0].values == (b"w", b"x", b"y", b"z")


def test_great_integers() -> None:
    """Integers that doubles cannot hold are told apart as categories, with holes beside them too."""
    great = [2**60 + i for i in _told(4)]
    holed = _holes(great, 5)
    expected = tuple(sorted(set(great)))
    for X in (
        pd.DataFrame({"a": great}),
        pd.DataFrame({"a": pd.array(holed, dtype="Int64")}),
        pd.DataFrame({"a": pd.array(holed, dtype=pd.ArrowDtype(pa.int64()))}),
        pl.DataFrame({"a": holed}),
        pa.table({"a": holed}),
        pd.DataFrame({"a": pd.Series(holed, dtype=object)}),
        [[value] for value in holed],
    ):
        (attribute,) = schema_of(X, categorical_features="all")
        assert attribute.values == expected
        model = NaiveBayes(categorical_features="all").fit(X, Y)
        assert len(np.unique(model.predict_proba(X), axis=0)) == attribute.size


def test_weights_and_targets_in_any_container() -> None:
    """Weights and targets may be lists, arrays, or series of any frame."""
    X = pandas_as_is(RAW)
    weights = checks.whole_weights(ROWS)
    names = np.array(["c", "a", "b"])[Y]
    reference = TAN().fit(X, names, weights)
    for make in (list, np.asarray, pd.Series, pl.Series, pa.array, _chunked, _narwhals_series):
        model = TAN().fit(X, make(names.tolist()), make(weights.tolist()))
        checks.assert_same_bits([model.structure_, model.model_], [reference.structure_, reference.model_])
        assert model.predict(X).tolist() == reference.predict(X).tolist()
    series = [pd.Series(names, dtype="category"), pd.Series(names, dtype="string")]
    for y in (*series, pl.Series(names.tolist(), dtype=pl.Categorical)):
        assert TAN().fit(X, y, weights).classes_.tolist() == ["a", "b", "c"]
    assert TAN().fit(X, pd.Series(Y, dtype="Int64")).classes_.dtype.kind == "i"
    assert TAN().fit(X, pa.chunked_array([pa.array(Y == 1)])).classes_.dtype.kind == "b"


def test_index_of_pandas_does_not_matter() -> None:
    """Rows go together by place, whatever the indexes of table, target and weights are."""
    X, y = pandas_as_is(RAW), pd.Series(Y)
    other = X.set_axis(np.random.default_rng(0).permutation(ROWS))
    checks.assert_same_model(TAN().fit(other, y.set_axis(y.index[::-1])), TAN().fit(X, y))


def test_columns_named_like_methods() -> None:
    """Columns may have any name: that of a method, an empty one, one with spaces, dots or braces."""
    X = pandas_as_is(RAW).set_axis(["fold", "columns", "shape", "", "a b", "{x}", "schema.x", "é", "%s"], axis=1)
    for frame in (X, pl.DataFrame(dict(zip(X, RAW.values(), strict=True)))):
        model = TAN().fit(frame, Y)
        assert set(model.structure_.parents) == set(X)
        assert "fold" in str(model.structure_)
        assert "%s" in str(model.schema_)


def test_no_warning_and_no_copy_of_the_users_table() -> None:
    """Reading a table warns of nothing and leaves it as it was."""
    frame = pandas_as_is(RAW)
    before = frame.copy(deep=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TAN().fit(frame, Y).predict(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_columns_as_labels() -> None:
    """Numbers read as labels are Python's numbers in rising order; rows can be taken of both."""
    numbers = Numbers(np.array([3.0, np.nan, -1.5, 3.0]))
    labels = numbers.as_labels()
    assert labels.values == (-1.5, 3.0)
    assert labels.codes.tolist() == [1, -1, 0, 1]
    assert labels.take(np.array([True, False, True, False])).codes.tolist() == [1, 0]
    assert numbers.take(slice(2, 4)).values.tolist() == [-1.5, 3]
    assert len(numbers) == len(labels) == 4
    assert labels.seen(None) == ([0, 1], True)
    assert labels.seen(np.array([1.0, 0.0, 0.0, 2.0])) == ([1], False)
    assert Labels(np.array([], dtype=np.int32), ()).seen(None) == ([], False)


def _chunked(values: list[Any]) -> Any:
    return pa.chunked_array([values[:9], values[9:]])


def _narwhals_series(values: list[Any]) -> Any:
    return nw.from_native(pl.Series(values), series_only=True)


def _distinct(values: list[Any]) -> list[Any]:
    return sorted({value for value in values if value is not None}, reverse=True)


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    """A warning from a library below, about a deprecated way to read a column, is an error here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_dictionaries_of_arrow_are_read_by_their_codes() -> None:
    """Chunks with dictionaries of their own, values that are named twice or missing, and chunks without rows."""
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None], pa.int32()), pa.array(["q", "x", None, "q"]))
    chunks = [pa.array(["x", None, "y"]).dictionary_encode(), pa.array(["y"]).dictionary_encode()[:0], twice]
    column = pa.chunked_array(chunks, chunks[0].type)
    for table in (pa.table({"a": column}), pd.DataFrame({"a": pd.arrays.ArrowExtensionArray(column)})):
        (read,) = columns_of_frame(stable.from_native(table, eager_only=True), ["a"])
        assert isinstance(read.data, Labels)
        values = [*read.data.values, None]
        assert [values[code] for code in read.data.codes] == ["x", None, "y", "q", "x", None, "q", None]
        assert len(set(read.data.values)) == len(read.data.values)


def test_a_frame_that_is_a_view_of_rows() -> None:
    """Frames of pandas over rows of integers are read as these rows: the same values, and numbers all the same."""
    rng = np.random.default_rng(0)
    for dtype in (np.int64, np.uint8, np.int16):
        rows = rng.integers(0, 100, (300, 5)).astype(dtype)
        for array in (rows, rows[::2], np.asfortranarray(rows)):
            view = pd.DataFrame(array, copy=False)
            for frame in (view, view.assign(x=1.5), view.iloc[:1], view[[4, 0, 2]], view.iloc[::-1]):
                names = list(map(str, frame.columns))
                read = columns_of_frame(stable.from_native(frame.rename(columns=str), eager_only=True), names)
                for column, name in zip(read, frame.columns, strict=True):
                    assert column.kind == "number"
                    assert isinstance(column.data, Numbers)
                    np.testing.assert_array_equal(column.data.values, frame[name])
    negative = pd.DataFrame(rows.astype(np.int64) - 50, copy=False).rename(columns=str)
    for column, name in zip(
        columns_of_frame(stable.from_native(negative), list("abcde")), negative.columns, strict=True
    ):
        assert isinstance(column.data, Numbers)
        np.testing.assert_array_equal(column.data.values, negative[name])


@pytest.mark.parametrize("type_", [pa.int8(), pa.uint8(), pa.uint16(), pa.uint32(), pa.int64(), pa.uint64()])
def test_dictionaries_with_codes_of_any_type(type_: Any) -> None:
    """Codes without a sign, too, such as polars gives."""
    encoded = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1], type_), pa.array(["x", "y"]))
    (read,) = columns_of_frame(stable.from_native(pa.table({"a": encoded}), eager_only=True), ["a"])
    assert isinstance(read.data, Labels)
    assert (read.data.codes.tolist(), tuple(read.data.values)) == ([0, 1, -1, 1], ("x", "y"))
