"""Naive Bayes against the plain twin and against scikit-learn's CategoricalNB."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import CategoricalNB

from coded import random_rows
from raw import RawTable, as_array, assert_posteriors, raw_tables
from savvybayes import NaiveBayes

bounded = settings(deadline=None, max_examples=60)
alphas = st.sampled_from((1.0, 0.5, 1e-3, 20.0))


@given(raw_tables(), alphas)
@bounded
def test_posteriors_are_the_twin_s(table: RawTable, alpha: float) -> None:
    """Missing, unseen and constant values, weights of 0 and others: every posterior is the twin's to 1e-12."""
    model = table.fit(NaiveBayes(alpha=alpha))
    parents = ((),) * len(table.kept)
    assert model.structure_.parents == table.in_columns(parents)
    assert_posteriors(model, table, parents, alpha)


@pytest.mark.parametrize("weighting", ["none", "whole", "fractional"])
@pytest.mark.parametrize("alpha", [1.0, 0.1, 5.0])
def test_it_is_categorical_nb(alpha: float, weighting: str) -> None:
    """Where all values were seen the log-probabilities are those of CategoricalNB, to 1e-12."""
    table = random_rows(800, (2, 3, 7, 4), 4, weighting=weighting)  # type: ignore[arg-type]
    weights = None if table.weights is None else table.weights + 1
    rng = np.random.default_rng(0)
    asked = np.stack([rng.integers(size, size=100) for size in table.sizes], axis=1)
    ours = NaiveBayes(alpha=alpha, categorical_features="all").fit(table.codes, table.classes, weights)
    theirs = CategoricalNB(alpha=alpha).fit(table.codes, table.classes, weights)
    np.testing.assert_allclose(ours.predict_log_proba(asked), theirs.predict_log_proba(asked), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(asked), theirs.predict(asked))


def test_naive_bayes_by_hand() -> None:
    """Counts, smoothing and unknown values of a table of five rows."""
    # colour: no: red red blue; yes: blue missing.  r = 3: red, blue, missing.
    X = as_array([["red"], ["red"], ["blue"], ["blue"], [None]])
    y = np.array(["no", "no", "no", "yes", "yes"])
    model = NaiveBayes().fit(X, y)
    # red: no 3/5 * (2+1)/(3+3) = 3/10; yes 2/5 * (0+1)/(2+3) = 2/25: 15/50 against 4/50
    # blue: no 3/5 * 2/6 = 1/5; yes 2/5 * 2/5 = 4/25: 5/25 against 4/25
    # missing, a value like any: no 3/5 * 1/6 = 1/10; yes 2/5 * 2/5 = 4/25: 5/50 against 8/50
    # green, never seen: the prior
    found = model.predict_proba(as_array([["red"], ["blue"], [None], ["green"]]))
    wanted = [[15 / 19, 4 / 19], [5 / 9, 4 / 9], [5 / 13, 8 / 13], [3 / 5, 2 / 5]]
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_a_missing_value_that_training_did_not_see_tells_nothing() -> None:
    """Missing at prediction, but never in training: the attribute is left out."""
    X = as_array([["a", "c"], ["a", "d"], ["b", "d"], ["b", "c"]])
    y = np.array([0, 0, 1, 1])
    model = NaiveBayes().fit(X, y)
    alone = NaiveBayes().fit(X[:, 1:], y)
    asked = as_array([[None, "c"], [None, "d"]])
    np.testing.assert_allclose(model.predict_proba(asked), alone.predict_proba(asked[:, 1:]), rtol=1e-14)


def test_columns_of_one_value_are_left_out() -> None:
    """Columns of one value, missing ones among them, are listed and change nothing; with no other the prior is left."""
    X = as_array([["k", None], ["k", None], ["k", None]])
    model = NaiveBayes().fit(X, np.array(["x", "y", "y"]))
    assert model.structure_.parents == {}
    assert model.schema_.left_out == (0, 1)
    np.testing.assert_allclose(model.predict_proba(as_array([["k", None], ["l", "m"]])), [[1 / 3, 2 / 3]] * 2)


def test_alpha_of_zero_needs_every_value_in_every_class() -> None:
    """Without smoothing a count of zero is an error that names the cell; without zeros the frequencies are used."""
    X = as_array([["a"], ["b"], ["a"], ["a"], ["b"]])
    with pytest.raises(ValueError, match="alpha=0, and no row of class 'yes' has column 0 = b"):
        NaiveBayes(alpha=0).fit(X, np.array(["no", "no", "yes", "yes", "no"]))
    model = NaiveBayes(alpha=0).fit(X, np.array(["no", "no", "yes", "no", "yes"]))
    # a: no 3/5 * 2/3 = 2/5, yes 2/5 * 1/2 = 1/5; b: no 3/5 * 1/3 = 1/5, yes 2/5 * 1/2 = 1/5; c was never seen
    found = model.predict_proba(as_array([["a"], ["b"], ["c"]]))
    np.testing.assert_allclose(found, [[2 / 3, 1 / 3], [1 / 2, 1 / 2], [3 / 5, 2 / 5]], rtol=1e-14)


def test_a_table_too_large_is_an_error_before_it_is_made() -> None:
    """The structure is fixed: an attribute too large for `max_cells` is a clear error, one cell less is none."""
    X = np.array([[0, 0], [1, 1], [2, 0], [3, 1]])
    y = np.array([0, 0, 1, 1])
    model = NaiveBayes(categorical_features="all", max_cells=8).fit(X, y)  # 4 values * 2 classes
    assert len(model.model_.factors) == 2
    with pytest.raises(ValueError, match=r"table of column 0 with 2 classes would have 8 cells, and max_cells is 7"):
        NaiveBayes(categorical_features="all", max_cells=7).fit(X, y)


def test_an_attribute_of_sixty_thousand_values() -> None:
    """Sixty thousand values are nothing special."""
    rng = np.random.default_rng(0)
    X = np.stack([np.arange(60_000), rng.integers(3, size=60_000)], axis=1)
    y = rng.integers(2, size=60_000)
    model = NaiveBayes(categorical_features="all").fit(X, y)
    theirs = CategoricalNB().fit(X, y)
    np.testing.assert_allclose(
        model.predict_log_proba(X[::997]), theirs.predict_log_proba(X[::997]), rtol=0, atol=1e-12
    )


def test_numbers_that_lie_between_other_things() -> None:
    """A view whose rows do not lie whole numbers apart, such as a field of a structured array, fits like its copy."""
    rng = np.random.default_rng(0)
    records = np.zeros(200, dtype=[("id", "u1"), ("X", "f8", (3,))])
    records["X"] = rng.normal(size=(200, 3)).round(1)
    y = (records["X"][:, 0] > 0).astype(int)
    view, copy = records["X"], records["X"].copy()
    for categorical in ("from_dtype", "all"):
        wanted = NaiveBayes(categorical_features=categorical).fit(copy, y).predict_proba(copy)
        found = NaiveBayes(categorical_features=categorical).fit(view, y).predict_proba(view)
        np.testing.assert_array_equal(found, wanted)


def test_three_hundred_classes() -> None:
    """Three hundred classes are nothing special either."""
    table = random_rows(3000, (2, 5, 3), 300)
    model = NaiveBayes(categorical_features="all").fit(table.codes, table.classes)
    theirs = CategoricalNB().fit(table.codes, table.classes)
    assert len(model.classes_) == 300
    np.testing.assert_allclose(
        model.predict_log_proba(table.codes[:50]), theirs.predict_log_proba(table.codes[:50]), rtol=0, atol=1e-12
    )
