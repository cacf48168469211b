"""What a user hands over: the table, the target and the weights are checked once, in words that help."""

from __future__ import annotations

from typing import Any

import narwhals
import numpy as np
import pandas
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

import checks
from savvybayes import TAN, MDLPDiscretizer, NaiveBayes
from savvybayes.data.columns import Labels, Numbers
from savvybayes.data.inputs import read_columns, read_target, read_weights, training_source

# Its stubs, where they are installed, know less than it does.
pd: Any = pandas

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])


def classes_of(labels: Labels) -> list[Any]:
    """The class of each row."""
    values = np.asarray(labels.values)
    return [values[code] for code in labels.codes]


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b", "c"],
        np.array(["b", "a", "b", "c"]),
        np.array(["b", "a", "b", "c"], dtype=object),
        pd.Series(["b", "a", "b", "c"]),
        pd.Series(["b", "a", "b", "c"], dtype="string"),
        pd.Series(["b", "a", "b", "c"], dtype="category"),
        pd.Series(["b", "a", "b", "c"], dtype=pd.ArrowDtype(pa.string())),
        pd.Index(["b", "a", "b", "c"]),
        pl.Series(["b", "a", "b", "c"]),
        pl.Series(["b", "a", "b", "c"], dtype=pl.Categorical),
        pl.Series(["b", "a", "b", "c"], dtype=pl.Enum(["c", "b", "a"])),
        pa.array(["b", "a", "b", "c"]),
        pa.chunked_array([["b", "a"], ["b", "c"]]),
        pa.array(["b", "a", "b", "c"]).dictionary_encode(),
        pa.chunked_array([pa.array(["b", "a", "b", "c"]).dictionary_encode()]),
        narwhals.from_native(pl.Series(["b", "a", "b", "c"]), series_only=True),
        ("b", "a", "b", "c"),
    ],
    ids=lambda y: f"{type(y).__module__}.{type(y).__name__}-{getattr(y, 'dtype', getattr(y, 'type', ''))}",
)
def test_targets_of_strings(y: Any) -> None:
    """The same classes come out of every container, in the order of `np.unique`."""
    target = read_target(y)
    assert classes_of(target) == ["b", "a", "b", "c"]
    assert list(target.values) == ["a", "b", "c"]
    assert target.codes.tolist() == [1, 0, 1, 2]


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        ([3, 1, 3], "i"),
        (np.array([3, 1, 3], dtype=np.uint8), "u"),
        (np.array([3.0, 1, 3]), "f"),
        ([True, False, True], "b"),
        (pd.Series([3, 1, 3], dtype="Int64"), "i"),
        (pd.Series([True, False, True], dtype="boolean"), "b"),
        (pl.Series([True, False, True]), "b"),
        (pa.chunked_array([[3, 1, 3]]), "i"),
        (np.array([3, 1, 3], dtype=">i4"), "i"),
    ],
)
def test_targets_of_numbers(y: Any, kind: str) -> None:
    """Classes keep their type: whole numbers, truth values, floats."""
    target = read_target(y)
    values = np.asarray(target.values)
    assert values.dtype.kind in kind
    assert values.tolist() == sorted(set(np.asarray(y).tolist()))


@pytest.mark.parametrize(
    "y",
    [
        [1.0, np.nan, 0.0, np.nan],
        ["a", None, "b", None],
        np.array(["a", np.nan, "b", None], dtype=object),
        pd.Series(["a", None, "b", None]),
        pd.Series(["a", None, "b", None], dtype="category"),
        pd.Series([1, None, 0, None], dtype="Int64"),
        pd.Series([True, None, False, None], dtype="boolean"),
        pd.Series(pd.to_datetime(["2020", None, "2021", None])),
        pl.Series(["a", None, "b", None]),
        pl.Series([1, None, 0, None]),
        pl.Series([1.0, None, 0.0, float("nan")]),
        pl.Series([True, None, False, None]),
        pl.Series(["a", None, "b", None], dtype=pl.Categorical),
        pa.array(["a", None, "b", None]),
        pa.array([1, None, 0, None]),
        pa.array(["a", None, "b", None]).dictionary_encode(),
        pa.chunked_array([["a", None], ["b", None]]),
        np.array(["2020", "NaT", "2021", "NaT"], dtype="M8[D]"),
    ],
    ids=lambda y: f"{type(y).__module__}.{type(y).__name__}-{getattr(y, 'dtype', getattr(y, 'type', ''))}",
)
def test_missing_targets(y: Any) -> None:
    """A missing target is an error that counts them, says where the first is, and what to do."""
    with pytest.raises(ValueError, match="Input y contains NaN: 2 missing targets, the first in row 1; drop"):
        read_target(y)


def test_targets_that_are_no_classes() -> None:
    """Continuous, infinite, two-dimensional and scalar targets are errors in scikit-learn's words."""
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        read_target(np.linspace(0, 1, 9))
    with pytest.raises(ValueError, match="Input y contains infinity"):
        read_target([0.0, np.inf, 1.0])
    with pytest.raises(ValueError, match=r"y should be a 1d array, got an array of shape \(2, 2\)"):
        read_target([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="y should be a 1d array"):
        read_target("text")
    for objects in ([1, "a", 2.5, "b"], [3, 1, 3, 1]):  # of numbers, too: so CategoricalNB
        with pytest.raises(ValueError, match="Unknown label type: unknown"):
            read_target(np.array(objects, dtype=object))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_target_of_one_column(make: Any) -> None:
    """A target that is a column vector or a frame of one column is read as one, with scikit-learn's warning."""
    for y in (np.array([[1], [0], [1]]), make({"y": [1, 0, 1]})):
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
            target = read_target(y)
        assert target.codes.tolist() == [1, 0, 1]


def test_target_of_another_length() -> None:
    """A target of another length is an error that names both lengths."""
    for y in (Y[:-1], [*Y, 1]):
        with pytest.raises(ValueError, match=rf"X has 6 rows and y has {len(y)}: inconsistent numbers of samples"):
            training_source(TAN(), X, y, None)
    with pytest.raises(ValueError, match="TAN estimator requires y to be passed, but the target y is None"):
        training_source(TAN(), X, None, None)


@pytest.mark.parametrize(
    "weights",
    [
        [0, 2, 1.5],
        (0, 2, 1.5),
        np.array([0, 2, 1.5], dtype=np.float32),
        np.array([0, 2, 1.5], dtype=">f8"),
        np.array([0, 9, 2, 9, 1.5, 9])[::2],
        pd.Series([0, 2, 1.5]),
        pd.Series([0, 2, 1.5], dtype="Float64"),
        pl.Series([0.0, 2, 1.5]),
        pa.array([0, 2, 1.5]),
        pa.chunked_array([[0.0], [2, 1.5]]),
        np.array([0, 2, 1.5], dtype=object),
        narwhals.from_native(pl.Series([0.0, 2, 1.5]), series_only=True),
    ],
    ids=lambda w: f"{type(w).__module__}.{type(w).__name__}-{getattr(w, 'dtype', getattr(w, 'type', ''))}",
)
def test_weights_in_any_container(weights: Any) -> None:
    """Weights come in any container, and go to the kernel as contiguous doubles."""
    read = read_weights(weights, 3)
    assert read is not None
    assert read.tolist() == [0, 2, 1.5]
    assert read.dtype == np.float64
    assert read.flags.c_contiguous


def test_weights_of_whole_numbers_and_truth() -> None:
    """Whole numbers and truth values are weights; where each is 1 there are none; one number is for all rows."""
    truth = read_weights([True, False, True], 3)
    assert truth is not None
    assert truth.tolist() == [1, 0, 1]
    scalar = read_weights(2, 3)
    assert scalar is not None
    assert scalar.tolist() == [2, 2, 2]
    for ones in (None, 1, [1, 1, 1], np.ones(3), [True] * 3):
        assert read_weights(ones, 3) is None


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1], r"sample_weight must be non-negative and finite; it is -1.0 in row 1 \(and wrong in 1 in all\)"),
        ([1, 1, np.inf], r"it is inf in row 2"),
        ([np.nan, 1, -1], r"it is nan in row 0 \(and wrong in 2 in all\)"),
        ([None, 1, 1], r"it is nan in row 0"),
        (pd.Series([1, None, 1], dtype="Float64"), r"it is nan in row 1"),
        (pl.Series([1, None, 1]), r"it is nan in row 1"),
        ([0, 0, 0], "must contain at least one non-zero"),
        ([1, 1], r"sample_weight.shape == \(2,\), expected \(3,\)"),
        ([[1], [1], [1]], "must be 1D array or scalar, got 2D"),
        (-1, r"it is -1.0 in row 0 \(and wrong in 3 in all\)"),
    ],
)
def test_bad_weights(weights: Any, message: str) -> None:
    """A weight that is none is an error that says which and where."""
    with pytest.raises(ValueError, match=message):
        read_weights(weights, 3)


@pytest.mark.parametrize("weights", [["a", "b", "c"], {"a": 1}, [1j, 1, 1], [[1], [1, 2], [1]]])
def test_weights_that_are_no_numbers(weights: Any) -> None:
    """Weights that are no numbers are an error that says it is the weights."""
    with pytest.raises((TypeError, ValueError), match=r"(?i)sample.weight"):
        read_weights(weights, 3)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (X[:, 0], ValueError, "Expected 2D array, got 1D array"),
        (X[None], ValueError, r"Found array with dim 3"),
        (5, ValueError, "Expected 2D array, got scalar array"),
        ("text", ValueError, "Expected 2D array, got scalar array"),
        (X[:0], ValueError, r"Found array with 0 sample\(s\)"),
        (X[:, :0], ValueError, r"Found array with 0 feature\(s\)"),
        (pd.DataFrame(X)[:0], ValueError, r"Found array with 0 sample\(s\) \(shape=\(0, 2\)\)"),
        (pd.DataFrame(index=range(6)), ValueError, r"Found array with 0 feature\(s\) \(shape=\(6, 0\)\)"),
        (pl.DataFrame({"a": []}), ValueError, r"Found array with 0 sample\(s\)"),
        (pa.table({"a": []}), ValueError, r"Found array with 0 sample\(s\)"),
        (sparse.csr_matrix(X), TypeError, "Sparse data was passed for X, but dense data is required"),
        (sparse.coo_array(X), TypeError, "Sparse data was passed for X, but dense data is required"),
        (X * 1j, ValueError, "Complex data not supported"),
        (np.array([[1j, 2]] * 6, dtype=object), ValueError, "Complex data not supported"),
        (pl.DataFrame(X).lazy(), TypeError, r"lazy frame: give X.collect\(\)"),
        (narwhals.from_native(pl.DataFrame(X).lazy()), TypeError, r"lazy frame: give X.collect\(\)"),
        (pd.Series(X[:, 0]), ValueError, "Expected a? ?2-?[dD]"),
        (pl.Series(X[:, 0]), ValueError, "Expected 2D array, got 1D array"),
        ([[1, 2], [3]], ValueError, "inhomogeneous"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_bad_tables(table: Any, error: type[Exception], message: str) -> None:
    """A table that is none is an error in scikit-learn's words, before anything else."""
    with pytest.raises(error, match=message):
        read_columns(TAN(), table, reset=True)


@pytest.mark.parametrize(
    "cells",
    [
        pd.DataFrame({"b": range(3), "a": [1, [1, 2], 3]}),
        pd.DataFrame({"b": range(3), "a": [(1, 2), (1, 3), (1, 2)]}),
        pd.DataFrame({"b": range(3), "a": [{"x": 1}, None, {}]}),
        pd.DataFrame({"b": range(3), "a": [np.zeros(2), np.zeros(2), None]}),
        pd.DataFrame({"b": range(3), "a": pd.Series([[1], [2], []], dtype=pd.ArrowDtype(pa.list_(pa.int64())))}),
        pl.DataFrame({"b": range(3), "a": [[1], [1, 2], []]}),
        pl.DataFrame({"b": range(3), "a": pl.Series([[1, 2], [1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2))}),
        pl.DataFrame({"b": range(3), "a": [{"x": 1}, {"x": 2}, {"x": 3}]}),
        pa.table({"b": range(3), "a": [[1], [1, 2], []]}),
        pa.table({"b": range(3), "a": [{"x": 1}, {"x": 2}, {"x": 3}]}),
    ],
    ids=[
        "pandas lists",
        "pandas tuples",
        "pandas mappings",
        "pandas arrays",
        "pandas arrow lists",
        "polars lists",
        "polars arrays",
        "polars structs",
        "pyarrow lists",
        "pyarrow structs",
    ],
)
def test_columns_of_containers(cells: Any) -> None:
    """A column of lists, arrays or mappings is an error that names the column."""
    with pytest.raises(TypeError, match="column 'a'"):
        TAN().fit(cells, [0, 1, 0])


@pytest.mark.parametrize(
    "cell", [bytearray(b"x"), pd.Series([1]), np.zeros(1, dtype="V3")[0]], ids=["bytes", "series", "void"]
)
def test_cells_that_are_no_values(cell: Any) -> None:
    """Cells that cannot be told apart by value are an error that names the column."""
    with pytest.raises(TypeError, match="column 'a'"):
        TAN().fit(pd.DataFrame({"b": range(4), "a": pd.Series([cell, None, cell, "x"], dtype=object)}), [0, 1, 0, 1])


@pytest.mark.parametrize("estimator", [TAN(), MDLPDiscretizer()], ids=repr)
@pytest.mark.parametrize(
    ("table", "column"),
    [
        (np.where(np.arange(12).reshape(6, 2) == 7, np.inf, X), "column 1, first in row 3"),
        (np.where(np.arange(12).reshape(6, 2) == 7, -np.inf, X).astype(np.float32), "column 1, first in row 3"),
        (pd.DataFrame({"u": [1, 2, np.inf, 3, np.inf, 4]}), "column 'u', first in row 2"),
        (pd.DataFrame({"u": pd.Series([1, 2, np.inf, 3, None, 4], dtype=object)}), "column 'u', first in row 2"),
        (pd.DataFrame({"u": [1, 2, np.inf, 3, None, 4]}).astype("Float64"), "column 'u', first in row 2"),
        (pl.DataFrame({"u": [1.0, 2, float("-inf"), 3, 3, 4]}), "column 'u', first in row 2"),
        (pa.table({"u": [1.0, 2, float("inf"), 3, 3, 4]}), "column 'u', first in row 2"),
        ([[1], [2], [float("inf")], [3], [4], [5]], "column 0, first in row 2"),
    ],
    ids=["float64", "float32", "pandas", "objects", "nullable", "polars", "pyarrow", "lists"],
)
def test_infinite_numbers(estimator: Any, table: Any, column: str) -> None:
    """An infinite number is an error that names the column and the row, at fit and at predict."""
    with pytest.raises(ValueError, match=f"Input X contains infinity .*{column}"):
        checks.fitted(estimator, table, Y)
    width = 2 if isinstance(table, np.ndarray) else 1
    fine = np.arange(6.0 * width).reshape(6, width)
    named = pd.DataFrame(fine, columns=["u"]) if "'u'" in column else fine
    model = checks.fitted(estimator, named, Y)
    with pytest.raises(ValueError, match=f"Input X contains infinity .*{column}"):
        (model.transform if isinstance(model, MDLPDiscretizer) else model.predict)(table)


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series(["u", float("inf"), "v", 1, "u", "v"], dtype=object),
        pd.Series([2**60, float("-inf"), 1, 2, 3, 4], dtype=object),
        pd.Series(pd.Categorical([1.0, np.inf, 2.0, 1.0, 2.0, 2.0])),
    ],
    ids=["mixed", "great integers", "categories"],
)
def test_infinite_numbers_among_labels(cells: Any) -> None:
    """An infinite number among text, great integers or categories is the same error, or a category; no riddle."""
    for wanted in ("from_dtype", "all"):
        try:
            model = NaiveBayes(categorical_features=wanted).fit(pd.DataFrame({"u": cells}), Y)
        except ValueError as error:
            assert "infinity" in str(error)  # noqa: PT017
            assert "'u'" in str(error)  # noqa: PT017
        else:
            assert any("inf" in label for label in model.schema_.attributes[0].labels)
            assert model.schema_.attributes[0].cuts is None


def test_duplicate_names() -> None:
    """Two columns of one name are an error that gives the name."""
    for table in (pd.DataFrame(X, columns=["a", "a"]), pa.table([pa.array(Y), pa.array(Y)], names=["a", "a"])):
        with pytest.raises(ValueError, match="'a'"):
            TAN().fit(table, Y)


def test_names_are_read_in_every_container() -> None:
    """Names are noted and compared whatever the frame is, and a frame of one library may follow one of another."""
    frames = [make({"u": X[:, 0], "v": X[:, 1]}) for make in (pd.DataFrame, pl.DataFrame, pa.table)]
    for first in frames:
        model = NaiveBayes().fit(first, Y)
        assert model.feature_names_in_.tolist() == ["u", "v"]
        for other in frames:
            assert model.predict(other).shape == (6,)
    for swapped in (make({"v": X[:, 1], "u": X[:, 0]}) for make in (pd.DataFrame, pl.DataFrame, pa.table)):
        with pytest.raises(ValueError, match="must be in the same order"):
            model.predict(swapped)


def test_numbers_beside_text_in_lists() -> None:
    """In a list of rows numbers beside text stay numbers, and a missing cell is missing."""
    columns = read_columns(TAN(), [[1, "a"], [2.5, None], [None, "b"]], reset=True)
    assert [column.kind for column in columns] == ["number", "label"]
    numbers, labels = columns[0].data, columns[1].data
    assert isinstance(numbers, Numbers)
    assert numbers.values.tolist()[:2] == [1, 2.5]
    assert np.isnan(numbers.values[2])
    assert isinstance(labels, Labels)
    assert labels.codes.tolist() == [0, -1, 1]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64], ids=repr)
def test_targets_of_integers(dtype: Any) -> None:
    """Integer classes of every type, at both ends of it, near each other or far apart, are those of `np.unique`."""
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype)
    ends = np.array([info.min, info.max], dtype=dtype)
    ranges = ((info.min, min(info.min + 60_000, info.max)), (max(info.max - 60_000, info.min), info.max), (0, 5))
    for low, high in ranges:
        near = rng.integers(low, high, 300, dtype=dtype, endpoint=True)
        for classes in (near, np.concatenate([near, ends])):
            target = read_target(classes)
            values, codes = np.unique(classes, return_inverse=True)
            assert np.asarray(target.values).dtype == values.dtype
            np.testing.assert_array_equal(target.values, values)
            np.testing.assert_array_equal(target.codes, codes)


@pytest.mark.parametrize("late", [1, (1,), [1]], ids=str)
def test_objects_that_look_like_text_at_first(late: Any) -> None:
    """Of pandas' objects the first hundred are looked at: what comes later is told of as in an array."""
    y = pd.Series([*["a"] * 101, late], dtype=object)
    with pytest.raises(ValueError, match="y holds values that have no order"):
        read_target(y)


@pytest.mark.parametrize("backend", [pd.Series, pl.Series, np.array, list])
def test_a_target_of_text_has_its_values_in_order(backend: Any) -> None:
    """Whatever holds it."""
    target = read_target(backend(["pear", "apple", "pear", "fig"]))
    assert list(target.values) == ["apple", "fig", "pear"]
    assert target.codes.tolist() == [2, 0, 2, 1]
