"""The laws of `checks`, on every classifier there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.base import clone

import checks
from savvybayes import KDB, TAN, ChowLiu, NaiveBayes

VARIANTS = [
    *checks.classifiers(),
    KDB(0),
    KDB(1, alpha=0.3),
    KDB(3, theta=0.03),
    TAN(discretizer=5),
    ChowLiu(alpha=0.01, categorical_features=[2]),
    NaiveBayes(alpha=10, discretizer=3),
]


@pytest.mark.parametrize("law", checks.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("estimator", VARIANTS, ids=repr)
def test_law(estimator: Any, law: Callable[[Any], None]) -> None:
    """Every classifier keeps every law."""
    law(clone(estimator))


def test_every_classifier_is_there() -> None:
    """The classifiers that the laws are checked on are all public ones."""
    assert {type(one).__name__ for one in checks.classifiers()} >= {"KDB", "TAN", "ChowLiu", "NaiveBayes"}
