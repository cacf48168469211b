"""Learning in portions: with categories it is one fit; cut points and kinds are those of the first portion."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pandas
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

import checks
from savvybayes import KDB, TAN, ChowLiu, NaiveBayes

# Its stubs, where they are installed, know less than it does.
pd: Any = pandas

PORTIONED = [
    estimator for estimator in checks.classifiers() if type(estimator).__name__ in ("NaiveBayes", "ChowLiu", "TAN")
]
# Asked for by one test alone: many portions here are small.
pytestmark = pytest.mark.filterwarnings("ignore:the first portion gives no cut points")

each_portioned = pytest.mark.parametrize("estimator", PORTIONED, ids=repr)


def portions(rows: int, rng: np.random.Generator, most: int = 6) -> list[NDArray[np.intp]]:
    """Consecutive portions of random lengths, one of a single row."""
    ends = np.unique([1, *rng.choice(np.arange(1, rows), size=most - 2, replace=False)])
    return np.split(np.arange(rows), ends)


def in_portions(estimator: Any, X: Any, y: Any, parts: Any, weights: Any = None) -> Any:
    """A clone of the estimator that was fed portion after portion."""
    model = clone(estimator)
    for part in parts:
        own = None if weights is None else weights[part]
        model.partial_fit(X.iloc[part], y[part], classes=np.unique(y), sample_weight=own)
    return model


def categories(rows: int = 400, seed: int = 0) -> tuple[Any, NDArray[Any]]:
    """Categories, some of them rare, with holes, truth values and numbers among them; three classes."""
    X, y = checks.mixed_table(rows, seed)
    rng = np.random.default_rng(seed)
    X = X.drop(columns=["length", "width", "noise"])
    X["rare"] = [f"value {min(int(v), 12)}" for v in rng.exponential(3, size=rows)]
    X["code"] = rng.integers(-3, 3, size=rows) * (y == "cat")
    X["empty"] = None
    return X, y


def assert_like_one_fit(model: Any, whole: Any, X: Any) -> None:
    """Fail unless a model that was fed in portions is that of one fit."""
    assert model.schema_ == whole.schema_
    assert [a.labels for a in model.schema_.attributes] == [a.labels for a in whole.schema_.attributes]
    assert model.structure_ == whole.structure_
    checks.assert_same_bits(model.model_, whole.model_)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-12)
    assert model.classes_.tolist() == whole.classes_.tolist()
    assert model.n_features_in_ == whole.n_features_in_
    assert model.feature_names_in_.tolist() == whole.feature_names_in_.tolist()


@each_portioned
@pytest.mark.parametrize("seed", range(6))
def test_portions_are_one_fit(estimator: Any, seed: int) -> None:
    """Random portions of categories, with new ones in later portions, give the schema, structure and tables of fit."""
    X, y = categories(seed=seed)
    estimator = clone(estimator).set_params(categorical_features=["code", "count"])
    whole = checks.fitted(estimator, X, y)
    model = in_portions(estimator, X, y, portions(len(y), np.random.default_rng(seed)))
    assert_like_one_fit(model, whole, X)


@each_portioned
def test_a_row_at_a_time(estimator: Any) -> None:
    """Portions of one row each, of one class each, give the model of one fit."""
    X, y = categories(rows=60)
    model = in_portions(estimator, X.drop(columns=["code", "count"]), y, [[i] for i in range(60)])
    few = X.drop(columns=["code", "count"])
    assert_like_one_fit(model, checks.fitted(estimator, few, y), few)


@each_portioned
def test_weighted_portions(estimator: Any) -> None:
    """Whole weights count as repetitions in portions too; rows of weight 0 bring no category."""
    X, y = categories()
    X = X.drop(columns=["code", "count"])
    weights = checks.whole_weights(len(y))
    whole = checks.fitted(estimator, X, y, weights)
    model = in_portions(estimator, X, y, portions(len(y), np.random.default_rng(1)), weights)
    assert_like_one_fit(model, whole, X)


@each_portioned
def test_fractional_weights(estimator: Any) -> None:
    """Fractional weights in portions give the probabilities of one fit to 1e-9."""
    X, y = categories()
    X = X.drop(columns=["code", "count"])
    weights = np.random.default_rng(0).uniform(1, 2, size=len(y))
    whole = checks.fitted(estimator, X, y, weights)
    model = in_portions(estimator, X, y, portions(len(y), np.random.default_rng(1)), weights)
    assert model.structure_ == whole.structure_
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


@each_portioned
def test_portions_by_class(estimator: Any) -> None:
    """Portions of one class each, in whatever order, give the model of one fit once all have come."""
    X, y = categories()
    X = X.drop(columns=["code", "count"])
    whole = checks.fitted(estimator, X, y)
    for order in (["bee", "ant", "cat"], ["cat", "bee", "ant"]):
        model = in_portions(estimator, X, y, [np.flatnonzero(y == label) for label in order])
        assert_like_one_fit(model, whole, X)


@each_portioned
def test_a_class_without_rows_yet(estimator: Any) -> None:
    """A class that has no rows yet has probability 0, and no NaN spoils the others."""
    X, y = categories()
    some = y != "cat"
    model = clone(estimator).partial_fit(X[some], y[some], classes=["ant", "bee", "cat"])
    proba = model.predict_proba(X)
    assert (proba[:, 2] == 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert model.predict_log_proba(X)[0, 2] == -np.inf
    without = checks.fitted(estimator, X[some], y[some])
    np.testing.assert_allclose(proba[:, :2], without.predict_proba(X), rtol=1e-12)


@each_portioned
def test_one_class_at_first(estimator: Any) -> None:
    """A first portion of one class, its class among `classes`, is no error; that class is certain for now."""
    X, y = categories()
    cats = y == "cat"
    model = clone(estimator).partial_fit(X[cats], y[cats], classes=np.unique(y))
    np.testing.assert_allclose(model.predict_proba(X), [[0, 0, 1]] * len(y))
    assert set(model.predict(X)) == {"cat"}


@each_portioned
def test_cut_points_are_frozen(estimator: Any) -> None:
    """Ordered columns keep the cut points of the first portion; further rows count in its bins."""
    X, y = checks.mixed_table(900)
    first, later = slice(0, 300), slice(300, 900)
    model = clone(estimator).partial_fit(X[first], y[first], classes=np.unique(y))
    learnt = checks.fitted(estimator, X[first], y[first])
    assert model.schema_ == learnt.schema_
    checks.assert_same_bits(model.model_, learnt.model_)
    model.partial_fit(X[later], y[later])
    cuts = {attribute.name: attribute.cuts for attribute in learnt.schema_.attributes if attribute.cuts is not None}
    assert cuts["length"] != ()
    assert_like_one_fit(model, checks.fitted(clone(estimator).set_params(discretizer=cuts), X, y), X)


@each_portioned
def test_bins_and_holes_that_come_later(estimator: Any) -> None:
    """A bin without rows and a missing value are unknown until a portion brings them, and values from then on."""
    y = np.array(["no", "yes"] * 50)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 1, 100), "b": rng.integers(3, size=100).astype(str)})
    later = X.assign(a=np.where(y == "yes", np.nan, 2.5))
    cuts = {"a": [0.5, 2, 3]}
    model = clone(estimator).set_params(discretizer=cuts).partial_fit(X, y, classes=["no", "yes"])
    assert model.schema_.attributes[0].labels == ("<= 0.5", "(0.5, 2]")
    model.partial_fit(later, y)
    assert model.schema_.attributes[0].labels == ("<= 0.5", "(0.5, 2]", "(2, 3]", "missing")
    both = pd.concat([X, later])
    whole = checks.fitted(clone(estimator).set_params(discretizer=cuts), both, np.concatenate([y, y]))
    assert_like_one_fit(model, whole, both)


@each_portioned
def test_columns_that_wake_up(estimator: Any) -> None:
    """A column of one value is left out until a portion brings another."""
    X, y = checks.categorical_table()
    late = X.assign(x2=["u"] * 300 + X["x2"].tolist()[300:], x4=[None] * 300 + ["u"] * (len(y) - 300))
    model = clone(estimator).partial_fit(late[:300], y[:300], classes=["no", "yes"])
    assert model.schema_.left_out == ("x2", "x4")
    model.partial_fit(late[300:], y[300:])
    assert model.schema_.left_out == ()
    assert_like_one_fit(model, checks.fitted(estimator, late, y), late)


@each_portioned
def test_mixed_values_in_portions(estimator: Any) -> None:
    """A column of text in the first portion may hold numbers in the next: it stays a column of categories."""
    y = np.array([0, 1] * 20)
    X = pd.DataFrame({"a": pd.Series(["u", "v"] * 10 + [1, 2.5] * 5 + ["u", None] * 5, dtype=object), "b": y})
    model = in_portions(estimator, X, y, [range(20), range(20, 30), range(30, 40)])
    assert set(model.schema_.attributes[0].values) == {"u", "v", 1, 2.5}
    assert_like_one_fit(model, checks.fitted(estimator, X, y), X)


@each_portioned
def test_a_kind_that_changes(estimator: Any) -> None:
    """An ordered column that holds text in a later portion is an error, and the earlier portions stay learnt."""
    X, y = checks.mixed_table()
    model = clone(estimator).partial_fit(X, y, classes=np.unique(y))
    before = copy.deepcopy(model)
    wrong = X.assign(length="long")
    with pytest.raises(ValueError, match=r"column 'length' held numbers in training and now holds text .*'long'"):
        model.partial_fit(wrong, y)
    checks.assert_same_model(model, before)
    assert_goes_on(model, before, X, y)


@each_portioned
def test_errors_leave_the_earlier_portions(estimator: Any) -> None:
    """Whatever is wrong with a portion, what was learnt before stays as it was, and learning can go on."""
    X, y = checks.mixed_table()
    model = clone(estimator).partial_fit(X, y, classes=np.unique(y))
    before = copy.deepcopy(model)
    wrong: list[tuple[Any, Any, Any, Any, str]] = [
        (X, np.where(y == "cat", "dog", y), None, None, "'dog', which is none of the classes"),
        (X, y, ["ant", "bee"], None, "not the same as on last call to partial_fit"),
        (X.drop(columns="old"), y, None, None, "feature names should match"),
        (X.assign(length=np.inf), y, None, None, "Input X contains infinity"),
        (X, y[:-1], None, None, "inconsistent numbers of samples"),
        (X, y, None, -np.ones(len(y)), "sample_weight must be non-negative"),
        (X, None, None, None, "requires y to be passed"),
        (X[:0], y[:0], None, None, "Found array with 0 sample"),
        (X, [None, *y[1:]], None, None, "Input y contains NaN"),
    ]
    for table, target, classes, weights, message in wrong:
        with pytest.raises(ValueError, match=message):
            model.partial_fit(table, target, classes=classes, sample_weight=weights)
        checks.assert_same_model(model, before)
    assert_goes_on(model, before, X, y)


def assert_goes_on(model: Any, before: Any, X: Any, y: Any) -> None:
    """Fail unless one more portion teaches both models the same."""
    checks.assert_same_model(model.partial_fit(X, y), before.partial_fit(X, y))


@each_portioned
def test_first_call_needs_classes(estimator: Any) -> None:
    """The first call needs `classes`, at least two; later ones may repeat them in any order, or leave them out."""
    X, y = checks.mixed_table()
    model = clone(estimator)
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match=r"one class, 'ant'"):
        model.partial_fit(X, y, classes=["ant"])
    with pytest.raises(ValueError, match=r"'bee', which is none of the classes \['ant', 'cat'\]"):
        model.partial_fit(X[y != "cat"], y[y != "cat"], classes=["ant", "cat"])
    assert not hasattr(model, "model_")
    model.partial_fit(X, y, classes=["cat", "bee", "ant", "cat"])
    assert model.classes_.tolist() == ["ant", "bee", "cat"]
    model.partial_fit(X, y, classes=["bee", "cat", "ant"]).partial_fit(X, y)


@each_portioned
def test_many_classes_warn_of_nothing(estimator: Any) -> None:
    """Many classes, and portions in which most rows have a class of their own, are what they are: no regression."""
    y = np.array([f"class {i}" for i in range(60)])
    X = pd.DataFrame({"a": y, "b": np.arange(60).astype(str)})
    model = clone(estimator)
    for part in (slice(0, 30), slice(30, 60)):
        model.partial_fit(X[part], y[part], classes=y)
    assert model.predict(X).tolist() == y.tolist()


@each_portioned
def test_classes_of_other_containers(estimator: Any) -> None:
    """`classes` may be any sequence, and the classes of a portion are found in it by value."""
    X, y = checks.categorical_table()
    whole = (y == "yes").astype(int)
    for classes in ([0, 1], (1, 0), np.array([0, 1]), pd.Series([0, 1]), range(2), np.array([0.0, 1.0])):
        model = clone(estimator).partial_fit(X, whole, classes=classes)
        checks.assert_same_bits(model.predict_proba(X), checks.fitted(estimator, X, y).predict_proba(X))


@each_portioned
@pytest.mark.parametrize("classes", [[0.0, 1.0, np.nan], [0, 1, None], np.array([0, 1, None], dtype=object)], ids=repr)
def test_missing_classes(estimator: Any, classes: Any) -> None:
    """A missing value among `classes` is no class, and an error that says so."""
    X, y = checks.categorical_table()
    with pytest.raises((TypeError, ValueError), match=r"(?i)classes.*(NaN|missing|None)|(NaN|missing|None).*classes"):
        clone(estimator).partial_fit(X, (y == "yes") * 1.0, classes=classes)


@each_portioned
def test_after_fit(estimator: Any) -> None:
    """After fit, which keeps no counts, there is no partial_fit, and the error says why; fit starts anew."""
    X, y = checks.mixed_table()
    model = checks.fitted(estimator, X, y)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as caught:
        model.partial_fit(X, y)
    said = f"{caught.value} {caught.value.__cause__ or ''}"
    assert "fitted by fit, which keeps no counts" in said
    assert "use partial_fit from the first portion on, or call fit with all rows" in said
    portioned = clone(estimator).partial_fit(X, y, classes=np.unique(y))
    checks.assert_same_model(portioned.fit(X[:100], y[:100]), checks.fitted(estimator, X[:100], y[:100]))
    assert not hasattr(portioned, "partial_fit")
    assert hasattr(clone(portioned), "partial_fit")


def test_kdb_has_none() -> None:
    """KDB needs more than pairs, and has no partial_fit."""
    assert not hasattr(KDB(), "partial_fit")
    assert all(hasattr(kind(), "partial_fit") for kind in (NaiveBayes, ChowLiu, TAN))


@each_portioned
def test_copies_go_on(estimator: Any) -> None:
    """A pickled copy goes on learning where the original was; the original is not touched by it."""
    X, y = checks.mixed_table()
    model = clone(estimator).partial_fit(X[:150], y[:150], classes=np.unique(y))
    before = copy.deepcopy(model)
    copied = pickle.loads(pickle.dumps(model)).partial_fit(X[150:], y[150:])
    checks.assert_same_model(model, before)
    checks.assert_same_model(copied, model.partial_fit(X[150:], y[150:]))


@each_portioned
def test_portions_in_other_containers(estimator: Any) -> None:
    """Arrays can be learnt in portions too, of text and of numbers; portions may differ in their types."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(4, size=(90, 3)), rng.integers(2, size=90)
    model = clone(estimator).set_params(categorical_features="all")
    model.partial_fit(X[:30].astype(np.uint8), y[:30], classes=[0, 1])
    model.partial_fit(X[30:60].astype(float), y[30:60]).partial_fit(X[60:].tolist(), y[60:].tolist())
    whole = checks.fitted(clone(estimator).set_params(categorical_features="all"), X, y)
    assert model.schema_ == whole.schema_
    checks.assert_same_bits(model.predict_proba(X), whole.predict_proba(X))


@each_portioned
def test_smoothing_may_change_between_portions(estimator: Any) -> None:
    """Parameters are read at each call: the model after the last portion has the last alpha."""
    X, y = categories()
    model = clone(estimator).partial_fit(X[:200], y[:200], classes=np.unique(y))
    model.set_params(alpha=0.25).partial_fit(X[200:], y[200:])
    expected = in_portions(clone(estimator).set_params(alpha=0.25), X, y, [range(200), range(200, 400)])
    checks.assert_same_model(model, expected)


@pytest.mark.parametrize("estimator", [TAN(max_cells=2000), ChowLiu(max_cells=2000)], ids=repr)
def test_counts_that_would_not_fit(estimator: Any) -> None:
    """Counts of pairs that would need more than is allowed are refused before memory is taken, with a way out."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(60, size=(500, 6)).astype(str), columns=list("abcdef"))
    y = rng.integers(2, size=500)
    with pytest.raises(
        ValueError, match=r"partial_fit would keep \d+ counts .* group values, drop columns .* or use fit"
    ):
        clone(estimator).partial_fit(X, y, classes=[0, 1])
    clone(estimator).fit(X, y)


@each_portioned
def test_light_weights_warn_in_a_portion(estimator: Any) -> None:
    """A portion whose weights sum to less than its rows earns the warning of fit."""
    X, y = checks.mixed_table()
    with pytest.warns(UserWarning, match="the weights of 300 rows sum to 3:"):
        clone(estimator).partial_fit(X, y, classes=np.unique(y), sample_weight=np.full(len(y), 0.01))


@each_portioned
def test_a_first_portion_without_cuts(estimator: Any) -> None:
    """Ordered columns that the first portion cannot cut are lost for good, which a warning says, with their names."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=400), "b": rng.integers(0, 2, 400).astype(str)})
    y = (X["a"] + rng.normal(size=400) > 0).to_numpy()
    with pytest.warns(UserWarning, match="the first portion gives no cut points for the columns 'a', and later"):
        clone(estimator).partial_fit(X[:6], y[:6], classes=[False, True])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(estimator).partial_fit(X[:200], y[:200], classes=[False, True])
        clone(estimator).set_params(discretizer={"a": [0]}).partial_fit(X[:6], y[:6], classes=[False, True])
