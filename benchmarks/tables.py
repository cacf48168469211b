"""Tables drawn from a random Bayesian network: each attribute depends on the class and on two of those before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

Codes = NDArray[Any]


class Shape(NamedTuple):
    """What is drawn: rows to learn from, rows held out, attributes, values, classes, and how much parents matter."""

    rows: int
    held_out: int
    attributes: int
    values: int
    classes: int
    strength: float

    def __str__(self) -> str:
        return f"{self.rows:,} rows x {self.attributes} attributes x {self.values} values, {self.classes} classes"


# The three tables on which the peers were first measured.
SHAPES = {
    "a": Shape(100_000, 100_000, 20, 4, 2, 0.30),
    "b": Shape(1_000_000, 200_000, 50, 8, 2, 0.20),
    "c": Shape(100_000, 50_000, 300, 2, 3, 0.16),
}

PRIORS = {2: (0.6, 0.4), 3: (1 / 3, 1 / 3, 1 / 3)}

# A parent is one of so many attributes before.
REACH = 15


@dataclass(frozen=True)
class Table:
    """Rows to learn from and rows held out, row-major, and the log-loss of the distribution they were drawn from."""

    X: Codes
    y: Codes
    X_held_out: Codes
    y_held_out: Codes
    least_log_loss: float

    def to(self, dtype: DTypeLike) -> Table:
        """The same codes and classes in another type of integer."""
        changed = {name: getattr(self, name).astype(dtype) for name in ("X", "y", "X_held_out", "y_held_out")}
        return replace(self, **changed)


@cache
def table(name: str) -> Table:
    """One of the three tables, in bytes."""
    return draw(SHAPES[name])


def draw(shape: Shape) -> Table:
    """Draw a table and hold its last rows out."""
    rng = np.random.default_rng(0)
    y = _classes(shape, rng)
    X = np.empty((len(y), shape.attributes), np.uint8)
    scores = np.tile(np.log(PRIORS[shape.classes]), (shape.held_out, 1))
    for j, (codes, told) in enumerate(_attributes(shape, y, rng)):
        X[:, j] = codes
        scores += told
    own = scores[np.arange(shape.held_out), y[shape.rows :]]
    loss = float(np.mean(np.logaddexp.reduce(scores, axis=1) - own)) if shape.held_out else 0.0
    return Table(X[: shape.rows], y[: shape.rows], X[shape.rows :], y[shape.rows :], loss)


def _classes(shape: Shape, rng: np.random.Generator) -> Codes:
    """A class for each row."""
    priors = PRIORS[shape.classes]
    return rng.choice(shape.classes, size=shape.rows + shape.held_out, p=priors).astype(np.uint8)


def _attributes(shape: Shape, y: Codes, rng: np.random.Generator) -> Iterator[tuple[Codes, NDArray[np.float64]]]:
    """The codes of one attribute after the other, and what they tell of the classes of the rows held out."""
    drawn: list[Codes] = []
    for j in range(shape.attributes):
        near = np.arange(max(0, j - REACH), j)
        parents = rng.choice(near, size=min(2, j), replace=False) if j else near
        cells = shape.values ** len(parents)
        odds = np.exp(_logits(shape, cells, rng))
        shares = odds / odds.sum(axis=-1, keepdims=True)
        cell = np.zeros(len(y), np.int32)
        for parent in parents:
            cell = cell * shape.values + drawn[parent]
        codes = _draw(np.cumsum(shares, axis=-1).reshape(-1, shape.values), y * np.int32(cells) + cell, rng)
        drawn.append(codes)
        yield codes, np.log(shares)[:, cell[shape.rows :], codes[shape.rows :]].T


def _logits(shape: Shape, cells: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """What the parents tell, what the class tells, and what both tell together: classes x cells x values."""
    of_parents = rng.normal(size=(1, cells, shape.values))
    of_class = rng.normal(0, shape.strength * 0.7, size=(shape.classes, 1, shape.values))
    of_both = rng.normal(0, shape.strength, size=(shape.classes, cells, shape.values))
    return of_parents + of_class + of_both


def _draw(steps: NDArray[np.float64], row_of: Codes, rng: np.random.Generator) -> Codes:
    """A value for each row, from the cumulated shares of its cell."""
    at = rng.random(len(row_of))
    codes = np.zeros(len(row_of), np.uint8)
    for step in np.ascontiguousarray(steps.T[:-1]):
        codes += at > step[row_of]
    return codes
