"""k-dependence Bayesian classifiers: Sahami (1996), section 3 of the specification."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
        placed = np.array(order, dtype=np.intp)
        least = NO_CANDIDATE if theta is None else float(_kernel.grid(np.array([theta]))[0])
        for place, i in enumerate(order):
            parents[i] = _take(table, i, order, dependence[i, placed[:place]], least, k, max_cells)
    return tuple(parents), tuple(order)


def _take(
    table: Coded,
    child: int,
    order: Sequence[int],
    strengths: NDArray[np.float64],
    least: float,
    k: int,
    max_cells: int,
) -> tuple[int, ...]:
    """The first k of those placed, by falling strength above the least, that leave the child's table small enough."""
    taken: tuple[int, ...] = ()
    while len(taken) < min(k, len(strengths)):
        strongest = int(strengths.argmax())  # of equals the first placed
        if not strengths[strongest] > least:
            break
        strengths[strongest] = NO_CANDIDATE
        if Scope((child, *taken, order[strongest])).fits(table.sizes, table.n_classes, max_cells):
            taken = (*taken, order[strongest])
    return taken
