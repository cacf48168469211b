"""Counts of scopes, tiles of pairs and tallies, against the plain twin and against each other."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from coded import CodedRows, InBlocks, coded_rows, random_rows
from savvybayes.counts import (
    EVERY_CLASS,
    Counts,
    CountScopes,
    PairTile,
    Scope,
    Span,
    Tally,
    TallyAll,
    count,
    count_classes,
    count_in_portions,
    tiles,
)

bounded = settings(deadline=None, max_examples=60)


def scopes_of(table: CodedRows, up_to: int = 3) -> list[Scope]:
    """Return all scopes of so many attributes, in every order of their axes, of every class and of each one."""
    attributes = range(len(table.sizes))
    chosen = [scope for size in range(up_to + 1) for scope in permutations(attributes, size)]
    return [Scope(scope, label) for scope in chosen for label in range(EVERY_CLASS, table.n_classes)]


def expected(table: CodedRows, scope: Scope) -> oracles.Doubles:
    """Return the twin's table, with one class on its first axis where the scope has a label."""
    counts = oracles.dense_counts(table.data(), scope.attributes)
    return counts if scope.label == EVERY_CLASS else counts[scope.label : scope.label + 1]


def assert_counts(table: CodedRows, found: oracles.Doubles, wanted: oracles.Doubles) -> None:
    """Whole weights are counted exactly, others to 1e-9."""
    assert found.shape == wanted.shape
    if table.is_exact:
        np.testing.assert_array_equal(found, wanted)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=0)


@given(coded_rows(attributes=(1, 4)))
@bounded
def test_every_scope_is_counted_as_the_twin_counts_it(table: CodedRows) -> None:
    """Scopes of any attributes in any order, of all classes or of one, have the twin's tables."""
    scopes = scopes_of(table)
    counts = count(table, scopes)
    assert [scope for scope, _ in counts] == scopes
    for scope, found in counts:
        assert_counts(table, found, expected(table, scope))
        assert found.size == scope.cells(table.sizes, table.n_classes)


@given(coded_rows(sizes=(1, 2, 254, 255, 256, 257, 300), attributes=(1, 3), max_rows=12))
@bounded
def test_scopes_of_attributes_of_many_values(table: CodedRows) -> None:
    """Codes of one and of two bytes are counted alike, also in one scope."""
    scopes = [scope for scope in scopes_of(table, 2) if scope.cells(table.sizes, 1) <= 2**17]
    for scope, found in count(table, scopes):
        assert_counts(table, found, expected(table, scope))


@given(coded_rows(min_rows=1), st.lists(st.integers(1, 30), max_size=4))
@bounded
def test_counts_of_blocks_add_up(table: CodedRows, cuts: list[int]) -> None:
    """Counts of the parts of a table add up to its own, and one part taken away leaves the other."""
    scopes = scopes_of(table, 2)
    inner = [cut for cut in cuts if cut < len(table.codes)]
    whole = count(table, scopes)
    np.testing.assert_allclose(count(InBlocks(table, inner), scopes).values, whole.values, rtol=1e-12)
    first, rest = table.take(slice(0, len(table.codes) // 2)), table.take(slice(len(table.codes) // 2, None))
    left = whole - count(rest, scopes)
    np.testing.assert_allclose(left.values, count(first, scopes).values, rtol=1e-9, atol=1e-12)
    if table.is_exact:
        np.testing.assert_array_equal((left + count(rest, scopes)).values, whole.values)
        np.testing.assert_array_equal(left.values, count(first, scopes).values)


def test_counts_of_other_scopes_do_not_add_up() -> None:
    """Counts add only to counts of the same scopes over the same sizes and classes."""
    table, other = random_rows(10, (2, 3), 2), random_rows(10, (2, 2), 2)
    counts = count(table, [Scope((0,))])
    for stranger in (count(table, [Scope((1,))]), count(table, [Scope((0,), 1)]), count(other, [Scope((0,))])):
        with pytest.raises(ValueError, match="same scopes"):
            counts + stranger
        with pytest.raises(ValueError, match="same scopes"):
            counts - stranger


@given(coded_rows(), st.integers(1, 60))
@bounded
def test_counting_in_batches_changes_nothing(table: CodedRows, most: int) -> None:
    """Every scope comes in its order, with the table that one fold would count, in small folds."""
    scopes = scopes_of(table, 2)
    asked: list[int] = []

    class Watched(InBlocks):
        def fold(self, request):  # type: ignore[no-untyped-def]
            assert isinstance(request, CountScopes)
            asked.append(sum(scope.cells(self.sizes, self.n_classes) for scope in request.scopes))
            assert asked[-1] <= most or len(request.scopes) == 1
            return super().fold(request)

    portions = count_in_portions(Watched(table, []), scopes, most)
    found = [table for counts in portions for table in counts]
    assert [scope for scope, _ in found] == scopes
    together = count(table, scopes).tables()
    for scope, counts in found:
        np.testing.assert_array_equal(counts, together[scope])
    assert sum(asked) == sum(scope.cells(table.sizes, table.n_classes) for scope in scopes)


@given(coded_rows())
@bounded
def test_classes_are_counted(table: CodedRows) -> None:
    """The weight of each class, those without rows included."""
    assert_counts(table, count_classes(table), expected(table, Scope(())))


def test_cells_of_a_scope_by_hand() -> None:
    """A scope has the product of its sizes times the classes, or times one where it has a label."""
    sizes = (2, 3, 5)
    assert Scope((0, 2)).cells(sizes, 4) == 40  # = 2 * 5 * 4
    assert Scope((0, 2), 1).cells(sizes, 4) == 10  # = 2 * 5
    assert Scope(()).cells(sizes, 4) == 4
    assert Scope((0, 2)).fits(sizes, 4, 40)
    assert not Scope((0, 2)).fits(sizes, 4, 39)
    assert Scope((0, 2), 1).fits(sizes, 4, 10)
    assert not Scope((0, 2), 1).fits(sizes, 4, 9)
    # Python's numbers have no end: (60,000 values)^5 do not wrap around.
    assert Scope((0, 1, 2, 3, 4)).cells((60_000,) * 5, 300) == 60_000**5 * 300
    assert not Scope((0, 1, 2, 3, 4)).fits((60_000,) * 5, 300, 2**63)


@given(st.lists(st.integers(2, 9), max_size=12), st.integers(1, 5), st.integers(1, 10**6))
@bounded
def test_a_table_that_fits_is_small(sizes: list[int], n_classes: int, max_cells: int) -> None:
    """What fits has at most `max_cells` cells, and with the entries of unknown values at most four times as many."""
    scope = Scope(tuple(range(len(sizes))))
    if scope.fits(sizes, n_classes, max_cells):
        assert scope.cells(sizes, n_classes) <= max_cells
        assert scope.cells([size + 1 for size in sizes], n_classes) <= 4 * max_cells
    elif len(sizes) <= 3:  # (3 / 2)^3 < 4: here the seen cells alone decide
        assert scope.cells(sizes, n_classes) > max_cells


@given(
    st.lists(st.sampled_from((2, 2, 3, 7, 40, 300)), max_size=9),
    st.integers(0, 2),
    st.integers(1, 4),
    st.sampled_from((1, 4, 6, 80, 100, 2000, 10**9)),  # 4, 6 and 80 are products of two sizes
    st.sampled_from((1, 5, 64, 2000, 10**9)),
)
@settings(deadline=None, max_examples=150)
def test_tiles_cover_each_pair_once(sizes: list[int], first: int, n: int, most_cells: int, most: int) -> None:
    """Every pair small enough is in one tile for each class, none that is too large, and no tile passes its bound."""
    classes = Span(first, first + n)
    met: Counter[tuple[int, int, int]] = Counter()
    for rows, columns, labels in tiles(sizes, classes, most_cells, most):
        pairs = [(i, j) for i in range(*rows) for j in range(*columns) if i < j]
        met.update((i, j, label) for i, j in pairs for label in range(*labels))
        entries = sum(sizes[slice(*rows)]) * sum(sizes[slice(*columns)]) * (labels.end - labels.begin)
        alone = rows.end - rows.begin == columns.end - columns.begin == labels.end - labels.begin == 1
        assert entries <= most or alone
        assert pairs
        if alone:
            assert entries <= most_cells
    wanted = {
        (i, j, label)
        for i, j in combinations(range(len(sizes)), 2)
        for label in range(*classes)
        if sizes[i] * sizes[j] <= most_cells
    }
    assert wanted <= set(met)
    assert set(met.values()) <= {1}


@given(coded_rows(max_rows=12), st.sampled_from((4, 20, 10**6)))
@bounded
def test_a_tile_is_cut_from_the_tables_of_its_pairs(table: CodedRows, most: int) -> None:
    """In a tile's answer the submatrix of a pair is its table, by class; where i >= j it is empty."""
    for tile in tiles(table.sizes, Span(0, table.n_classes), 10**9, most):
        assert_tile(table, tile)


def assert_tile(table: CodedRows, tile: PairTile) -> None:
    """Compare a tile's answer, matrix by matrix, with the twin's pair tables."""
    rows, columns, classes = tile
    sizes = table.sizes
    matrices = table.fold(tile).reshape(
        classes.end - classes.begin, sum(sizes[slice(*rows)]), sum(sizes[slice(*columns)])
    )
    top = 0
    for i in range(*rows):
        left = 0
        for j in range(*columns):
            found = matrices[:, top : top + sizes[i], left : left + sizes[j]]
            if i < j:
                assert_counts(table, found, oracles.dense_counts(table.data(), (i, j))[slice(*classes)])
            else:
                assert not found.any()
            left += sizes[j]
        top += sizes[i]


@given(coded_rows(), st.booleans())
@bounded
def test_a_tally_answers_like_the_block_it_was_made_of(table: CodedRows, pairs: bool) -> None:
    """All scopes of up to two attributes, and all tiles, come out of a tally as they come out of the block."""
    tally, block = table.fold(TallyAll(pairs)), table.block()
    scopes = scopes_of(table, 2 if pairs else 1)
    np.testing.assert_array_equal(tally.count_scopes(scopes), block.count_scopes(scopes))
    n, n_classes = len(table.sizes), table.n_classes
    if pairs:
        for rows in _spans(n):
            for columns in _spans(n):
                classes = (n_classes // 2, n_classes)
                np.testing.assert_array_equal(
                    tally.count_pairs(rows, columns, classes), block.count_pairs(rows, columns, classes)
                )
    held = sum(counts.size for counts in (*tally.singles, *(tally.strips or ())))
    assert held == Tally.entries(table.sizes, n_classes, pairs)


def _spans(n: int) -> list[tuple[int, int]]:
    return [(begin, end) for begin in range(n + 1) for end in range(begin, n + 1)]


@given(coded_rows(min_rows=2, weightings=("none", "whole")), st.data())
@bounded
def test_tallies_add_up_in_other_codes(table: CodedRows, data: st.DataObject) -> None:
    """A tally in the codes of a larger schema, plus one of further rows, is the tally of all rows."""
    shown, wider = [], []
    for size in table.sizes:
        grown = size + data.draw(st.integers(0, 2))
        wider.append(grown)
        shown.append(data.draw(st.permutations(range(grown)))[:size])
    codes = np.stack([np.array(own)[table.codes[:, i]] for i, own in enumerate(shown)], axis=1)
    renamed = CodedRows(codes, table.classes, tuple(wider), table.n_classes, table.weights)
    half = len(codes) // 2
    early = table.take(slice(0, half)).fold(TallyAll(True)).recoded(wider, shown)
    late = renamed.take(slice(half, None)).fold(TallyAll(True))
    both, scopes = early + late, scopes_of(renamed, 2)
    np.testing.assert_array_equal(both.count_scopes(scopes), count(renamed, scopes).values)


@given(coded_rows(), st.data())
@bounded
def test_a_tally_of_some_attributes(table: CodedRows, data: st.DataObject) -> None:
    """The tally of some attributes is that of the table which has these alone."""
    kept = sorted(data.draw(st.sets(st.integers(0, len(table.sizes) - 1), min_size=1)))
    part = CodedRows(
        table.codes[:, kept], table.classes, tuple(table.sizes[i] for i in kept), table.n_classes, table.weights
    )
    tally = table.fold(TallyAll(True)).of(kept)
    scopes = scopes_of(part, 2)
    np.testing.assert_array_equal(tally.count_scopes(scopes), count(part, scopes).values)
    everything = Span(0, len(kept))
    np.testing.assert_array_equal(
        PairTile(everything, everything, Span(0, part.n_classes))(tally),
        part.fold(PairTile(everything, everything, Span(0, part.n_classes))),
    )


def test_a_tally_without_pairs_says_so() -> None:
    """Asking a tally for pairs that it did not keep is an error, not a table of zeros."""
    tally = random_rows(10, (2, 3), 2).fold(TallyAll(False))
    with pytest.raises(ValueError, match="no counts of pairs"):
        tally.count_scopes([Scope((0, 1))])
    with pytest.raises(ValueError, match="no counts of pairs"):
        tally.count_pairs((0, 1), (1, 2), (0, 2))


def test_counts_hold_the_weights_they_were_given() -> None:
    """A weight of w counts as w rows; a case by hand."""
    # rows (x, y, weight): (0, 0, 2) (1, 0, 3) (1, 1, 5) (1, 1, 0.5)
    table = CodedRows(
        np.array([[0], [1], [1], [1]]), np.array([0, 0, 1, 1], np.int32), (2,), 2, np.array([2.0, 3.0, 5.0, 0.5])
    )
    counts: Counts = count(table, [Scope(()), Scope((0,)), Scope((0,), 1)])
    assert counts.values.tolist() == [5.0, 5.5, 2.0, 3.0, 0.0, 5.5, 0.0, 5.5]
