"""Mutual information with the class and between attributes, from unsmoothed relative frequencies, in nats.

What is returned is on the grid of section 2 of the specification, so that values can be compared exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from savvybayes import _kernel
from savvybayes.counts import PairTile, Scope, Span, count_classes, count_each, tiles
from savvybayes.data.table import Coded

Doubles: TypeAlias = NDArray[np.float64]
Progress: TypeAlias = Callable[[str], None]

# What a pair has whose table would be too large: it is no candidate.
NO_CANDIDATE = -np.inf


def quiet(_: str) -> None:
    """Report nothing."""


def with_class(table: Coded) -> Doubles:
    """``I(X_i; Y)`` for each attribute."""
    classes = count_classes(table)
    total = classes.sum()
    of_classes = _n_log_n(total) - _n_log_n(classes)
    result = np.zeros(len(table.sizes))
    for i, (_, by_class) in enumerate(count_each(table, [Scope((i,)) for i in range(len(table.sizes))])):
        result[i] = (_n_log_n(by_class) - _n_log_n(by_class.sum(axis=0)) + of_classes) / total
    return np.maximum(_kernel.grid(result), 0.0)


def pairs(table: Coded, max_cells: int, progress: Progress = quiet) -> Doubles:
    """``I(X_i; X_j | Y)`` for each pair, as a symmetric matrix; `NO_CANDIDATE` where the pair's table is too large."""
    n = len(table.sizes)
    result = np.zeros((n, n))
    for (rows, columns, _), parts in _fold_tiles(
        table, Span(0, table.n_classes), max_cells // table.n_classes, progress
    ):
        result[slice(*rows), slice(*columns)] += parts.sum(axis=0)
    return _finished(result, count_classes(table).sum(), _candidates(table, table.n_classes, max_cells))


def pairs_within(table: Coded, classes: Span, max_cells: int, progress: Progress = quiet) -> list[Doubles]:
    """``I(X_i; X_j)`` within each of some classes; for each a matrix like that of `pairs`."""
    n = len(table.sizes)
    result = np.zeros((classes.end - classes.begin, n, n))
    for (rows, columns, (begin, end)), parts in _fold_tiles(table, classes, max_cells, progress):
        result[begin - classes.begin : end - classes.begin, slice(*rows), slice(*columns)] += parts
    candidates = _candidates(table, 1, max_cells)
    weights = count_classes(table)[classes.begin : classes.end]
    return [_finished(matrix, weight, candidates) for matrix, weight in zip(result, weights, strict=True)]


def _fold_tiles(table: Coded, classes: Span, most_cells: int, progress: Progress) -> Iterator[tuple[PairTile, Doubles]]:
    """Fold a tile of pair tables at a time; yield the tile and, by class and pair, the weight times the information."""
    wanted = list(tiles(table.sizes, classes, most_cells))
    for done, tile in enumerate(wanted, 1):
        progress(f"pairs of attributes: part {done} of {len(wanted)}")
        yield tile, _kernel.pair_information(table.fold(tile), table.sizes, *tile)


def _candidates(table: Coded, n_columns: int, max_cells: int) -> NDArray[np.bool_]:
    """Whether each pair's table may be made: `Scope.fits`, for all pairs at once."""
    sizes = np.asarray(table.sizes, dtype=np.float64)
    fits = np.outer(sizes, sizes) <= max_cells / n_columns
    fits &= np.outer(sizes + 1, sizes + 1) <= 4 * max_cells / n_columns
    return fits


def _finished(upper: Doubles, weight: float, candidates: NDArray[np.bool_]) -> Doubles:
    matrix = upper + upper.T
    if weight > 0:
        matrix /= weight
    matrix = np.maximum(_kernel.grid(matrix), 0.0)
    matrix[~candidates] = NO_CANDIDATE
    return matrix


def _n_log_n(counts: Doubles) -> float:
    """The sum of ``n log n``."""
    positive = counts[counts > 0]
    return float((positive * np.log(positive)).sum())
