"""What a user hands to an estimator, checked once: the table, the target, the weights.

The corners are scikit-learn's: its rules for names, widths and column order, and its words where its checks look.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_array, column_or_1d, validate_data

from savvybayes import _kernel
from savvybayes.data.columns import Array, Column, Labels, columns_of_array, columns_of_frame, is_missing, read_text
from savvybayes.data.source import MemorySource

# Sums of weights stay well below what doubles hold, so that n log n does, too.
MOST_WEIGHT = 1e300


def training_source(
    estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any, *, reset: bool = True
) -> MemorySource:
    """Check a table in memory with its target and weights, and note its width and names in the estimator."""
    columns = read_columns(estimator, X, reset=reset)
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    n_rows = len(columns[0].data)
    target = read_target(y)
    if len(target) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(target)}: inconsistent numbers of samples")
    return MemorySource(columns, target, read_weights(sample_weight, n_rows))


@contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Where learning fails or is interrupted, what the estimator had learnt before stays."""
    before = dict(estimator.__dict__)
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise


def read_columns(estimator: BaseEstimator, X: Any, *, reset: bool) -> list[Column]:
    """Check a table in memory, and read its columns. With `reset`, its width and names are noted in the estimator."""
    X = nw.to_native(X, pass_through=True)
    if nw.dependencies.is_polars_lazyframe(X):
        raise TypeError("X is a lazy frame: give X.collect()")
    if nw.dependencies.is_into_dataframe(X):
        try:
            frame = nw.from_native(X, eager_only=True)
        except nw.exceptions.DuplicateError as error:
            raise ValueError(f"X has columns of the same name; rename them. {error}") from None
        validate_data(estimator, X, "no_validation", reset=reset, skip_check_array=True)
        _check_shape(*frame.shape)
        columns = columns_of_frame(frame, _names(estimator, frame.shape[1]))
    else:
        array = _as_array(estimator, X)
        validate_data(
            estimator, X if hasattr(X, "shape") else array, "no_validation", reset=reset, skip_check_array=True
        )
        columns = columns_of_array(array, _names(estimator, array.shape[1]))
    for column in columns:
        column.check_finite()
    return columns


def read_target(y: Any, name: str = "y") -> Labels:
    """Check a target of classes; its values come in the order of `np.unique`."""
    if nw.dependencies.is_into_series(y):
        series = nw.from_native(y, series_only=True)
        if isinstance(series.dtype, nw.String) and not series.null_count():
            # Objects of pandas pass for text where the first hundred are: others among them may have no order.
            with suppress(TypeError):
                return _sorted_labels(read_text(series), series.head(1).to_numpy().dtype)
        y = series.to_numpy() if not series.null_count() else np.array(series.to_list(), dtype=object)
    y = column_or_1d(y, warn=True)
    try:
        values, codes = _unique(y, name)
    except TypeError as error:
        raise ValueError(f"Unknown label type: unknown. {name} holds values that have no order: {error}") from None
    assert_all_finite(values, input_name=name)
    # Looked at often enough for scikit-learn not to take many classes for a regression.
    check_classification_targets(np.repeat(values, 3))
    return Labels(codes.astype(np.int32), values)


def _sorted_labels(labels: Labels, dtype: np.dtype[Any]) -> Labels:
    """The same labels, their values in order, as an array of this kind: of text, or of objects."""
    values, order = np.unique(
        np.asarray(labels.values, dtype=object if dtype.kind == "O" else str), return_inverse=True
    )
    return Labels(order.astype(np.int32)[labels.codes], values)


def _unique(y: Array, name: str) -> tuple[Array, Array]:
    """What `np.unique` gives, without sorting rows: integers are looked up in a table, objects are numbered first."""
    if y.dtype.kind in "iu" and y.dtype.isnative and len(y):
        [(doubles, _, exact)] = _kernel.distinct([y])
        if exact and len(doubles) <= 255:
            values, n = doubles.astype(y.dtype), len(doubles)
            coder = _kernel.Coder(False, doubles, np.arange(n + 2).clip(max=n).astype(np.uint8))
            return values, _kernel.code_columns([y], [coder])[0]
    if y.dtype.kind != "O":
        _check_target_is_whole(y, name)
        values, codes = np.unique(y, return_inverse=True)
        return values, codes
    index: dict[Any, int] = {}
    first_seen = np.fromiter((index.setdefault(value, len(index)) for value in y), dtype=np.intp, count=len(y))
    missing = np.array([*map(is_missing, index)], dtype=bool)
    if missing.any():
        _complain_of_missing(missing[first_seen], name)
    distinct = np.empty(len(index), dtype=object)
    distinct[:] = list(index)
    values, order = np.unique(distinct, return_inverse=True)
    return values, order[first_seen]


def read_weights(sample_weight: Any, n_rows: int) -> Array | None:
    """Check weights; None where each is 1."""
    if sample_weight is None:
        return None
    weights = _as_floats(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array")
    if len(weights) != n_rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}!")
    wrong = ~(weights >= 0) | np.isinf(weights)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"sample_weight must be non-negative and finite; it is {weights[row]} in row {row} "
            f"(and wrong in {int(wrong.sum())} in all)"
        )
    if weights.max() > MOST_WEIGHT / max(n_rows, 1):
        raise ValueError(f"sample_weight: weights such as {weights.max()} have an infinite sum; scale them down")
    if not (weights > 0).any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return None if (weights == 1).all() else np.ascontiguousarray(weights)


def _as_floats(sample_weight: Any) -> Array:
    weights = nw.to_native(sample_weight, pass_through=True)
    if nw.dependencies.is_into_series(weights):
        weights = nw.from_native(weights, series_only=True).to_numpy()
    try:
        weights = np.asarray(weights)
        if weights.dtype.kind == "c":
            raise TypeError("They are complex.")
        if weights.dtype.kind not in "biuf":
            cells = [float("nan") if is_missing(weight) else float(weight) for weight in weights.ravel()]
            weights = np.array(cells).reshape(weights.shape)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must be numbers, one for each row. {error}") from None
    return np.asarray(weights, dtype=np.float64)


def _as_array(estimator: BaseEstimator, X: Any) -> Array:
    options = {"ensure_all_finite": False, "estimator": estimator, "input_name": "X"}
    array = check_array(X, dtype=None, **options)
    if not hasattr(X, "dtype") and array.dtype.kind in "US":  # a list: NumPy would make text of numbers beside text
        array = check_array(X, dtype=object, **options)
    return np.asarray(array)


def _names(estimator: BaseEstimator, n_columns: int) -> list[Any]:
    """The names noted in the estimator, otherwise positions."""
    return [str(name) for name in getattr(estimator, "feature_names_in_", ())] or list(range(n_columns))


def _check_shape(n_rows: int, n_columns: int) -> None:
    if n_columns == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required.")
    if n_rows == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape=(0, {n_columns})) while a minimum of 1 is required.")


def _check_target_is_whole(y: Array, name: str) -> None:
    if y.dtype.kind == "f":
        missing = np.isnan(y)
    elif y.dtype.kind in "Mm":
        missing = np.isnat(y)
    else:
        return
    if missing.any():
        _complain_of_missing(missing, name)


def _complain_of_missing(missing: Array, name: str) -> None:
    raise ValueError(
        f"Input {name} contains NaN: {int(missing.sum())} missing targets, the first in row {int(missing.argmax())}"
        "; drop these rows, or give them a class of their own"
    )
