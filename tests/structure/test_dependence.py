"""The parents and the order of KDB, against the plain twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from coded import CodedRows, InBlocks, coded_rows, random_rows
from savvybayes import information
from savvybayes.structure.dependence import kdb

bounded = settings(deadline=None, max_examples=120)
NO_CAP = 10**9
thetas = st.sampled_from((None, None, 0.0, 0.03, 0.2, -1.0))


@given(coded_rows(min_rows=1, max_rows=20, attributes=(1, 6)), st.integers(0, 4), thetas)
@bounded
def test_parents_and_order_are_the_twin_s(table: CodedRows, k: int, theta: float | None) -> None:
    """Order and parents, strongest first, are those of the algorithm done slowly, ties included."""
    assert kdb(table, k, theta, NO_CAP) == oracles.kdb(table.data(), k, theta)


@given(
    coded_rows(min_rows=1, max_rows=20, attributes=(2, 6), sizes=(2, 3, 4)),
    st.integers(1, 2),
    thetas,
    st.sampled_from((6, 8, 16, 36)),
)
@bounded
def test_parents_that_make_a_table_too_large_are_left_out(
    table: CodedRows, k: int, theta: float | None, max_cells: int
) -> None:
    """A parent whose table would pass `max_cells` is passed over for the next."""
    parents, order = kdb(table, k, theta, max_cells)
    assert (parents, order) == oracles.kdb(table.data(), k, theta, max_cells)
    for child, own in enumerate(parents):
        assert not own or oracles.fits(table.data(), (child, *own), table.n_classes, max_cells)


@pytest.mark.parametrize("k", range(5))
def test_each_attribute_has_as_many_parents_as_there_are(k: int) -> None:
    """Without a threshold the attribute placed p-th (from 0) has min(k, p) parents, all placed before it."""
    parents, order = kdb(random_rows(200, (2, 3, 2, 4, 3, 2), 2), k, None, NO_CAP)
    for place, i in enumerate(order):
        assert len(parents[i]) == min(k, place)
        assert set(parents[i]) <= set(order[:place])


def test_theta_is_compared_on_the_grid() -> None:
    """A dependence equal to theta on the grid is not above it; the grid point below lets it in."""
    table = random_rows(300, (2, 3), 2)
    strength = float(information.pairs(table, NO_CAP)[0, 1])
    assert strength > 0

    def arcs(theta: float) -> int:
        return sum(map(len, kdb(table, 1, theta, NO_CAP)[0]))

    assert arcs(strength) == 0
    assert arcs(strength * (1 - 1e-12)) == 0  # the same grid point
    assert arcs(strength * (1 - 1e-8)) == 1


@given(coded_rows(min_rows=2, weightings=("none", "whole")), st.lists(st.integers(1, 29), max_size=4))
@settings(deadline=None, max_examples=40)
def test_structures_do_not_depend_on_blocks(table: CodedRows, cuts: list[int]) -> None:
    """Rows in several blocks give the same order and parents as rows in one."""
    parts = InBlocks(table, [cut for cut in cuts if cut < len(table.codes)])
    assert kdb(parts, 2, None, NO_CAP) == kdb(table, 2, None, NO_CAP)


def test_more_parents_than_attributes() -> None:
    """More than there are: k beyond the number of attributes gives each all that were placed before it."""
    parents, order = kdb(random_rows(100, (2, 2, 2), 2), 50, None, NO_CAP)
    assert [len(parents[i]) for i in order] == [0, 1, 2]


def test_no_pairs_are_counted_where_none_are_needed() -> None:
    """With k = 0 there are no parents, and the tables of pairs are not asked for."""

    class NoPairs(CodedRows):
        def fold(self, request):  # type: ignore[no-untyped-def]
            assert type(request).__name__ != "PairTile"
            return super().fold(request)

    drawn = random_rows(50, (2, 3, 2), 2)
    parents, _ = kdb(NoPairs(drawn.codes, drawn.classes, drawn.sizes, 2), 0, None, NO_CAP)
    assert parents == ((), (), ())


def test_tables_of_no_or_one_attribute() -> None:
    """Nothing to place, or one attribute, is no error."""
    assert kdb(random_rows(10, (), 2), 2, None, NO_CAP) == ((), ())
    assert kdb(random_rows(10, (3,), 2), 2, 0.03, NO_CAP) == (((),), (0,))


def test_parents_of_equal_strength_are_taken_in_the_order_of_placing() -> None:
    """By hand: of two copies of an attribute, the one that was placed first is the parent."""
    # X_0 is noise, X_1 and X_2 are the class but for one row, X_3 is X_1 with one more row changed.
    label = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32)
    x1 = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    x3 = np.array([0, 0, 1, 1, 1, 1, 1, 1])
    x0 = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    table = CodedRows(np.stack([x0, x1, x1, x3], axis=1), label, (2, 2, 2, 2), 2)
    parents, order = kdb(table, 1, None, NO_CAP)
    assert order == (1, 2, 3, 0)
    assert parents[2] == (1,)
    assert parents[3] == (1,)  # I(X_3; X_1 | Y) = I(X_3; X_2 | Y)
