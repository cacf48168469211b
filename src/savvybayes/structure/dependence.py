"""k-dependence Bayesian classifiers: Sahami (1996), section 3 of the specification."""

from __future__ import annotations

import numpy as np

from savvybayes import _kernel, information
from savvybayes.counts import Scope
from savvybayes.data.table import Coded
from savvybayes.information import NO_CANDIDATE, Progress, quiet
from savvybayes.structure.parents import ParentSets


def kdb(
    table: Coded, k: int, theta: float | None, max_cells: int, progress: Progress = quiet
) -> tuple[ParentSets, tuple[int, ...]]:
    """The parents of each attribute, strongest first, and the order in which the attributes were placed.

    Attributes are placed by falling ``I(X_i; Y)``; each takes as parents up to `k` of those already placed, by falling
    ``I(X_i; X_j | Y)``, those above `theta` only where it is given.
    """
    n = len(table.sizes)
    relevance = information.with_class(table)
    order = sorted(range(n), key=lambda i: (-relevance[i], i))
    parents: list[tuple[int, ...]] = [()] * n
    if k > 0 and n > 1:
        dependence = information.pairs(table, max_cells, progress)
        least = NO_CANDIDATE if theta is None else float(_kernel.grid(np.array([theta]))[0])
        for place, i in enumerate(order):
            placed = np.array(order[:place], dtype=np.intp)
            strengths = dependence[i, placed]
            ranked = placed[np.argsort(-strengths, kind="stable")]
            parents[i] = _take(table, i, ranked[: np.count_nonzero(strengths > least)].tolist(), k, max_cells)
    return tuple(parents), tuple(order)


def _take(table: Coded, child: int, ranked: list[int], k: int, max_cells: int) -> tuple[int, ...]:
    """The first k that leave the child's table small enough."""
    taken: tuple[int, ...] = ()
    for j in ranked:
        if len(taken) == k:
            break
        if Scope((child, *taken, j)).fits(table.sizes, table.n_classes, max_cells):
            taken = (*taken, j)
    return taken
