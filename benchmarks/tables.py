"""Tables drawn from a random Bayesian network whose attributes have the class and two others as parents."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Shape(NamedTuple):
    """What is drawn: rows, attributes, values of each, classes, and how much parents and class matter."""

    rows: int
    attributes: int
    values: int
    classes: int
    strength: float


# The three tables of the peers' figures.
SHAPES = {
    "a": Shape(100_000, 20, 4, 2, 0.30),
    "b": Shape(1_000_000, 50, 8, 2, 0.20),
    "c": Shape(100_000, 300, 2, 3, 0.16),
}


@cache
def draw(shape: Shape, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The attributes as a row-major array of codes, and the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(shape.classes, size=shape.rows)
    columns: list[NDArray[np.int64]] = []
    for j in range(shape.attributes):
        parents: Any = rng.choice(np.arange(max(0, j - 15), j), size=min(2, j), replace=False) if j else []
        cells = shape.values ** len(parents)
        logits = rng.normal(size=(1, cells, shape.values))
        logits = logits + rng.normal(size=(shape.classes, 1, shape.values)) * 0.7 * shape.strength
        logits = logits + rng.normal(size=(shape.classes, cells, shape.values)) * shape.strength
        odds = np.exp(logits)
        steps = np.cumsum(odds / odds.sum(axis=-1, keepdims=True), axis=-1)[..., :-1]
        cell = np.zeros(shape.rows, dtype=np.int64)
        for parent in parents:
            cell = cell * shape.values + columns[parent]
        drawn: Any = (rng.random(shape.rows)[:, None] > steps[y, cell]).sum(axis=1)
        columns.append(drawn)
    return np.ascontiguousarray(np.stack(columns, axis=1)), y
