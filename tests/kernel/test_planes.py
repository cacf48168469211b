"""Counts by bit-planes: they are those of the same rows with weights of 1, which are counted row by row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from savvybayes import _kernel
from savvybayes.threads import threads

# Few values and many, one alone, bytes and more than that.
SIZES = [2, 3, 1, 9, 22, 23, 5, 2, 255, 300, 6, 1, 4]


def blocks(rows: int, sizes: Sequence[int], n_classes: int) -> tuple[_kernel.Block, _kernel.Block]:
    """The same rows twice: without weights, and with weights of 1."""
    rng = np.random.default_rng(rows)
    codes: list[Any] = [rng.integers(0, size, rows).astype(np.uint8 if size <= 255 else np.uint16) for size in sizes]
    classes = rng.integers(0, n_classes, rows).astype(np.int32)
    return (
        _kernel.Block(rows, sizes, codes, classes, n_classes),
        _kernel.Block(rows, sizes, codes, classes, n_classes, np.ones(rows)),
    )


@pytest.mark.parametrize(
    ("rows", "n_classes", "n_threads"),
    [(0, 2, 1), (1, 1, 1), (63, 2, 2), (1000, 3, 2), (70_000, 2, 2), (70_000, 1, 1), (513, 40, 3)],
)
def test_all_pairs(rows: int, n_classes: int, n_threads: int) -> None:
    """Any rectangle of pairs, in all classes or one, whatever the numbers of rows and values."""
    n = len(SIZES)
    by_planes, by_rows = blocks(rows, SIZES, n_classes)
    with threads(n_threads):
        for tile in (((0, n), (0, n)), ((0, 3), (2, n)), ((4, 9), (0, 6)), ((1, 2), (7, 8)), ((3, 3), (0, n))):
            for labels in ((0, n_classes), (n_classes - 1, n_classes)):
                np.testing.assert_array_equal(by_planes.count_pairs(*tile, labels), by_rows.count_pairs(*tile, labels))


def test_many_planes() -> None:
    """More planes than stay in a cache, cut into parts for several threads."""
    by_planes, by_rows = blocks(5000, [8] * 90 + [2] * 10, 2)
    for n_threads in (1, 2, 5):
        with threads(n_threads):
            np.testing.assert_array_equal(
                by_planes.count_pairs((0, 100), (0, 100), (0, 2)), by_rows.count_pairs((0, 100), (0, 100), (0, 2))
            )


@pytest.mark.parametrize(
    ("rows", "n_classes", "n_threads"),
    [(0, 2, 1), (1, 1, 1), (200, 3, 2), (513, 1, 1), (1601, 3, 2), (21_000, 40, 3), (70_000, 2, 2)],
)
def test_chosen_scopes(rows: int, n_classes: int, n_threads: int) -> None:
    """Pairs, triples and quadruples in any order of their attributes, of every class and of one, some of them twice."""
    by_planes, by_rows = blocks(rows, SIZES, n_classes)
    few = [i for i, size in enumerate(SIZES) if size <= 9]
    scopes: list[tuple[Sequence[int], int]] = [((), -1), *(((i,), -1) for i in range(len(SIZES)))]
    scopes += [(pair, -1) for pair in combinations(range(len(SIZES)), 2) if SIZES[pair[0]] * SIZES[pair[1]] < 3000]
    scopes += [(triple, -1) for triple in permutations(few[:4], 3)] + [(triple, -1) for triple in combinations(few, 3)]
    scopes += [((few[3], few[0], few[1], few[5]), -1), ((0, 0), -1), ((1, 0), -1), ((1, 0), -1)]
    scopes += [(own, n_classes - 1) for own in ((1,), (0, 1), (1, 0), (6, 1, 0), (0, 1, 6, 10), (4, 5))]
    with threads(n_threads):
        np.testing.assert_array_equal(by_planes.count_scopes(scopes), by_rows.count_scopes(scopes))


def test_a_triple_by_hand() -> None:
    """Four rows of two classes: the cells of what occurs, in the order of the scope's attributes."""
    # class 0: (0, 1, 2), (0, 1, 2), (1, 0, 0); class 1: (1, 1, 1)
    codes = [np.array(c, np.uint8) for c in ([0, 1, 0, 1], [1, 0, 1, 1], [2, 0, 2, 1])]
    block = _kernel.Block(4, [2, 2, 3], codes, np.array([0, 0, 0, 1], np.int32), 2)
    table = block.count_scopes([((2, 0, 1), -1)]).reshape(2, 3, 2, 2)
    assert table[0, 2, 0, 1] == 2
    assert table[0, 0, 1, 0] == table[1, 1, 1, 1] == 1
    assert table.sum() == 4


def test_scopes_of_more_planes_than_are_kept() -> None:
    """Attributes whose planes together are many are taken some at a time, alone and in pairs."""
    by_planes, by_rows = blocks(1300, [40] * 30 + [2, 255, 9] * 4, 2)
    alone: list[tuple[tuple[int, ...], int]] = [((i,), -1) for i in range(42)]
    pairs = [((i, j), -1) for i in range(30) for j in (30, 32, 33, 41)]
    for scopes in (alone, pairs, alone + pairs + alone[5:9]):
        np.testing.assert_array_equal(by_planes.count_scopes(scopes), by_rows.count_scopes(scopes))
