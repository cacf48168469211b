"""Whole calls of the learners beside scikit-learn's `CategoricalNB`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from clock import Figure, compare
from savvybayes import KDB, TAN, ChowLiu, NaiveBayes
from savvybayes.classifiers.base import BayesClassifier
from tables import SHAPES, Shape, draw

OURS: dict[str, type[BayesClassifier]] = {"NaiveBayes": NaiveBayes, "ChowLiu": ChowLiu, "TAN": TAN, "KDB(2)": KDB}


def figures() -> Iterator[Figure]:
    """Fit and predict on integer codes, and fit on strings."""
    for table, shape in SHAPES.items():
        for name, kind in OURS.items():
            yield from _codes(f"({table}) {shape.rows} x {shape.attributes} x {shape.values}", name, kind, shape)
    yield from _strings()
    yield from _small()


def _codes(size: str, name: str, kind: type[BayesClassifier], shape: Shape) -> Iterator[Figure]:
    X, y = draw(shape)
    model, peer = kind(categorical_features="all"), CategoricalNB()
    yield compare(f"{size}: {name}.fit", lambda: model.fit(X, y), "CategoricalNB.fit", lambda: peer.fit(X, y))
    yield compare(
        f"{size}: {name}.predict_proba",
        lambda: model.predict_proba(X),
        "CategoricalNB.predict_proba",
        lambda: peer.predict_proba(X),
    )


def _strings() -> Iterator[Figure]:
    X, y = draw(SHAPES["a"])
    words = np.array(["alpha", "beta", "gamma", "delta"])
    frame = pd.DataFrame({f"column {j}": words[X[:, j]] for j in range(X.shape[1])})
    peer = make_pipeline(OrdinalEncoder(), CategoricalNB())
    yield compare(
        "100000 x 20 strings: TAN.fit",
        lambda: TAN().fit(frame, y),
        "OrdinalEncoder + CategoricalNB.fit",
        lambda: peer.fit(frame, y),
    )


def _small() -> Iterator[Figure]:
    X, y = draw(SHAPES["a"])
    X, y = X[:150, :4].copy(), y[:150]
    peer, model = CategoricalNB(), TAN(categorical_features="all")
    yield compare("150 x 4: TAN.fit", lambda: model.fit(X, y), "CategoricalNB.fit", lambda: peer.fit(X, y), turns=50)
    yield compare(
        "150 x 4: TAN.predict_proba",
        lambda: model.predict_proba(X),
        "CategoricalNB.predict_proba",
        lambda: peer.predict_proba(X),
        turns=50,
    )
