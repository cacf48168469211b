"""Counts into log tables: section 2 of the specification.

Every table has, for each of its attributes, one more value, "unknown": its entry is the table of the scope without the
attribute, smoothed as that scope.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def laplace(counts: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """``log P(child | parents, class) = log (N + alpha) / (N_parents + alpha r)``.

    The counts' axes are the class, the child, its parents; the log table's the child, its parents, the class.
    An unknown child tells nothing (log 1); an unknown parent is marginalised out.
    """
    counts = with_marginals(counts)
    child, every_child = counts[:, :-1], counts[:, -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log((child + alpha) / (every_child + alpha * child.shape[1]))
    table = np.zeros(counts.shape)
    table[:, :-1] = logs
    return np.ascontiguousarray(np.moveaxis(table, 0, -1))


def with_marginals(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The counts with one more value for each attribute: the sum over all of its values."""
    for axis in range(1, counts.ndim):
        counts = np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)
    return counts


def log_prior(classes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithms of the classes' relative frequencies; minus infinity where a class has no rows yet."""
    with np.errstate(divide="ignore"):
        logs: NDArray[np.float64] = np.log(classes / classes.sum())
    return logs
