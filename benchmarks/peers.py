"""Other libraries on the three tables: seconds, and how good the probabilities of rows held out are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from sklearn.naive_bayes import CategoricalNB

import tables
from machine import installed
from models import THREADS, of_codes
from tables import Codes, Shape, Table

# A fit that takes this long is not done again.
LONG = 1.0
TURNS = 3


@dataclass(frozen=True)
class Peer:
    """A classifier, what it is fed, and, for those that need minutes, on how many rows they are tried."""

    name: str
    package: str
    make: Callable[[Shape], Any]
    feed: Callable[[Codes, Shape], Any]
    fit_options: Callable[[Shape], dict[str, Any]] = lambda _: {}
    fit_rows: Mapping[str, int] = field(default_factory=dict)
    predicted_rows: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Score:
    """How a peer did on one table."""

    name: str
    fit: float
    predict: float
    log_loss: float
    fit_rows: int
    predicted_rows: int


def scores(name: str) -> Iterator[Score]:
    """Of ours, and of those peers that are installed."""
    table, shape = tables.table(name), tables.SHAPES[name]
    for peer in (*map(_ours, ("NaiveBayes", "TAN", "KDB(2)")), *PEERS):
        if installed(peer.package):
            yield _score(peer, table, shape, name)


def lacking() -> list[str]:
    """The peers that are not installed."""
    return [peer.name for peer in PEERS if not installed(peer.package)]


def _score(peer: Peer, table: Table, shape: Shape, name: str) -> Score:
    rows = min(peer.fit_rows.get(name, shape.rows), shape.rows)
    held_out = min(peer.predicted_rows.get(name, shape.held_out), shape.held_out)
    X, y = peer.feed(table.X[:rows], shape), table.y[:rows].astype(np.int64)
    fed = peer.feed(table.X_held_out[:held_out], shape)
    model, options = peer.make(shape), peer.fit_options(shape)
    fit, _ = _least(lambda: model.fit(X, y, **options))
    predict, answer = _least(lambda: model.predict_proba(fed))
    own = np.asarray(answer)[np.arange(held_out), table.y_held_out[:held_out]]
    return Score(peer.name, fit, predict, float(-np.log(np.maximum(own, 1e-15)).mean()), rows, held_out)


def _least(work: Callable[[], Any]) -> tuple[float, Any]:
    """The least seconds of a few turns, and the last answer."""
    times: list[float] = []
    while not times or (len(times) < TURNS and times[0] < LONG):
        began = time.perf_counter()
        answer = work()
        times.append(time.perf_counter() - began)
    return min(times), answer


def _ours(name: str) -> Peer:
    return Peer(name, "savvybayes", lambda _: of_codes(name), _int64)


def _int64(X: Codes, _: Shape) -> Codes:
    return X.astype(np.int64)


def _float32(X: Codes, _: Shape) -> Codes:
    return X.astype(np.float32)


def _categories(X: Codes, shape: Shape) -> Any:
    """A data frame of categories; two values are a number as well, and faster so."""
    if shape.values == 2:
        return _float32(X, shape)
    values = list(range(shape.values))
    columns = (pd.Categorical.from_codes(codes.astype(np.int8), categories=values) for codes in X.T)
    return pd.DataFrame({f"x{j}": column for j, column in enumerate(columns)})


def _frame(X: Codes, _: Shape) -> Any:
    return pd.DataFrame(X.astype(np.int64)).add_prefix("x")


def _lightgbm(_: Shape) -> Any:
    return import_module("lightgbm").LGBMClassifier(n_jobs=THREADS, verbose=-1)


def _which_are_categories(shape: Shape) -> dict[str, Any]:
    return {"categorical_feature": list(range(shape.attributes))} if shape.values > 2 else {}


def _xgboost(_: Shape) -> Any:
    return import_module("xgboost").XGBClassifier(n_jobs=THREADS, tree_method="hist", enable_categorical=True)


def _pyagrum(shape: Shape) -> Any:
    import_module("pyagrum").setNumberOfThreads(THREADS)
    types = import_module("pyagrum.lib.discreteTypeProcessor").DiscreteTypeProcessor(
        defaultDiscretizationMethod="quantile", defaultNumberOfBins=10, discretizationThreshold=shape.values + 1
    )
    make = import_module("pyagrum.skbn").BNClassifier
    return make(type_processor=types, learningMethod="TAN", prior="Smoothing", priorWeight=1.0)


PEERS = (
    Peer("CategoricalNB", "scikit-learn", lambda shape: CategoricalNB(min_categories=shape.values), _int64),
    Peer("LightGBM", "lightgbm", _lightgbm, _float32, _which_are_categories),
    Peer("XGBoost", "xgboost", _xgboost, _categories),
    Peer(
        "pyAgrum TAN",
        "pyagrum",
        _pyagrum,
        _frame,
        fit_rows={"b": 50_000, "c": 10_000},
        predicted_rows={"a": 10_000, "b": 10_000, "c": 2_000},
    ),
)
