"""Mutual information against the plain twin, and its laws."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from coded import CodedRows, InBlocks, coded_rows, random_rows
from savvybayes import information
from savvybayes.counts import Span, tiles
from savvybayes.information import NO_CANDIDATE

bounded = settings(deadline=None, max_examples=60)
NO_CAP = 10**9


def assert_on_grid(found: oracles.Doubles, exact: oracles.Doubles) -> None:
    """What is returned is a grid point, and as near to the exact value as the nearest, but for 1e-12."""
    candidates = found != NO_CANDIDATE
    np.testing.assert_array_equal(candidates, exact != NO_CANDIDATE)
    for value, wanted in zip(found[candidates], exact[candidates], strict=True):
        assert value == oracles.grid(float(value))
        assert value >= 0
        assert abs(value - wanted) <= 2**-41 + 2**-30 * abs(wanted) + 1e-12


def matrix(table: CodedRows, label: int | None, max_cells: int) -> oracles.Doubles:
    """Return the twin's matrix, in one class or given the class."""
    n, data = len(table.sizes), table.data()
    result = np.full((n, n), NO_CANDIDATE)
    for i, j in permutations(range(n), 2):
        if oracles.fits(data, (i, j), table.n_classes if label is None else 1, max_cells):
            if label is None:
                result[i, j] = oracles.information_given_class(data, i, j)
            else:
                result[i, j] = oracles.information_within(data, i, j, label)
    return result


def assert_matrix(found: oracles.Doubles, exact: oracles.Doubles) -> None:
    """A matrix is symmetric, and off its diagonal as exact as can be."""
    np.testing.assert_array_equal(found, found.T)
    others = ~np.eye(len(found), dtype=bool)
    assert_on_grid(found[others], exact[others])


@given(coded_rows(min_rows=1))
@bounded
def test_information_about_the_class(table: CodedRows) -> None:
    """``I(X_i; Y)`` is the twin's, on the grid."""
    exact = np.array([oracles.information_with_class(table.data(), i) for i in range(len(table.sizes))])
    assert_on_grid(information.with_class(table), exact)


@given(coded_rows(min_rows=1), st.sampled_from((3, 8, 12, NO_CAP)))
@bounded
def test_information_of_pairs_given_the_class(table: CodedRows, max_cells: int) -> None:
    """``I(X_i; X_j | Y)`` is the twin's on the grid, symmetric, and no candidate where its table is too large."""
    assert_matrix(information.pairs(table, max_cells), matrix(table, None, max_cells))


@given(coded_rows(min_rows=0), st.sampled_from((3, 6, NO_CAP)), st.data())
@bounded
def test_information_of_pairs_within_classes(table: CodedRows, max_cells: int, data: st.DataObject) -> None:
    """``I(X_i; X_j)`` within each class of a run of classes is the twin's; of a class without rows it is 0."""
    begin = data.draw(st.integers(0, table.n_classes - 1))
    end = data.draw(st.integers(begin + 1, table.n_classes))
    found = information.pairs_within(table, Span(begin, end), max_cells)
    assert len(found) == end - begin
    for label, own in enumerate(found, begin):
        assert_matrix(own, matrix(table, label, max_cells))


@given(
    coded_rows(min_rows=2, weightings=("none", "whole")),
    st.lists(st.integers(1, 30), min_size=1, max_size=4),
)
@bounded
def test_information_does_not_depend_on_blocks(table: CodedRows, cuts: list[int]) -> None:
    """Rows in several blocks give the same bits as rows in one."""
    parts = InBlocks(table, [cut for cut in cuts if cut < len(table.codes)])
    np.testing.assert_array_equal(information.with_class(parts), information.with_class(table))
    np.testing.assert_array_equal(information.pairs(parts, NO_CAP), information.pairs(table, NO_CAP))
    classes = Span(0, table.n_classes)
    for a, b in zip(
        information.pairs_within(parts, classes, NO_CAP),
        information.pairs_within(table, classes, NO_CAP),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("most", [1, 50, 1000])
def test_information_does_not_depend_on_tiles(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the pairs are cut into tiles, each comes out the same on the grid."""
    table = random_rows(500, (2, 3, 7, 2, 40, 3, 2), 3)
    wanted = information.pairs(table, NO_CAP), information.pairs_within(table, Span(1, 3), NO_CAP)
    monkeypatch.setattr(information, "tiles", partial(tiles, most=most))
    assert len(list(tiles(table.sizes, Span(0, 3), NO_CAP, most))) > 1
    np.testing.assert_array_equal(information.pairs(table, NO_CAP), wanted[0])
    np.testing.assert_array_equal(information.pairs_within(table, Span(1, 3), NO_CAP), wanted[1])
    # A cap that the greatest pair, of 7 * 40 values, just meets, in three classes or in one.
    above = np.triu_indices(7, 1)
    np.testing.assert_array_equal(information.pairs(table, 7 * 40 * 3)[above], wanted[0][above])
    np.testing.assert_array_equal(information.pairs_within(table, Span(1, 3), 7 * 40)[0][above], wanted[1][0][above])
    assert information.pairs(table, 7 * 40 * 3 - 1)[2, 4] == NO_CANDIDATE
    assert information.pairs_within(table, Span(1, 3), 7 * 40 - 1)[0][2, 4] == NO_CANDIDATE


def test_a_copy_of_an_attribute_tells_its_entropy() -> None:
    """By hand: a fair coin and its copy share log 2, a coin and an independent one nothing."""
    # Class 0: (0,0,0) (0,0,1) (1,1,0) (1,1,1): X_1 is a copy of X_0, X_2 is independent of both.
    # Class 1: the same with X_1 = 1 - X_0, told by which a cell of X_0, X_1 belongs to one class only.
    codes = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1]])
    table = CodedRows(codes, np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32), (2, 2, 2), 2)
    log_2 = oracles.grid(math.log(2))
    assert information.with_class(table).tolist() == [0.0, 0.0, 0.0]
    assert information.pairs(table, NO_CAP).tolist() == [[0, log_2, 0], [log_2, 0, 0], [0, 0, 0]]
    assert [m[0, 1] for m in information.pairs_within(table, Span(0, 2), NO_CAP)] == [log_2, log_2]
    # Without the classes X_0 and X_1 are independent.
    blind = CodedRows(codes, np.zeros(8, np.int32), (2, 2, 2), 1)
    assert not information.pairs(blind, NO_CAP).any()


def test_information_of_attributes_of_many_values() -> None:
    """Attributes of 60,000 values are no candidates beyond the cap, and are measured below it."""
    rng = np.random.default_rng(0)
    many = rng.integers(60_000, size=2000)
    codes = np.stack([many, many % 2, rng.integers(2, size=2000), many], axis=1)
    table = CodedRows(codes, rng.integers(2, size=2000, dtype=np.int32), (60_000, 2, 2, 60_000), 2)
    found = information.pairs(table, 2**24)
    assert found[0, 3] == NO_CANDIDATE  # 60,000 * 60,000 * 2 cells
    assert_on_grid(found[0, 1:2], np.array([oracles.information_given_class(table.data(), 0, 1)]))
    found = information.pairs(table, 239_999)  # 60,000 * 2 * 2 = 240,000
    assert [(i, j) for i, j in combinations(range(4), 2) if found[i, j] != NO_CANDIDATE] == [(1, 2)]


@given(coded_rows(min_rows=1, weightings=("whole",)))
@bounded
def test_a_weight_is_a_number_of_rows(table: CodedRows) -> None:
    """Whole weights give the same bits as rows repeated."""
    assert table.weights is not None
    repeated = np.repeat(np.arange(len(table.codes)), table.weights.astype(int))
    longer = CodedRows(table.codes[repeated], table.classes[repeated], table.sizes, table.n_classes)
    np.testing.assert_array_equal(information.with_class(table), information.with_class(longer))
    np.testing.assert_array_equal(information.pairs(table, NO_CAP), information.pairs(longer, NO_CAP))


def test_progress_is_told_for_each_tile() -> None:
    """The progress callback hears of every part, the last of which ends the work."""
    heard: list[str] = []
    information.pairs(random_rows(20, (2, 2, 2), 2), NO_CAP, heard.append)
    assert heard == ["pairs of attributes: part 1 of 1"]


def test_tables_without_pairs() -> None:
    """With no attribute, or one, there are no pairs, and that is no error."""
    for sizes in ((), (3,)):
        table = random_rows(20, sizes, 2)
        assert information.pairs(table, NO_CAP).shape == (len(sizes), len(sizes))
        assert information.with_class(table).shape == (len(sizes),)


def test_large_counts_lose_nothing() -> None:
    """With weights of 10^9 rows each the information is still good to the grid."""
    rng = np.random.default_rng(1)
    small = CodedRows(rng.integers(3, size=(60, 3)), rng.integers(2, size=60, dtype=np.int32), (3, 3, 3), 2)
    large = CodedRows(small.codes, small.classes, small.sizes, 2, np.full(60, 1e9))
    assert_matrix(information.pairs(large, NO_CAP), matrix(small, None, NO_CAP))
    assert_on_grid(
        information.with_class(large), np.array([oracles.information_with_class(small.data(), i) for i in range(3)])
    )
