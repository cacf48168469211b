"""The discretiser as a transformer of its own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris

import checks
from savvybayes import MDLPDiscretizer, NaiveBayes

# Its stubs, where they are installed, know less than it does.
pd: Any = pandas


def table(rows: int = 300) -> tuple[Any, NDArray[Any]]:
    """Columns of numbers with cuts, without, with holes, and a constant one; and three classes."""
    X, y = checks.mixed_table(rows)
    return X[["length", "count", "noise"]].assign(full=X["width"].fillna(9.0), same=3), y


def test_iris() -> None:
    """The well-known cuts of iris: petals in three bins each."""
    X, y = load_iris(return_X_y=True)
    cuts = MDLPDiscretizer().fit(X, y).cut_points_
    assert [list(own) for own in cuts[2:]] == [[2.45, 4.75], [0.8, 1.75]]


def test_cuts_are_those_of_the_classifiers() -> None:
    """The transformer cuts as the classifiers do."""
    X, y = table()
    discretizer = MDLPDiscretizer().fit(X, y)
    model = NaiveBayes().fit(X, y)
    assert [tuple(cuts) for cuts in discretizer.cut_points_] == [
        attribute.cuts for attribute in model.schema_.attributes
    ]
    assert discretizer.n_bins_.tolist() == [len(cuts) + 1 for cuts in discretizer.cut_points_]
    assert discretizer.missing_.tolist() == [True, False, False, False, False]
    assert max(discretizer.n_bins_) > 2


def test_ordinal() -> None:
    """Each value becomes the number of its bin, counted from 0, a value at a cut left of it, a hole a hole."""
    X = np.array([[0.0], [1], [2], [3], [4], [5], [6], [7], [8], [9]] * 3)
    y = (X[:, 0] > 4) * 1
    discretizer = MDLPDiscretizer().fit(X, y)
    assert discretizer.cut_points_[0].tolist() == [4.5]
    asked = np.array([[-1e300], [4.5], [np.nextafter(4.5, 9)], [1e300], [np.nan], [-0.0]])
    bins = discretizer.transform(asked)
    assert bins.dtype == np.float64
    assert bins.shape == (6, 1)
    np.testing.assert_array_equal(bins[:, 0], [0, 0, 1, 1, np.nan, 0])


def test_ordinal_by_hand() -> None:
    """For each column the bin is the number of its cut points below the value."""
    X, y = table()
    discretizer = MDLPDiscretizer().fit(X, y)
    values = X.to_numpy(dtype=float)
    expected = np.array(
        [np.searchsorted(cuts, values[:, j]) for j, cuts in enumerate(discretizer.cut_points_)], float
    ).T
    expected[np.isnan(values)] = np.nan
    np.testing.assert_array_equal(discretizer.transform(X), expected)


def test_onehot() -> None:
    """One-hot is sparse: a column for each bin, one for holes where there were some, and a single 1 for each value."""
    X, y = table()
    discretizer = MDLPDiscretizer(encode="onehot").fit(X, y)
    hot = discretizer.transform(X)
    assert sparse.issparse(hot)
    assert hot.format == "csr"
    assert hot.dtype == np.float64
    assert hot.shape == (300, discretizer.n_bins_.sum() + discretizer.missing_.sum())
    ordinal = MDLPDiscretizer().fit_transform(X, y)
    dense, begin = hot.toarray(), 0
    for j, n_bins in enumerate(discretizer.n_bins_):
        width = n_bins + discretizer.missing_[j]
        own = dense[:, begin : begin + width]
        np.testing.assert_array_equal(own.sum(axis=1), 1)
        np.testing.assert_array_equal(own.argmax(axis=1), np.where(np.isnan(ordinal[:, j]), n_bins, ordinal[:, j]))
        begin += width
    assert begin == dense.shape[1]


def test_holes_that_training_did_not_see() -> None:
    """A hole in a column that had none is NaN in ordinal, and a row of zeros in one-hot."""
    X, y = table()
    holes = X.assign(full=np.nan)
    assert np.isnan(MDLPDiscretizer().fit(X, y).transform(holes)[:, 3]).all()
    hot = MDLPDiscretizer(encode="onehot").fit(X, y)
    names = list(hot.get_feature_names_out())
    own = [i for i, name in enumerate(names) if name.startswith("full_")]
    assert "full_missing" not in names
    expected = hot.transform(X).toarray()
    assert expected[:, own].sum() == len(y)
    expected[:, own] = 0
    np.testing.assert_array_equal(hot.transform(holes).toarray(), expected)
    last = hot.transform(X.assign(same=np.nan)).toarray()
    assert (last[:, -1] == 0).all()


def test_names() -> None:
    """Names are the columns' own; with one-hot they say the bin too, and which is of missing values."""
    X, y = table()
    assert MDLPDiscretizer().fit(X, y).get_feature_names_out().tolist() == list(X)
    hot = MDLPDiscretizer(encode="onehot").fit(X, y)
    names = hot.get_feature_names_out().tolist()
    assert names[: hot.n_bins_[0] + 1] == [f"length_{i}" for i in range(hot.n_bins_[0])] + ["length_missing"]
    assert names[-2:] == [f"full_{hot.n_bins_[3] - 1}", "same_0"]
    assert len(set(names)) == len(names) == hot.transform(X).shape[1]
    unnamed = MDLPDiscretizer(encode="onehot").fit(X.to_numpy(), y)
    assert unnamed.get_feature_names_out()[0] == "x0_0"
    assert unnamed.get_feature_names_out(list("abcde"))[0] == "a_0"
    with pytest.raises(ValueError, match="input_features should have length equal"):
        unnamed.get_feature_names_out(["a"])


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_set_output(output: str) -> None:
    """With set_output a frame comes out, with the names and, in pandas, the index of what went in."""
    X, y = table()
    X = X.set_axis(np.arange(300) + 1000)
    frame = MDLPDiscretizer().set_output(transform=output).fit(X, y).transform(X)
    assert list(frame.columns) == list(X)
    if output == "pandas":
        assert frame.index.tolist() == X.index.tolist()
    with pytest.raises(ValueError, match="sparse"):
        MDLPDiscretizer(encode="onehot").set_output(transform=output).fit(X, y).transform(X)


def test_containers() -> None:
    """The same columns give the same cuts and bins whatever they come in."""
    X, y = table()
    raw = {name: [None if v != v else v for v in X[name].tolist()] for name in X}
    reference = MDLPDiscretizer().fit(X, y)
    bins = reference.transform(X)
    rows = [list(row) for row in zip(*raw.values(), strict=True)]
    frames = [pd.DataFrame(raw, dtype=object), pd.DataFrame(raw).convert_dtypes(), pl.DataFrame(raw), pa.table(raw)]
    for other in (*frames, rows, np.asfortranarray(X.to_numpy()), X.to_numpy().astype(object)):
        discretizer = MDLPDiscretizer().fit(other, y)
        checks.assert_same_bits(discretizer.cut_points_, reference.cut_points_)
        checks.assert_same_bits(discretizer.transform(other), bins)


def test_weights() -> None:
    """A row of weight w is w rows, one of weight 0 none, in cuts and in what is known to be missing."""
    X, y = table()
    weights = checks.whole_weights(len(y))
    repeated = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted = MDLPDiscretizer().fit(X, y, sample_weight=weights)
    twice = MDLPDiscretizer().fit(X.iloc[repeated], y[repeated])
    checks.assert_same_bits(weighted.cut_points_, twice.cut_points_)
    no_holes = MDLPDiscretizer().fit(X, y, X["length"].notna() * 1.0)
    assert not no_holes.missing_.any()
    with pytest.warns(UserWarning, match="the weights of 300 rows sum to 3:"):
        MDLPDiscretizer().fit(X, y, np.full(len(y), 0.01))


def test_dates_and_durations() -> None:
    """Dates and durations are cut like numbers, in microseconds, and truth values as 0 and 1."""
    y = np.arange(60) >= 30
    X = pd.DataFrame(
        {
            "born": pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(60), unit="D"),
            "took": pd.to_timedelta(np.arange(60), unit="s"),
            "flag": y,
        }
    )
    discretizer = MDLPDiscretizer().fit(X, y)
    assert discretizer.cut_points_[0].astype("M8[us]").tolist() == [pd.Timestamp("2020-01-30 12:00")]
    assert discretizer.cut_points_[1].tolist() == [29.5e6]
    assert discretizer.cut_points_[2].tolist() == [0.5]
    assert (discretizer.transform(X) == y[:, None]).all()


def test_another_kind_at_transform() -> None:
    """A column of dates that holds numbers at transform is an error, as in the classifiers: their bins mean nothing."""
    y = np.arange(60) >= 30
    X = pd.DataFrame({"born": pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(60), unit="D")})
    discretizer = MDLPDiscretizer().fit(X, y)
    with pytest.raises(ValueError, match="column 'born'"):
        discretizer.transform(pd.DataFrame({"born": np.arange(60.0)}))
    with pytest.raises(ValueError, match="column 'born'"):
        MDLPDiscretizer().fit(pd.DataFrame({"born": np.arange(60.0)}), y).transform(X)


def test_text() -> None:
    """A column of text is an error that names it and says what to do, at fit and at transform."""
    X, y = table()
    message = "column 'noise' holds text or other labels, which cannot be cut into bins: give the columns of numbers"
    with pytest.raises(ValueError, match=message):
        MDLPDiscretizer().fit(X.assign(noise="loud"), y)
    with pytest.raises(ValueError, match="column 'noise'"):
        MDLPDiscretizer().fit(X, y).transform(X.assign(noise="loud"))


def test_columns_of_nothing() -> None:
    """A column that is missing all over has one bin and no row in it, whatever its type; so at transform."""
    X, y = table()
    for nothing in (np.nan, None, pd.NA):
        empty = X.assign(noise=pd.Series([nothing] * len(y), dtype=object))
        discretizer = MDLPDiscretizer().fit(empty, y)
        assert discretizer.n_bins_[2] == 1
        assert discretizer.missing_[2]
        assert np.isnan(discretizer.transform(empty)[:, 2]).all()
        assert np.isnan(MDLPDiscretizer().fit(X, y).transform(empty)[:, 2]).all()
        assert (discretizer.transform(X)[:, 2] == 0).all()


def test_one_class_and_two_rows() -> None:
    """One class has nothing to tell apart: one bin each; two rows of two classes are cut.

    Gain 1 bit > (log2(2 - 1) + log2(3^2 - 2) - (2 * 1 - 0 - 0)) / 2 = 0.40.
    """
    X, y = table()
    assert MDLPDiscretizer().fit(X, ["cat"] * len(y)).n_bins_.tolist() == [1] * 5
    assert MDLPDiscretizer().fit([[0.0], [1.0]], [0, 1]).cut_points_[0].tolist() == [0.5]


def test_encode_is_checked_when_fitting() -> None:
    """An unknown encoding is an error that says what there is."""
    X, y = table()
    for encode in ("one-hot", None, 3, np.array(["ordinal", "onehot"])):
        with pytest.raises(ValueError, match=r"encode=.*: give 'ordinal' or 'onehot'"):
            MDLPDiscretizer(encode=encode).fit(X, y)  # type: ignore[arg-type]


def test_copies() -> None:
    """Pickling keeps what was learnt; a clone is not fitted; fitting anew forgets the old columns."""
    X, y = table()
    discretizer = MDLPDiscretizer(encode="onehot").fit(X, y)
    loaded = pickle.loads(pickle.dumps(discretizer))
    checks.assert_same_bits(loaded.transform(X).toarray(), discretizer.transform(X).toarray())
    assert not hasattr(clone(discretizer), "cut_points_")
    discretizer.fit(X.to_numpy()[:, :2], y)
    assert discretizer.n_features_in_ == 2
    assert not hasattr(discretizer, "feature_names_in_")


def test_rows_in_another_order_and_many_values() -> None:
    """Of 50,000 distinct values in any order the cuts are the same bits, and few."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=50_000)
    X = (rng.normal(size=50_000) + y)[:, None]
    order = rng.permutation(50_000)
    cuts = MDLPDiscretizer().fit(X, y).cut_points_
    checks.assert_same_bits(MDLPDiscretizer().fit(X[order], y[order]).cut_points_, cuts)
    assert 1 <= len(cuts[0]) < 40
