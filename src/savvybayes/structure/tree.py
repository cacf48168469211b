"""Trees of greatest information: Chow-Liu trees, one for each class, and the tree of TAN.

Section 3 of the specification; Chow & Liu (1968), Friedman, Geiger & Goldszmidt (1997).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from savvybayes import information
from savvybayes.counts import Span
from savvybayes.data.table import Coded
from savvybayes.information import NO_CANDIDATE, Progress, quiet
from savvybayes.structure.parents import ParentSets

# Matrices of Chow-Liu trees are made for so many classes at a time that they have at most so many entries.
MOST_ENTRIES = 2**24


def tan(table: Coded, max_cells: int, progress: Progress = quiet) -> ParentSets:
    """The tree-augmented network: one spanning tree of greatest ``I(X_i; X_j | Y)``."""
    return spanning_tree(information.pairs(table, max_cells, progress))


def chow_liu(table: Coded, max_cells: int, progress: Progress = quiet) -> list[ParentSets]:
    """For each class the spanning tree of greatest ``I(X_i; X_j)`` within that class."""
    step = max(1, MOST_ENTRIES // max(1, len(table.sizes) ** 2))
    trees = []
    for begin in range(0, table.n_classes, step):
        classes = Span(begin, min(begin + step, table.n_classes))
        trees += [spanning_tree(matrix) for matrix in information.pairs_within(table, classes, max_cells, progress)]
    return trees


def spanning_tree(weights: NDArray[np.float64]) -> ParentSets:
    """The parents in the maximum spanning forest, grown from the lowest attribute by Prim's algorithm.

    Among edges of greatest weight the one to the lowest new attribute is taken, from its lowest neighbour in the tree.
    An attribute without a candidate begins a tree of its own.
    """
    n = len(weights)
    parents: list[tuple[int, ...]] = [()] * n
    outside = np.ones(n, dtype=bool)
    best = np.full(n, NO_CANDIDATE)
    nearest = np.full(n, n)
    for _ in range(n):
        new = int(np.argmax(np.where(outside, best, -np.inf))) if (best[outside] > NO_CANDIDATE).any() else -1
        if new < 0:
            new = int(np.argmax(outside))
        else:
            parents[new] = (int(nearest[new]),)
        outside[new] = False
        closer = (weights[new] > best) | ((weights[new] == best) & (new < nearest))
        best = np.where(closer, weights[new], best)
        nearest = np.where(closer, new, nearest)
    return tuple(parents)
