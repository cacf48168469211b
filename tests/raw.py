"""Tables of raw values, with holes and values never seen, and the comparison of a classifier with the plain twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

import oracles

Cells: TypeAlias = Sequence[Sequence[str | None]]


@dataclass(frozen=True)
class RawTable:
    """Training rows with classes and weights, and rows to ask for; None is a missing value."""

    rows: Cells
    classes: list[str]
    weights: list[float] | None
    asked: Cells

    @property
    def kept(self) -> list[int]:
        """The columns that have more than one value."""
        return oracles.informative(self.rows, self.weights)

    def data(self) -> oracles.Data:
        """The kept columns of the rows that have weight."""
        return oracles.data([[row[i] for i in self.kept] for row in self.rows], self.classes, self.weights)

    def fit(self, model: Any) -> Any:
        """Fit a classifier to the rows."""
        return model.fit(as_array(self.rows), np.array(self.classes), self.weights)

    def in_columns(self, parents: oracles.ParentSets, order: Sequence[int] | None = None) -> dict[int, tuple[int, ...]]:
        """Name attributes, numbered among the kept ones, by their columns."""
        kept = self.kept
        shown = range(len(kept)) if order is None else order
        return {kept[child]: tuple(kept[i] for i in parents[child]) for child in shown}


def as_array(rows: Cells) -> Any:
    """The rows as scikit-learn users have them: an array of objects."""
    result = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        result[i] = list(row)
    return result


@st.composite
def raw_tables(draw: st.DrawFn, *, min_columns: int = 1, max_columns: int = 4, max_rows: int = 20) -> RawTable:
    """Draw tables of few values, in which columns may be constant, and weights may be 0."""
    n = draw(st.integers(min_columns, max_columns))
    value = st.sampled_from(("a", "a", "b", "c", None))
    row = st.lists(value, min_size=n, max_size=n)
    rows = draw(st.lists(row, min_size=2, max_size=max_rows))
    labels = st.sampled_from(("no", "perhaps", "yes"))
    classes = [*draw(st.lists(labels, min_size=len(rows) - 2, max_size=len(rows) - 2)), "yes", "no"]
    weights: list[float] | None = None
    if draw(st.booleans()):
        # None below 1 but 0: light weights earn a warning.
        own = st.sampled_from((0.0, 1.0, 2.0, 1.5, 3.25))
        weights = [*draw(st.lists(own, min_size=len(rows) - 2, max_size=len(rows) - 2)), 1.0, 2.0]
    asked_value = st.sampled_from(("a", "b", "c", None, "never seen"))
    asked = draw(st.lists(st.lists(asked_value, min_size=n, max_size=n), min_size=1, max_size=6))
    return RawTable(rows, classes, weights, [*rows[:3], *asked])


def assert_posteriors(
    model: Any, table: RawTable, parents: oracles.ParentSets | dict[oracles.Value, oracles.ParentSets], alpha: float
) -> None:
    """The model's posteriors are the twin's to 1e-12, and its predictions are of greatest probability."""
    data, kept = table.data(), table.kept
    assert model.classes_.tolist() == list(data.labels)
    found = model.predict_log_proba(as_array(table.asked))
    for row, own in zip(table.asked, found, strict=True):
        wanted = oracles.log_posterior(data, parents, [row[i] for i in kept], alpha)
        np.testing.assert_allclose(own, wanted, rtol=0, atol=1e-12)
    predicted = [list(data.labels).index(label) for label in model.predict(as_array(table.asked))]
    np.testing.assert_allclose(found[np.arange(len(found)), predicted], found.max(axis=1), rtol=0, atol=1e-12)


def table_shapes(model: Any) -> Mapping[tuple[Any, ...], tuple[int, ...]]:
    """The shape of each factor's table, by its scope."""
    return {tuple(factor.scope): factor.table.shape for factor in model.model_.factors}
