"""Mutual information with the class and between attributes, from unsmoothed relative frequencies, in nats.

What is returned is on the grid of section 2 of the specification, so that values can be compared exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from savvybayes import _kernel
from savvybayes.counts import PairTile, Scope, Span, count_classes, count_in_portions, tiles
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
    result = []
    for counts in count_in_portions(table, [Scope((i,)) for i in range(len(table.sizes))]):
        # The tables of a portion have the classes on their rows; side by side, each is a run of columns.
        by_class = np.concatenate([np.zeros((len(classes), 0)), *(own for _, own in counts)], axis=1)
        begins = [0, *accumulate(own.shape[1] for _, own in counts)][:-1]
        cells = _each_n_log_n(by_class).sum(axis=0) - _each_n_log_n(by_class.sum(axis=0))
        result.append((np.add.reduceat(cells, begins) + of_classes) / total)
    return np.maximum(_kernel.grid(np.concatenate([np.zeros(0), *result])), 0.0)


def pairs(table: Coded, max_cells: int, progress: Progress = quiet) -> Doubles:
    """``I(X_i; X_j | Y)`` for each pair, as a symmetric matrix; `NO_CANDIDATE` where the pair's table is too large."""
    n = len(table.sizes)
    result = np.zeros((n, n))
    for tile, counts in _fold_tiles(table, Span(0, table.n_classes), max_cells // table.n_classes, progress):
        part = _kernel.conditional_information(counts, table.sizes, *tile)
        result[slice(*tile.rows), slice(*tile.columns)] += part
    _kernel.mirror(result, count_classes(table).sum())
    _mark_too_large(result, table, table.n_classes, max_cells)
    return result


def pairs_within(table: Coded, classes: Span, max_cells: int, progress: Progress = quiet) -> list[Doubles]:
    """``I(X_i; X_j)`` within each of some classes; for each a matrix like that of `pairs`."""
    n = len(table.sizes)
    result = np.zeros((classes.end - classes.begin, n, n))
    for tile, counts in _fold_tiles(table, classes, max_cells, progress):
        labels = slice(tile.classes.begin - classes.begin, tile.classes.end - classes.begin)
        part = _kernel.pair_information(counts, table.sizes, *tile)
        result[labels, slice(*tile.rows), slice(*tile.columns)] += part
    for matrix, weight in zip(result, count_classes(table)[slice(*classes)], strict=True):
        _kernel.mirror(matrix, weight)
        _mark_too_large(matrix, table, 1, max_cells)
    return list(result)


def _fold_tiles(
    table: Coded, classes: Span, most_cells: int, progress: Progress
) -> Iterator[tuple[PairTile, NDArray[np.float64]]]:
    """Fold a tile of pair tables at a time."""
    wanted = list(tiles(table.sizes, classes, most_cells))
    for done, tile in enumerate(wanted, 1):
        progress(f"pairs of attributes: part {done} of {len(wanted)}")
        yield tile, table.fold(tile)


def _mark_too_large(matrix: Doubles, table: Coded, n_columns: int, max_cells: int) -> None:
    """Leave out the pairs whose tables may not be made: `Scope.fits`, for all pairs at once."""
    sizes = np.asarray(table.sizes, dtype=np.float64)
    if len(sizes) and (sizes.max() + 1) ** 2 <= max_cells / n_columns:
        return
    fits = np.outer(sizes, sizes) <= max_cells / n_columns
    fits &= np.outer(sizes + 1, sizes + 1) <= 4 * max_cells / n_columns
    matrix[~fits] = NO_CANDIDATE


def _n_log_n(counts: Doubles) -> float:
    """The sum of ``n log n``."""
    return float(_each_n_log_n(counts).sum())


def _each_n_log_n(counts: Doubles) -> Doubles:
    """Each count's ``n log n``."""
    result: Doubles = counts * np.log(np.maximum(counts, 1e-300))
    return result
