"""What the base gives every classifier: progress, sources, and that a failure leaves what was."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import checks
from savvybayes.classifiers.base import LEAST_ALPHA, MOST_ALPHA
from sources import memory_source

each_classifier = pytest.mark.parametrize("estimator", checks.classifiers(), ids=repr)


@each_classifier
def test_verbose_tells_each_step(estimator: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """With verbose there is a line for each step, which names the classifier; without there is none."""
    X, y = checks.categorical_table()
    clone(estimator).set_params(verbose=0).fit(X, y)
    assert capsys.readouterr().out == ""
    clone(estimator).set_params(verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 3
    assert all(line.startswith(f"[{type(estimator).__name__}] ") for line in lines)
    assert lines[-1].endswith(" done")


@each_classifier
def test_a_source_brings_its_own_target(estimator: Any) -> None:
    """A source is fitted without y; y or weights beside it are an error, since they would be ignored."""
    X, y = checks.categorical_table()
    source = memory_source(X, y)
    model = clone(estimator).fit(source)
    assert model.n_features_in_ == X.shape[1]
    assert model.feature_names_in_.tolist() == list(X)
    np.testing.assert_array_equal(model.predict(X), checks.fitted(estimator, X, y).predict(X))
    for extra in ({"y": y}, {"sample_weight": np.ones(len(y))}):
        with pytest.raises(ValueError, match="a Source brings its own target and weights"):
            clone(estimator).fit(source, **extra)


@each_classifier
@pytest.mark.parametrize("alpha", [LEAST_ALPHA / 2, MOST_ALPHA * 2, -1, np.nan, np.inf, True, "1", None])
def test_alpha_out_of_range(estimator: Any, alpha: Any) -> None:
    """An alpha that is no number from 0 on, or would vanish or overflow, is an error that shows it."""
    X, y = checks.categorical_table()
    with pytest.raises(ValueError, match=re.escape(f"alpha={alpha!r}: give a finite number of at least 0")):
        clone(estimator).set_params(alpha=alpha).fit(X, y)


@each_classifier
@pytest.mark.parametrize("max_cells", [0, -1, 1.5, 2**30, 10**30, True, None])
def test_max_cells_out_of_range(estimator: Any, max_cells: Any) -> None:
    """A cap that is no whole number from 1 to below 2**30, so that cells can be numbered, is an error that shows it."""
    X, y = checks.categorical_table()
    with pytest.raises(ValueError, match=re.escape(f"max_cells={max_cells!r}: give a whole number of at least 1")):
        clone(estimator).set_params(max_cells=max_cells).fit(X, y)
