"""Small data, where a call costs more than its work."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.naive_bayes import CategoricalNB

import tables
from clock import by_turns
from figure import Figure
from models import of_codes

BAR = 1.5


def figures() -> Iterator[Figure]:
    """Whole calls on 150 rows of 4 attributes."""
    table = tables.table("a").to(np.int64)
    X, y = table.X[:150, :4].copy(), table.y[:150].copy()
    models = {"NaiveBayes": of_codes("NaiveBayes"), "TAN": of_codes("TAN"), "CategoricalNB": CategoricalNB()}
    fits = {name: partial(model.fit, X, y) for name, model in models.items()}
    predictions = {name: partial(model.predict_proba, X) for name, model in models.items()}
    for call, works in (("fit", fits), ("predict_proba", predictions)):
        least = by_turns(works)
        theirs = least.pop("CategoricalNB")
        for name, ours in least.items():
            yield Figure(f"{name}.{call}", ours, f"CategoricalNB.{call}", theirs, BAR)
