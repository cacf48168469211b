"""Discretising, coding and counting, each beside what NumPy does for the same end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tables
from clock import compare
from figure import Figure
from models import THREADS
from savvybayes import MDLPDiscretizer, _kernel
from savvybayes.threads import threads

SORT_BAR = 4.0


def figures() -> Iterator[Figure]:
    """Single steps of a fit."""
    with threads(THREADS):
        yield from _discretiser()
        yield from _block()


def _discretiser() -> Iterator[Figure]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 1))
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    yield compare(
        "MDLPDiscretizer.fit, 1M doubles",
        lambda: MDLPDiscretizer().fit(X, y),
        "numpy.sort",
        lambda: np.sort(X[:, 0]),
        SORT_BAR,
    )


def _block() -> Iterator[Figure]:
    table, shape = tables.table("b"), tables.SHAPES["b"]
    columns = [np.ascontiguousarray(column) for column in table.X.T]
    sizes = [shape.values] * shape.attributes
    classes = table.y.astype(np.int32)

    def make() -> _kernel.Block:
        return _kernel.Block(shape.rows, sizes, columns, classes, shape.classes)

    yield compare("(b) block from codes", make, "numpy: one copy of the codes", lambda: [c.copy() for c in columns])
    block, every = make(), (0, shape.attributes)
    first = [column.astype(np.int64) for column in columns[:4]]
    code = classes.astype(np.int64) * 64

    def six_pairs() -> None:
        for i in range(3):
            for j in range(i + 1, 4):
                np.bincount(code + 8 * first[i] + first[j], minlength=128)

    yield compare(
        "(b) counts of all 1225 pairs",
        lambda: block.count_pairs(every, every, (0, shape.classes)),
        "numpy.bincount of 6 pairs",
        six_pairs,
    )
