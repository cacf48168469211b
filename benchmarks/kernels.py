"""Single kernels beside what NumPy does for the same end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clock import Figure, compare
from savvybayes import MDLPDiscretizer, _kernel
from savvybayes.threads import threads
from tables import SHAPES, draw


def figures() -> Iterator[Figure]:
    """Discretising, coding, counting."""
    with threads(None):
        yield from _columns()
        yield from _counts()


def _columns() -> Iterator[Figure]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 1))
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    yield compare(
        "1M doubles: MDLPDiscretizer.fit", lambda: MDLPDiscretizer().fit(X, y), "numpy.sort", lambda: np.sort(X[:, 0])
    )


def _counts() -> Iterator[Figure]:
    X, y = draw(SHAPES["b"])
    columns = [np.ascontiguousarray(column) for column in X.T.astype(np.uint8)]
    sizes = [8] * len(columns)
    block = _kernel.Block(len(y), sizes, columns, y.astype(np.int32), 2)
    every = (0, len(columns))

    def pairs_by_bincount() -> None:
        for i in range(3):
            for j in range(i + 1, 4):
                np.bincount((y * 8 + X[:, i]) * 8 + X[:, j], minlength=128)

    yield compare(
        "(b) counts of all 1225 pairs",
        lambda: block.count_pairs(every, every, (0, 2)),
        "numpy.bincount of 6",
        pairs_by_bincount,
    )
    yield compare(
        "(b) block from codes",
        lambda: _kernel.Block(len(y), sizes, columns, y.astype(np.int32), 2),
        "numpy: one copy of the codes",
        lambda: [column.copy() for column in columns],
    )
