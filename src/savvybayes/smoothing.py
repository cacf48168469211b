"""Counts into log tables: section 2 of the specification.

Every table has, for each of its attributes, one more value, "unknown": its entry is the table of the scope without the
attribute, smoothed as that scope.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def laplace(tables: Sequence[NDArray[np.float64]], alpha: float) -> list[NDArray[np.float64]]:
    """``log P(child | parents, class) = log (N + alpha) / (N_parents + alpha r)``, for each table of counts.

    A table's axes are the class, the child, its parents; the log table's the child, its parents, the class.
    An unknown child tells nothing (log 1); an unknown parent is marginalised out.
    Tables of the same shape are smoothed together: thousands of small ones are usual.
    """
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for i, counts in enumerate(tables):
        by_shape.setdefault(counts.shape, []).append(i)
    smoothed: dict[int, NDArray[np.float64]] = {}
    for same in by_shape.values():
        smoothed.update(zip(same, _laplace(np.stack([tables[i] for i in same]), alpha), strict=True))
    return [smoothed[i] for i in range(len(tables))]


def _laplace(stack: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """The log tables of counts that stand one behind the other on a first axis."""
    counts = with_marginals(stack, 2)
    child, every_child = counts[:, :, :-1], counts[:, :, -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log((child + alpha) / (every_child + alpha * child.shape[2]))
    tables = np.zeros((*counts.shape[:1], *counts.shape[2:], counts.shape[1]))
    np.moveaxis(tables, -1, 1)[:, :, :-1] = logs
    return tables


def with_marginals(counts: NDArray[np.float64], first: int = 1) -> NDArray[np.float64]:
    """The counts with one more value for each attribute, the axes from the first on: the sum over all of its values."""
    result = np.zeros((*counts.shape[:first], *(size + 1 for size in counts.shape[first:])))
    result[tuple(slice(size) for size in counts.shape)] = counts
    for axis in range(first, counts.ndim):
        filled = np.moveaxis(result, axis, 0)
        # The axes to come have no marginals yet: what is there is set in their turn.
        np.add.reduce(filled[:-1], axis=0, out=filled[-1])
    return result


def log_prior(classes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithms of the classes' relative frequencies; minus infinity where a class has no rows yet."""
    with np.errstate(divide="ignore"):
        logs: NDArray[np.float64] = np.log(classes / classes.sum())
    return logs
