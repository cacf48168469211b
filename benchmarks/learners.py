"""Whole calls of the learners on one of the three tables, beside scikit-learn's `CategoricalNB`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from numpy.typing import DTypeLike
from sklearn.naive_bayes import CategoricalNB

import tables
from clock import by_turns
from figure import Figure
from models import of_codes

# What users mostly hold, and what takes the least room.
INTEGERS = {"int64": ("NaiveBayes", "TAN", "ChowLiu", "KDB(2)"), "uint8": ("NaiveBayes", "TAN")}

FIT_BARS = {"a": 0.2, "b": 0.1, "c": 0.2}
PREDICTION_BAR = 0.2

# The others are shown without a bar.
HELD_TO_BARS = ("NaiveBayes", "TAN")


def figures(name: str) -> Iterator[Figure]:
    """Fits, and predictions of the rows held out, each from two types of integers."""
    for dtype, models in INTEGERS.items():
        yield from _calls(name, dtype, models)


def _calls(name: str, dtype: DTypeLike, models: tuple[str, ...]) -> Iterator[Figure]:
    table = tables.table(name).to(dtype)
    ours = {model: of_codes(model) for model in models}
    both = {**ours, "CategoricalNB": CategoricalNB(min_categories=tables.SHAPES[name].values)}
    fits = {model: partial(it.fit, table.X, table.y) for model, it in both.items()}
    predictions = {model: partial(it.predict_proba, table.X_held_out) for model, it in both.items()}
    for call, works, bar in (("fit", fits, FIT_BARS[name]), ("predict_proba", predictions, PREDICTION_BAR)):
        least = by_turns(works)
        theirs = least["CategoricalNB"]
        for model in ours:
            what = f"{model}.{call}, {dtype}"
            yield Figure(what, least[model], f"CategoricalNB.{call}", theirs, bar if model in HELD_TO_BARS else None)
