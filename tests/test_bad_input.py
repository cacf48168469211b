"""Bad input: one clear error that says what, where, and what would be right, before any work. And what is no error."""

from __future__ import annotations

import copy
import re
import warnings
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import checks
from savvybayes import KDB, TAN, ChowLiu, MDLPDiscretizer, NaiveBayes

# Its stubs, where they are installed, know less than it does.
pd: Any = pandas

X, Y = checks.mixed_table()
NUMBERS = X[["length", "count", "width"]]
ONES = np.ones(len(Y))


def with_one(values: Any, row: int, value: Any) -> Any:
    """A copy of an array with another value in one row."""
    changed = np.asarray(values).astype(object) if value is None else np.asarray(values).copy()
    changed[row] = value
    return changed


# What is handed to fit, and what the error must say.
BAD_TRAINING: dict[str, tuple[Any, Any, Any, type[Exception], str]] = {
    "no rows": (NUMBERS[:0], Y[:0], None, ValueError, r"0 sample\(s\) .* a minimum of 1 is required"),
    "no rows in an array": (NUMBERS.to_numpy()[:0], Y[:0], None, ValueError, r"0 sample\(s\) .* minimum of 1"),
    "no columns": (NUMBERS[[]], Y, None, ValueError, r"0 feature\(s\) .* a minimum of 1 is required"),
    "NaN in y": (
        NUMBERS,
        with_one(np.arange(len(Y)) % 2.0, 7, np.nan),
        None,
        ValueError,
        "Input y contains NaN: 1 missing targets, the first in row 7; drop these",
    ),
    "None in y": (NUMBERS, with_one(Y, 7, None), None, ValueError, "1 missing targets, the first in row 7; drop"),
    "no y": (NUMBERS, None, None, ValueError, "requires y to be passed, but the target y is None"),
    "y too short": (NUMBERS, Y[:-3], None, ValueError, "X has 300 rows and y has 297: inconsistent"),
    "y too long": (NUMBERS, [*Y, "cat"], None, ValueError, "X has 300 rows and y has 301: inconsistent"),
    "continuous y": (NUMBERS, NUMBERS["width"].fillna(0.5), None, ValueError, "Unknown label type: continuous"),
    "two targets": (
        NUMBERS,
        np.c_[Y, Y],
        None,
        ValueError,
        r"y should be a 1d array, got an array of shape \(300, 2\)",
    ),
    "negative weight": (
        NUMBERS,
        Y,
        with_one(ONES, 5, -2),
        ValueError,
        r"sample_weight must be non-negative and finite; it is -2\.0 in row 5 \(and wrong in 1 in all\)",
    ),
    "infinite weight": (NUMBERS, Y, with_one(ONES, 5, np.inf), ValueError, "sample_weight .* it is inf in row 5"),
    "weight NaN": (NUMBERS, Y, with_one(ONES, 5, np.nan), ValueError, "sample_weight .* it is nan in row 5"),
    "weights all zero": (NUMBERS, Y, 0 * ONES, ValueError, "Sample weights must contain at least one non-zero number"),
    "weights too short": (NUMBERS, Y, ONES[:-1], ValueError, r"sample_weight.shape == \(299,\), expected \(300,\)"),
    "infinite number": (
        NUMBERS.assign(width=with_one(NUMBERS["width"], 11, np.inf)),
        Y,
        None,
        ValueError,
        "contains infinity .* column 'width', first in row 11. Replace infinite values by a number, or by NaN",
    ),
    "column of lists": (
        NUMBERS.assign(width=[[1, 2]] * len(Y)),
        Y,
        None,
        TypeError,
        "column 'width', row 0: .* not 'list'. Each cell must hold one value",
    ),
    "column of mappings": (
        NUMBERS.assign(width=[None] + [{"a": 1}] * (len(Y) - 1)),
        Y,
        None,
        TypeError,
        "column 'width', row 1: argument must be a string or a number, not 'dict'",
    ),
    "sparse matrix": (
        sparse.csr_matrix(np.nan_to_num(NUMBERS.to_numpy())),
        Y,
        None,
        TypeError,
        r"Sparse data was passed for X, but dense data is required. Use '.toarray\(\)'",
    ),
    "complex numbers": (NUMBERS.to_numpy() * 1j, Y, None, ValueError, "Complex data not supported"),
    "one dimension": (np.arange(300.0), Y, None, ValueError, "Expected 2D array, got 1D array"),
}


@pytest.mark.parametrize("case", list(BAD_TRAINING))
@pytest.mark.parametrize("estimator", [*checks.classifiers(), MDLPDiscretizer()], ids=repr)
def test_bad_training(estimator: Any, case: str) -> None:
    """What cannot be learnt from is an error that says what, where and what would be right."""
    table, y, weights, error, message = BAD_TRAINING[case]
    with pytest.raises(error, match=message):
        checks.fitted(estimator, table, y, weights)


@pytest.mark.parametrize("case", list(BAD_TRAINING))
@pytest.mark.parametrize("estimator", [*checks.classifiers(), MDLPDiscretizer(encode="onehot")], ids=repr)
def test_a_failed_fit_changes_nothing(estimator: Any, case: str) -> None:
    """Where a fit fails, what was learnt before stays: every fitted attribute, and what is predicted or transformed."""
    table, y, weights, error, _ = BAD_TRAINING[case]
    model = checks.fitted(estimator, NUMBERS.to_numpy()[:, :2], Y)
    before = copy.deepcopy(model)
    with pytest.raises(error):
        model.fit(table, y, weights)
    assert set(vars(model)) == set(vars(before))
    assert model.n_features_in_ == 2
    asked = NUMBERS.to_numpy()[:, :2]
    if isinstance(model, MDLPDiscretizer):
        checks.assert_same_bits(model.transform(asked).toarray(), before.transform(asked).toarray())
    else:
        checks.assert_same_model(model, before)
        checks.assert_same_bits(model.predict_proba(asked), before.predict_proba(asked))


@pytest.mark.parametrize("estimator", checks.classifiers(), ids=repr)
def test_one_class(estimator: Any) -> None:
    """One class is an error that names it, also where the others have no weight."""
    with pytest.raises(ValueError, match="one class, 'cat': a classifier needs rows of at least two classes"):
        checks.fitted(estimator, NUMBERS, ["cat"] * len(Y))
    with pytest.raises(ValueError, match=r"one class, 'cat': .* weights above 0"):
        checks.fitted(estimator, NUMBERS, Y, (Y == "cat") * 1.0)


@pytest.mark.parametrize("estimator", checks.classifiers(), ids=repr)
def test_bad_table_at_predict(estimator: Any) -> None:
    """Another number of columns or other names, infinite numbers, lists and sparse matrices are errors at predict."""
    model = checks.fitted(estimator, NUMBERS, Y)
    name = type(estimator).__name__
    for asked, error, message in [
        (NUMBERS.rename(columns={"width": "breadth"}), ValueError, r"(?s)names should match.*- breadth.*- width"),
        (NUMBERS[["count", "length", "width"]], ValueError, "must be in the same order as they were in fit"),
        (NUMBERS.assign(more=1), ValueError, r"(?s)unseen at fit time:\n- more"),
        (NUMBERS[["length", "count"]], ValueError, r"(?s)yet now missing:\n- width"),
        (NUMBERS[:0], ValueError, r"0 sample\(s\)"),
        (NUMBERS.assign(count=with_one(NUMBERS["width"], 2, np.inf)), ValueError, "column 'count', first in row 2"),
        (NUMBERS.assign(count=[[1]] * len(Y)), TypeError, "column 'count', row 0"),
        (sparse.csr_matrix(np.zeros((2, 3))), TypeError, "Sparse data was passed"),
        (NUMBERS.assign(count="many"), ValueError, "'count' held numbers in training and now holds text .*'many'"),
    ]:
        for method in ("predict", "predict_proba", "predict_log_proba"):
            with pytest.raises(error, match=message):
                getattr(model, method)(asked)
    unnamed = checks.fitted(estimator, NUMBERS.to_numpy(), Y)
    with pytest.raises(ValueError, match=f"X has 2 features, but {name} is expecting 3 features as input"):
        unnamed.predict(NUMBERS.to_numpy()[:, :2])


@pytest.mark.parametrize("estimator", [*checks.classifiers(), MDLPDiscretizer()], ids=repr)
def test_asked_before_it_is_fitted(estimator: Any) -> None:
    """A model that is asked before it is fitted says so, in scikit-learn's words, and whatever it is asked."""
    for method in ("predict", "predict_proba", "predict_log_proba", "transform", "get_feature_names_out"):
        if hasattr(estimator, method):
            with pytest.raises(NotFittedError, match=f"This {type(estimator).__name__} instance is not fitted yet"):
                getattr(estimator, method)(*([] if method == "get_feature_names_out" else [NUMBERS]))
    assert not hasattr(estimator, "classes_")


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (KDB(k=-1), "k=-1: give a whole number of at least 0"),
        (KDB(k=1.5), "k=1.5: give a whole number of at least 0"),  # type: ignore[arg-type]
        (KDB(k="two"), "k='two': give a whole number of at least 0"),  # type: ignore[arg-type]
        (KDB(k=True), "k=True: give a whole number of at least 0"),
        (KDB(theta="small"), "theta='small': give a finite number, or None"),  # type: ignore[arg-type]
        (KDB(theta=float("nan")), "theta=nan: give a finite number, or None"),
        (TAN(alpha=-0.5), "alpha=-0.5: give a finite number of at least 0"),
        (TAN(alpha=float("inf")), "alpha=inf: give a finite number of at least 0"),
        (TAN(alpha=None), "alpha=None: give a finite number of at least 0"),  # type: ignore[arg-type]
        (NaiveBayes(max_cells=0), "max_cells=0: give a whole number of at least 1"),
        (NaiveBayes(max_cells=1e6), "max_cells=1000000.0: give a whole number of at least 1"),  # type: ignore[arg-type]
        (ChowLiu(n_threads=0), "n_threads=0: give a whole number of at least 1, or None for all cores"),
        (ChowLiu(n_threads=-1), "n_threads=-1: give a whole number of at least 1, or None for all cores"),
        (ChowLiu(verbose=-1), "verbose=-1: give 0 for silence or 1 for a line per step"),
        (TAN(discretizer="mdl"), "discretizer='mdl': give 'mdlp', a whole number of quantile bins"),
        (TAN(discretizer=1), "discretizer=1: give 'mdlp', a whole number of quantile bins (at least 2)"),
        (TAN(discretizer={"widht": [1.0]}), "discretizer: there is no column 'widht'; did you mean 'width'?"),
        (
            TAN(categorical_features=["colur"]),
            "categorical_features: there is no column 'colur'; did you mean 'colour'?",
        ),
        (TAN(categorical_features=[99]), "categorical_features: there is no column 99; positions go from 0 to 7"),
        (TAN(categorical_features="colour"), "categorical_features='colour': give 'from_dtype', 'all', or a list"),
        (MDLPDiscretizer(encode="one-hot"), "encode='one-hot': give 'ordinal' or 'onehot'"),
    ],
    ids=repr,
)
def test_parameters_out_of_range(estimator: Any, message: str) -> None:
    """A parameter out of range is an error when fitting, which shows it and says what would be right."""
    with pytest.raises(ValueError, match=re.escape(message)):
        estimator.fit(X if not isinstance(estimator, MDLPDiscretizer) else NUMBERS, Y)


@pytest.mark.parametrize("estimator", [TAN(alpha=0), KDB(alpha=0), NaiveBayes(alpha=0), ChowLiu(alpha=0)], ids=repr)
def test_no_smoothing_where_a_count_is_zero(estimator: Any) -> None:
    """Without smoothing a zero count is an error that names class and cell; where there is none it is none."""
    zero = pd.DataFrame({"a": list("uuvv") * 9, "b": list("uvuv") * 9, "y": list("nnny") * 9})
    with pytest.raises(ValueError, match=r"alpha=0, and no row of class '\w' has .*: give an alpha above 0, such as 1"):
        clone(estimator).fit(zero[["a", "b"]], zero["y"])
    table, y = checks.categorical_table()
    full = clone(estimator).set_params(**({"k": 1} if "k" in estimator.get_params() else {})).fit(table, y)
    assert np.isfinite(full.predict_log_proba(table)).all()


def test_cell_of_the_zero_count() -> None:
    """The cell that has no rows is spelt in the user's words, of ordered and of unnamed columns too."""
    with pytest.raises(ValueError, match="alpha=0, and no row of class 'n' has a = v: give"):
        NaiveBayes(alpha=0).fit(pd.DataFrame({"a": ["u", "u", "v"]}), ["n", "y", "y"])
    numbers = np.arange(40.0)[:, None]
    with pytest.raises(ValueError, match=r"no row of class (True|False) has column 0 (is |= |in )?(<=|>) 19\.5"):
        NaiveBayes(alpha=0).fit(numbers, numbers[:, 0] > 19.5)


@pytest.mark.parametrize("estimator", checks.classifiers(), ids=repr)
def test_tables_that_would_not_fit(estimator: Any) -> None:
    """A single column that would pass max_cells is an error that names it, before memory is taken."""
    cells = 5 if isinstance(estimator, ChowLiu) else 15  # a tree of Chow and Liu has tables of one class
    clone(estimator).set_params(max_cells=cells).fit(X[["colour"]], Y)
    with pytest.raises(
        ValueError, match=rf"'colour' .* {cells} cells, and max_cells is {cells - 1}: group values, drop"
    ):
        clone(estimator).set_params(max_cells=cells - 1).fit(X[["colour"]], Y)


@pytest.mark.parametrize("estimator", checks.classifiers(), ids=repr)
def test_light_weights(estimator: Any) -> None:
    """Weights that sum to less than the number of weighted rows earn a warning; weights of as many rows do not."""
    with pytest.warns(UserWarning, match=r"the weights of 300 rows sum to 1: a row of weight w counts as w rows"):
        checks.fitted(estimator, X, Y, np.full(len(Y), 1 / len(Y)))
    with pytest.warns(UserWarning, match="the weights of 200 rows sum to 100:"):
        checks.fitted(estimator, X, Y, np.where(np.arange(300) < 200, 0.5, 0.0))
    checks.fitted(estimator, X, Y, np.where(np.arange(300) < 200, 1.5, 0.0))
    sums_to_rows = np.random.default_rng(0).uniform(0.1, 1, size=len(Y))
    checks.fitted(estimator, X, Y, sums_to_rows * len(Y) / sums_to_rows.sum())


def test_the_warning_points_at_the_user() -> None:
    """The warning of light weights is shown at the user's own line, not inside the package."""
    for fit in (TAN().fit, MDLPDiscretizer().fit):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit(NUMBERS, Y, np.full(len(Y), 0.1))
        assert [warning.filename for warning in caught] == [__file__]


# --- And no error:

each_classifier = pytest.mark.parametrize("estimator", [*checks.classifiers(), KDB(0), KDB(5)], ids=repr)


def learn_and_ask(estimator: Any, table: Any, y: Any) -> Any:
    """Learn, and see that the probabilities are some."""
    model = checks.fitted(estimator, table, y)
    proba = model.predict_proba(table)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
    assert str(model.schema_)
    assert isinstance(str(model.structure_), str)
    return model


@each_classifier
def test_columns_that_tell_nothing(estimator: Any) -> None:
    """A constant column and a column all missing are no error, and change no probability."""
    more = X.assign(constant=1, empty=None, holes=np.nan, one="a", always=True)
    model = learn_and_ask(estimator, more, Y)
    assert {"constant", "empty", "holes", "one", "always"} <= set(model.schema_.left_out)
    expected = checks.fitted(estimator, X, Y).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(more), expected, rtol=1e-12)


@each_classifier
@pytest.mark.parametrize("column", ["colour", "length", "old", "same"])
def test_one_attribute(estimator: Any, column: str) -> None:
    """One attribute is enough; the constant one gives the prior."""
    model = learn_and_ask(estimator, X[[column]], Y)
    expected = checks.fitted(NaiveBayes(), X[[column]], Y)
    np.testing.assert_allclose(model.predict_proba(X[[column]]), expected.predict_proba(X[[column]]), rtol=1e-12)


@each_classifier
def test_an_attribute_of_sixty_thousand_values(estimator: Any) -> None:
    """An attribute of 60,000 values has no partner where the table would be too large, and is no error."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60_000)
    table = pd.DataFrame(
        {
            "id": rng.permutation(60_000).astype(str),
            "a": rng.integers(200, size=60_000).astype(str),
            "b": np.where(rng.random(60_000) < 0.3, y, rng.integers(2, size=60_000)).astype(str),
        }
    )
    model = checks.fitted(estimator, table, y)
    assert model.schema_.sizes[0] == 60_000
    proba = model.predict_proba(table[:1000])
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert max(factor.table.size for factor in model.model_.factors) < 4 * 2**24


@each_classifier
def test_two_rows(estimator: Any) -> None:
    """Two rows are enough."""
    model = learn_and_ask(estimator, X[:2].assign(length=[1.0, 2.0], grade=["a", "b"]), ["n", "y"])
    assert model.classes_.tolist() == ["n", "y"]
    learn_and_ask(estimator, np.array([[0.0], [1.0]]), [0, 1])


@each_classifier
def test_three_hundred_classes(estimator: Any) -> None:
    """300 classes, some of one row, are no error, and need no table of 300 columns where a class has its own."""
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(300), rng.integers(300, size=2700)])
    table = pd.DataFrame({name: (y * (3 + i) + rng.integers(3, size=3000)) % 7 for i, name in enumerate("abcd")})
    model = learn_and_ask(clone(estimator).set_params(categorical_features="all"), table, y)
    assert model.classes_.shape == (300,)
    if isinstance(estimator, ChowLiu):
        assert {factor.table.ndim for factor in model.model_.factors} <= {1, 2}


@each_classifier
def test_numbers_in_text(estimator: Any) -> None:
    """Categories that are numbers in text are categories."""
    table = pd.DataFrame({"zip": X["count"].astype(str), "x": X["colour"]})
    model = learn_and_ask(estimator, table, Y)
    assert model.schema_.attributes[0].kind == "label"
    assert model.schema_.attributes[0].values == ("0", "1", "2", "3", "4", "5")


@each_classifier
def test_mixed_objects(estimator: Any) -> None:
    """Columns of mixed types, which scikit-learn accepts, are categories; those of numbers are numbers."""
    table = pd.DataFrame(
        {
            "mixed": pd.Series([[1, "a", None, 2.5, True][i % 5] for i in range(300)], dtype=object),
            "numbers": pd.Series([[1, 2.5, None, np.int8(3), True][i % 5] for i in range(300)], dtype=object),
        }
    )
    model = learn_and_ask(estimator, table, Y)
    assert [attribute.kind for attribute in model.schema_.attributes] == ["label", "number"]


@each_classifier
def test_a_row_of_nothing_but_unknown(estimator: Any) -> None:
    """A row of which nothing was seen in training, even a single one, gets the prior."""
    full = X[["colour", "count", "old", "grade"]].assign(colour=X["colour"].fillna("red"))
    model = checks.fitted(clone(estimator).set_params(categorical_features="all"), full, Y)
    row = pd.DataFrame({"colour": [None], "count": [None], "old": [None], "grade": ["never"]}, dtype=object)
    prior = [(label == Y).mean() for label in model.classes_]
    np.testing.assert_allclose(model.predict_proba(row), [prior], rtol=1e-12)


@each_classifier
def test_numbers_beyond_training(estimator: Any) -> None:
    """Numbers beyond those of training, even the greatest doubles, are in the outer bins."""
    model = checks.fitted(estimator, NUMBERS, Y)
    far = pd.DataFrame({name: [-1.7e308, 1.7e308, 5e-324, -0.0] for name in NUMBERS})
    near = pd.DataFrame({name: [-1e3, 1e3, 0.0, 0.0] for name in NUMBERS})
    checks.assert_same_bits(model.predict_proba(far), model.predict_proba(near))


@each_classifier
@pytest.mark.parametrize("alpha", [1e-300, 1e-12, 1e12, 1e300])
def test_extreme_smoothing(estimator: Any, alpha: float) -> None:
    """Any alpha above 0, however small or great, gives probabilities."""
    proba = checks.fitted(clone(estimator).set_params(alpha=alpha), X, Y).predict_proba(X)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)


@each_classifier
@pytest.mark.parametrize("weight", [1e-6, 1e6, 2.0**40])
def test_extreme_weights(estimator: Any, weight: float) -> None:
    """Weights however small or great give probabilities, the small ones with a warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the weights of 300 rows")
        proba = checks.fitted(estimator, X, Y, np.full(len(Y), weight)).predict_proba(X)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)


@pytest.mark.parametrize("estimator", checks.classifiers(), ids=repr)
def test_weights_whose_sum_is_infinite(estimator: Any) -> None:
    """Weights that are finite and whose sum is not are an error that says so, not probabilities that are NaN."""
    with pytest.raises(ValueError, match=r"sample_weight|weights"):
        checks.fitted(estimator, X, Y, np.full(len(Y), 1e308))
