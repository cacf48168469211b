"""The scikit-learn contract: the whole of its own checks, and the ways estimators are put together."""

from __future__ import annotations

import pickle
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, log_loss
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder, StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import checks
from savvybayes import KDB, TAN, ChowLiu, MDLPDiscretizer, NaiveBayes

CHECKED = [
    *checks.classifiers(),
    KDB(k=0),
    KDB(3, theta=0.03),
    TAN(discretizer=5),
    TAN(categorical_features="all"),
    MDLPDiscretizer(),
    MDLPDiscretizer(encode="onehot"),
]

each_classifier = pytest.mark.parametrize("estimator", checks.classifiers(), ids=repr)


@parametrize_with_checks(CHECKED)  # type: ignore[untyped-decorator]
def test_scikit_learns_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    """Every public estimator passes every check of scikit-learn's; not one is skipped or expected to fail."""
    try:
        check(estimator)
    except (unittest.SkipTest, pytest.skip.Exception) as skipped:
        pytest.fail(f"the check was skipped: {skipped}")


def test_no_check_is_left_out() -> None:
    """scikit-learn's list of checks for our estimators has what their tags promise, so that none is missed silently."""
    names = {check.func.__name__ for _, check in _checks_of(TAN())}
    assert len(names) > 50
    assert names >= {
        "check_classifiers_train",
        "check_sample_weight_equivalence_on_dense_data",
        "check_array_api_input",
        "check_n_features_in",
        "check_positive_only_tag_during_fit",
        "check_estimators_partial_fit_n_features",
    }


@pytest.mark.parametrize("estimator", CHECKED, ids=repr)
def test_column_names_are_scikit_learns(estimator: Any) -> None:
    """Names of columns are kept and compared as scikit-learn's check of them, which its suite leaves out, wants."""
    estimator_checks.check_dataframe_column_names_consistency(type(estimator).__name__, estimator)


# These checks hand over arrays after frames, and frames after arrays, on purpose.
@pytest.mark.filterwarnings("ignore:X does not have valid feature names", "ignore:X has feature names")
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_set_output_transform,
        estimator_checks.check_set_output_transform_pandas,
        estimator_checks.check_set_output_transform_polars,
        estimator_checks.check_global_output_transform_pandas,
        estimator_checks.check_global_set_output_transform_polars,
        estimator_checks.check_transformer_get_feature_names_out,
        estimator_checks.check_transformer_get_feature_names_out_pandas,
        estimator_checks.check_get_feature_names_out_error,
    ],
    ids=lambda check: check.__name__,
)
@pytest.mark.parametrize("encode", ["ordinal", "onehot"])
def test_output_of_the_discretizer_is_scikit_learns(encode: str, check: Callable[[str, Any], None]) -> None:
    """The discretiser passes the checks of `set_output` and `get_feature_names_out`, which the suite leaves out."""
    check("MDLPDiscretizer", MDLPDiscretizer(encode=encode))


def test_tags_say_what_is_true() -> None:
    """Missing values are allowed; strings, which work, are not announced, as scikit-learn's checks want."""
    for estimator in CHECKED:
        tags = estimator.__sklearn_tags__()
        assert tags.input_tags.allow_nan
        assert not tags.input_tags.string
        assert not tags.input_tags.sparse
        assert tags.target_tags.required


@each_classifier
def test_raw_frame_in_place_of_categorical_nb(estimator: Any) -> None:
    """A raw frame of strings, numbers and holes goes through cross-validation with nothing before it."""
    X, y = checks.mixed_table()
    scores = cross_val_score(estimator, X, y, scoring="neg_log_loss", error_score="raise")
    prior = -np.log(3)
    assert (scores > prior + 0.2).all()


@each_classifier
def test_pipeline(estimator: Any) -> None:
    """Behind other steps, whose output is an array of numbers, an estimator learns what it learns of that array."""
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), clone(estimator)).fit(X, y)
    scaled = pipeline[:-1].transform(X)
    checks.assert_same_bits(pipeline.predict_proba(X), checks.fitted(estimator, scaled, y).predict_proba(scaled))
    assert pipeline.score(X, y) > 0.9
    assert pickle.loads(pickle.dumps(pipeline)).score(X, y) == pipeline.score(X, y)


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_column_transformer_into_tan(output: str) -> None:
    """What a ColumnTransformer hands on, array or frame, is read with its kinds, and predicts the same."""
    X, y = checks.mixed_table()
    text = make_column_selector(dtype_include=["object", "str", "category"])
    transformer = ColumnTransformer(
        [
            ("text", SimpleImputer(strategy="most_frequent"), text),
            ("rest", "passthrough", ["length", "width", "count"]),
        ],
        verbose_feature_names_out=False,
    ).set_output(transform=output)
    pipeline = make_pipeline(transformer, TAN()).fit(X, y)
    filled = X[["colour", "grade", "same", "length", "width", "count"]].astype({"grade": object})
    filled = filled.fillna({"colour": X["colour"].mode()[0]})
    np.testing.assert_allclose(pipeline.predict_proba(X), TAN().fit(filled, y).predict_proba(filled), rtol=1e-12)
    kinds = {a.name if output != "default" else filled.columns[a.name]: a.kind for a in pipeline[-1].schema_.attributes}
    assert kinds["colour"] == "label"
    assert kinds["length"] == "number"
    if output == "default":
        assert not hasattr(pipeline[-1], "feature_names_in_")
    else:
        assert pipeline[-1].feature_names_in_.tolist() == list(filled)
        assert set(pipeline[-1].structure_.parents) <= set(filled)


def test_ordinal_encoder_before_all_categories() -> None:
    """The pipeline that CategoricalNB needs works unchanged with `categorical_features="all"`, unknown codes too."""
    X, y = checks.categorical_table()
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    pipeline = make_pipeline(encoder, TAN(categorical_features="all")).fit(X, y)
    np.testing.assert_allclose(pipeline.predict_proba(X), TAN().fit(X, y).predict_proba(X), rtol=1e-12)
    strange = X.assign(x0="never seen")
    np.testing.assert_allclose(pipeline.predict_proba(strange), TAN().fit(X, y).predict_proba(strange), rtol=1e-12)


def test_grid_search_over_constructor_parameters() -> None:
    """Each parameter can be searched over, through a pipeline too, and the best is refitted."""
    X, y = checks.mixed_table()
    pipeline = Pipeline([("pass", FunctionTransformer()), ("model", KDB())])
    grid = [
        {"model__k": [0, 2], "model__alpha": [0.1, 1.0], "model__discretizer": ["mdlp", 4, {"length": [0.5, 1.5]}]},
        {"model__categorical_features": ["all", ["count"]], "model__theta": [None, 0.03]},
    ]
    search = GridSearchCV(pipeline, grid, cv=2, scoring="neg_log_loss", error_score="raise").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert len(set(search.cv_results_["mean_test_score"])) > 12  # of 16
    best = clone(pipeline).set_params(**search.best_params_).fit(X, y)
    checks.assert_same_bits(search.predict_proba(X), best.predict_proba(X))


def test_grid_search_reports_a_bad_value() -> None:
    """A value out of range among the searched ones is said in the parameter's own words."""
    X, y = checks.mixed_table()
    with pytest.raises(ValueError, match="k=-1: give a whole number of at least 0"):
        GridSearchCV(KDB(), {"k": [-1]}, error_score="raise", cv=2).fit(X, y)


@each_classifier
@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_calibration(estimator: Any, method: str) -> None:
    """A calibrated classifier learns from our probabilities, of a raw frame too."""
    X, y = checks.mixed_table()
    calibrated = CalibratedClassifierCV(clone(estimator), method=method, cv=3).fit(X, y)
    proba = calibrated.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert log_loss(y, proba) < np.log(3) - 0.2


@each_classifier
def test_frozen(estimator: Any) -> None:
    """A frozen classifier is calibrated on other rows without being fitted anew."""
    X, y = checks.mixed_table()
    model = checks.fitted(estimator, X[:200], y[:200])
    before = model.predict_proba(X)
    frozen = FrozenEstimator(model)
    checks.assert_same_bits(frozen.fit(X[200:], y[200:]).predict_proba(X), before)
    assert CalibratedClassifierCV(frozen).fit(X[200:], y[200:]).score(X, y) > 0.5
    checks.assert_same_bits(model.predict_proba(X), before)


@each_classifier
def test_weights_are_routed(estimator: Any) -> None:
    """With metadata routing weights reach the classifier through a pipeline in a grid search, and the scorer."""
    X, y = checks.mixed_table()
    weights = checks.whole_weights(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        asked = clone(estimator).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = Pipeline([("pass", FunctionTransformer()), ("model", asked)])
        search = GridSearchCV(pipeline, {"model__alpha": [0.5]}, cv=2).fit(X, y, sample_weight=weights)
        results = cross_validate(pipeline, X, y, params={"sample_weight": weights}, cv=2)
    expected = checks.fitted(clone(estimator).set_params(alpha=0.5), X, y, weights)
    checks.assert_same_model(search.best_estimator_[-1], expected)
    halves = StratifiedKFold(2).split(X, y)
    scores = [
        checks.fitted(estimator, X.iloc[a], y[a], weights[a]).score(X.iloc[b], y[b], weights[b]) for a, b in halves
    ]
    np.testing.assert_allclose(results["test_score"], scores)


def test_weights_not_asked_for_are_an_error() -> None:
    """With metadata routing, weights that nobody asked for are refused as scikit-learn refuses them."""
    X, y = checks.mixed_table()
    with sklearn.config_context(enable_metadata_routing=True), pytest.raises(ValueError, match="sample_weight"):
        GridSearchCV(TAN(), {"alpha": [1.0]}, cv=2).fit(X, y, sample_weight=np.ones(len(y)))


def test_routing_requests() -> None:
    """`classes` and `sample_weight` of partial_fit, and `sample_weight` of the discretiser, can be asked for."""
    with sklearn.config_context(enable_metadata_routing=True):
        model = NaiveBayes().set_partial_fit_request(classes=True, sample_weight=True)
        assert model.get_metadata_routing().partial_fit.requests == {"classes": True, "sample_weight": True}
        discretizer = MDLPDiscretizer().set_fit_request(sample_weight=True)
        assert discretizer.get_metadata_routing().fit.requests == {"sample_weight": True}


@each_classifier
def test_cross_validation_in_two_processes(estimator: Any) -> None:
    """Two processes give the scores that one gives."""
    X, y = checks.mixed_table()
    one, two = (cross_val_score(estimator, X, y, n_jobs=n, error_score="raise") for n in (1, 2))
    assert one.tolist() == two.tolist()


@each_classifier
def test_several_threads_at_once(estimator: Any) -> None:
    """Fitting, predicting with one model, and refitting it in several threads at once give what one thread gives."""
    tables = [checks.mixed_table(seed=seed) for seed in range(4)]
    expected = [checks.fitted(estimator, X, y) for X, y in tables]
    shared = expected[0]
    predictions = [shared.predict_proba(X) for X, _ in tables]

    def work(i: int) -> None:
        X, y = tables[i % 4]
        checks.assert_same_model(checks.fitted(estimator, X, y), expected[i % 4])
        checks.assert_same_bits(shared.predict_proba(X), predictions[i % 4])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(24), timeout=60))


def test_ensembles_of_ours() -> None:
    """Voting, stacking, bagging, one-versus-rest and tuned thresholds take our classifiers as they take others."""
    X, y = load_iris(return_X_y=True)
    named = [("a", NaiveBayes()), ("b", TAN()), ("c", KDB(1))]
    ensembles = [
        VotingClassifier(named, voting="soft"),
        StackingClassifier(named, LogisticRegression(), cv=3),
        BaggingClassifier(TAN(), n_estimators=4, random_state=0),
        OneVsRestClassifier(ChowLiu()),
    ]
    for ensemble in ensembles:
        assert ensemble.fit(X, y).score(X, y) > 0.9
    tuned = TunedThresholdClassifierCV(TAN(), scoring="balanced_accuracy", cv=3)
    assert tuned.fit(X, y == 1).score(X, y == 1) > 0.9


def test_inspection() -> None:
    """Permutation importance runs on a raw frame, and finds that the constant column does not matter."""
    X, y = checks.mixed_table()
    model = TAN().fit(X, y)
    importance = permutation_importance(model, X, y, n_repeats=2, random_state=0, scoring="neg_log_loss")
    by_name = dict(zip(X, importance.importances_mean, strict=True))
    assert by_name["same"] == 0
    assert by_name["noise"] == 0
    assert by_name["length"] > 0


def test_out_of_fold_probabilities() -> None:
    """cross_val_predict gives probabilities in the order of the classes, for classes that are strings."""
    X, y = checks.mixed_table()
    proba = cross_val_predict(TAN(), X, y, method="predict_proba", cv=3)
    assert log_loss(y, proba, labels=np.unique(y)) < np.log(3) - 0.2
    binary = y == "cat"
    auc = get_scorer("roc_auc")(TAN().fit(X, binary), X, binary)
    assert auc > 0.8


def test_discretizer_in_pipelines() -> None:
    """The discretiser feeds other learners: as ordinal codes, one-hot for a linear model, beside other features."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    linear = make_pipeline(MDLPDiscretizer(encode="onehot"), LogisticRegression()).fit(X, y)
    assert linear.score(X, y) > 0.9
    assert linear[:-1].get_feature_names_out()[0] == "sepal length (cm)_0"
    assert linear[:-1].get_feature_names_out().shape == linear[:-1].transform(X).shape[1:]
    union = FeatureUnion([("bins", MDLPDiscretizer()), ("raw", "passthrough")]).set_output(transform="pandas")
    assert union.fit_transform(X, y).shape == (150, 8)
    chosen = make_pipeline(MDLPDiscretizer(), SelectFromModel(LogisticRegression())).set_output(transform="pandas")
    assert set(chosen.fit(X, y).transform(X).columns) <= set(X)
    categories = make_pipeline(MDLPDiscretizer(), TAN(categorical_features="all")).fit(X, y)
    np.testing.assert_allclose(categories.predict_proba(X), TAN().fit(X, y).predict_proba(X), rtol=1e-12)


def test_display_of_parameters() -> None:
    """An estimator prints the parameters that were changed, and its HTML does not fail."""
    assert repr(KDB(3, theta=0.03)) == "KDB(k=3, theta=0.03)"
    assert repr(TAN()) == "TAN()"
    assert "TAN" in TAN()._repr_html_()
    X, y = checks.mixed_table()
    assert "TAN" in TAN().fit(X, y)._repr_html_()


def test_names_and_widths_are_scikit_learns() -> None:
    """Other names, another order or another number of columns at predict are errors in scikit-learn's words."""
    X, y = checks.mixed_table()
    model = TAN().fit(X, y)
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*unseen at fit time:\n- size"):
        model.predict(X.rename(columns={"length": "size"}))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match=r"(?s)yet now missing:\n- noise"):
        model.predict(X.drop(columns="noise"))
    with pytest.raises(ValueError, match="X has 7 features, but TAN is expecting 8 features"):
        TAN().fit(X.to_numpy(), y).predict(X.to_numpy()[:, :7])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(X.to_numpy())
    with pytest.warns(UserWarning, match="TAN was fitted without feature names"):
        TAN().fit(X.to_numpy(), y).predict(X)
    assert model.feature_names_in_.tolist() == list(X)
    assert not hasattr(TAN().fit(X.to_numpy(), y), "feature_names_in_")
    assert not hasattr(model.fit(X.to_numpy(), y), "feature_names_in_")


def test_frames_with_numbers_for_names() -> None:
    """A frame whose columns are numbered is like an array: no names are kept, columns go by position."""
    X, y = checks.categorical_table()
    numbered = pd.DataFrame(X.to_numpy(), columns=range(10, 15))
    model = TAN().fit(numbered, y)
    assert not hasattr(model, "feature_names_in_")
    assert set(model.structure_.parents) == {0, 1, 2, 3, 4}
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        TAN().fit(X.rename(columns={"x0": 0}), y)


def _checks_of(estimator: Any) -> list[tuple[Any, Any]]:
    mark: Any = parametrize_with_checks([estimator])
    return [tuple(case.values) if hasattr(case, "values") else tuple(case) for case in mark.args[1]]
