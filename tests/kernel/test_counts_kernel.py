"""The counting kernels against the plain twin, at every edge of their tiles; and what they refuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import children
import oracles
from coded import CodedRows, coded_rows, random_rows
from savvybayes._kernel import Block, conditional_information, grid, mirror, pair_information
from savvybayes.threads import threads

bounded = settings(deadline=None, max_examples=60)
EVERY = -1


def by_bincount(table: CodedRows, scope: Sequence[int]) -> oracles.Doubles:
    """Count one scope of all classes the way NumPy does, flat; for tables too long for the plain twin."""
    cell = table.classes.astype(np.int64)
    cells = table.n_classes
    for i in scope:
        cell = cell * table.sizes[i] + table.codes[:, i]
        cells *= table.sizes[i]
    return np.bincount(cell, weights=table.weights, minlength=cells).astype(np.float64)


def pair_tables(table: CodedRows, rows: range, columns: range, classes: range) -> oracles.Doubles:
    """Place the twin's pair tables side by side, as a tile has them."""
    sizes, data = table.sizes, table.data()
    blocks = [
        [
            oracles.dense_counts(data, (i, j))[classes.start : classes.stop]
            if i < j
            else np.zeros((len(classes), sizes[i], sizes[j]))
            for j in columns
        ]
        for i in rows
    ]
    if not blocks or not blocks[0]:
        return np.zeros(0)
    return np.concatenate([np.concatenate(line, axis=2) for line in blocks], axis=1).ravel()


@given(coded_rows(sizes=(1, 2, 3, 255, 256, 300), attributes=(1, 4), max_rows=15), st.data())
@bounded
def test_scopes_one_after_the_other(table: CodedRows, data: st.DataObject) -> None:
    """The answer is the tables of the scopes in their order, attributes in any order and even repeated."""
    attribute = st.integers(0, len(table.sizes) - 1)
    scope = st.tuples(st.lists(attribute, max_size=3), st.integers(EVERY, table.n_classes - 1))
    scopes = [
        (own, label)
        for own, label in data.draw(st.lists(scope, max_size=6))
        if np.prod([table.sizes[i] for i in own], dtype=float) <= 2**17
    ]
    wanted = [
        (whole if label == EVERY else whole[label : label + 1]).ravel()
        for own, label in scopes
        for whole in [oracles.dense_counts(table.data(), own)]
    ]
    found = table.block().count_scopes(scopes)
    check = np.testing.assert_array_equal if table.is_exact else np.testing.assert_allclose
    check(found, np.concatenate([np.zeros(0), *wanted]))


@given(coded_rows(attributes=(1, 4), max_rows=10), st.data())
@bounded
def test_tiles_of_every_shape(table: CodedRows, data: st.DataObject) -> None:
    """Any rectangle of attributes, overlapping itself, below the diagonal or empty, in any run of classes."""
    n = len(table.sizes)

    def span(end: int) -> tuple[int, int]:
        first = data.draw(st.integers(0, end))
        return first, data.draw(st.integers(first, end))

    rows, columns, classes = span(n), span(n), span(table.n_classes)
    found = table.block().count_pairs(rows, columns, classes)
    wanted = pair_tables(table, range(*rows), range(*columns), range(*classes))
    check = np.testing.assert_array_equal if table.is_exact else np.testing.assert_allclose
    check(found, wanted)


@pytest.mark.parametrize("weighting", ["none", "whole"])
@pytest.mark.parametrize("rows", [4095, 4096, 4097, 8192, 20_001])
def test_rows_beyond_a_tile(rows: int, weighting: Any) -> None:
    """No row is lost or met twice where the kernel goes from one run of rows to the next."""
    # 2 * 3 and 40 * 26 = 1040 cells: small tables are counted in another way than larger ones.
    table = random_rows(rows, (2, 3, 40, 26, 300), 3, seed=rows, weighting=weighting)
    block = table.block()
    for scope in ((), (0,), (4,), (0, 1), (2, 3), (3, 2), (0, 4), (0, 1, 2), (0, 1, 2, 3)):
        np.testing.assert_array_equal(block.count_scopes([(scope, EVERY)]), by_bincount(table, scope))
    for i, j in ((0, 1), (2, 3), (1, 4)):
        found = block.count_pairs((i, i + 1), (j, j + 1), (0, 3))
        np.testing.assert_array_equal(found, by_bincount(table, (i, j)))


def test_a_scope_around_a_thousand_cells() -> None:
    """Tables of 1023, 1024 and 1025 cells, where the way of counting changes, hold the same counts."""
    for sizes in ((31, 33), (32, 32), (25, 41)):
        table = random_rows(9000, sizes, 2)
        np.testing.assert_array_equal(table.block().count_scopes([((0, 1), EVERY)]), by_bincount(table, (0, 1)))
        np.testing.assert_array_equal(table.block().count_pairs((0, 1), (1, 2), (0, 2)), by_bincount(table, (0, 1)))


def test_three_hundred_classes() -> None:
    """Each class is counted into its own table, and one class alone into one."""
    table = random_rows(5000, (2, 5), 300)
    block = table.block()
    wanted = by_bincount(table, (0, 1)).reshape(300, 10)
    np.testing.assert_array_equal(block.count_scopes([((0, 1), EVERY)]).reshape(300, 10), wanted)
    np.testing.assert_array_equal(
        block.count_scopes([((0, 1), label) for label in range(300)]).reshape(300, 10), wanted
    )
    np.testing.assert_array_equal(block.count_pairs((0, 1), (1, 2), (17, 300)).reshape(283, 10), wanted[17:])


def test_an_attribute_of_sixty_thousand_values() -> None:
    """The greatest sizes are counted like small ones."""
    table = random_rows(3000, (60_000, 65_535, 2), 2)
    block = table.block()
    for scope in ((0,), (1,), (0, 2), (2, 1)):
        np.testing.assert_array_equal(block.count_scopes([(scope, EVERY)]), by_bincount(table, scope))
    np.testing.assert_array_equal(block.count_pairs((0, 1), (2, 3), (0, 2)), by_bincount(table, (0, 2)))
    np.testing.assert_array_equal(block.count_pairs((1, 2), (2, 3), (0, 2)), by_bincount(table, (1, 2)))


def test_a_weight_is_counted_exactly_up_to_the_last_whole_number() -> None:
    """Whole weights sum exactly up to 2^53, in any order."""
    weights = np.array([1.0, 2.0**53 - 4, 1.0, 2.0])
    for order in ((0, 1, 2, 3), (3, 2, 0, 1), (1, 0, 2, 3)):
        block = Block(4, [2], [np.zeros(4, np.uint8)], np.zeros(4, np.int32), 1, weights[list(order)])
        assert block.count_scopes([((0,), EVERY)])[0] == 2.0**53


@pytest.mark.parametrize("weighting", ["none", "whole", "fractional"])
def test_counts_do_not_depend_on_threads(weighting: Any) -> None:
    """With 1, 2 and 5 threads every answer has the same bits, those of fractional weights included."""
    table = random_rows(30_000, (2, 3, 4, 300, 2, 7) * 3, 4, weighting=weighting)
    n = len(table.sizes)
    scopes = [((i, (i + 5) % n), label) for i in range(n) for label in (EVERY, 2)]
    answers = []
    for n_threads in (1, 2, 5):
        with threads(n_threads):
            block = table.block()
            pairs = block.count_pairs((0, n), (0, n), (1, 4))
            measured = pair_information(pairs, table.sizes, (0, n), (0, n), (1, 4))
            answers.append((block.count_scopes(scopes), pairs, measured))
    for other in answers[1:]:
        for found, wanted in zip(other, answers[0], strict=True):
            np.testing.assert_array_equal(found, wanted)


@given(coded_rows(attributes=(1, 5)), st.data())
@bounded
def test_pair_information_of_a_tile(table: CodedRows, data: st.DataObject) -> None:
    """The weight of each class times the twin's information within it, and 0 where i >= j."""
    n = len(table.sizes)
    rows = sorted((data.draw(st.integers(0, n)), data.draw(st.integers(0, n))))
    columns = sorted((data.draw(st.integers(0, n)), data.draw(st.integers(0, n))))
    tile = ((rows[0], rows[1]), (columns[0], columns[1]), (0, table.n_classes))
    found = pair_information(table.block().count_pairs(*tile), table.sizes, *tile)
    assert found.shape == (table.n_classes, rows[1] - rows[0], columns[1] - columns[0])
    own = table.data()
    for label, i, j in product(range(table.n_classes), range(*rows), range(*columns)):
        weight = sum(w for _, c, w in own if c == label)
        wanted = weight * oracles.information_within(own, i, j, label) if i < j else 0.0
        assert abs(found[label, i - rows[0], j - columns[0]] - wanted) <= 1e-12 * max(weight, 1.0)


@given(coded_rows(attributes=(1, 5), weightings=("none", "fractional")), st.data())
@bounded
def test_conditional_information_is_the_sum_over_classes(table: CodedRows, data: st.DataObject) -> None:
    """What the classes' own informations add up to."""
    n = len(table.sizes)
    classes = sorted((data.draw(st.integers(0, table.n_classes)), data.draw(st.integers(0, table.n_classes))))
    tile = ((0, n), (data.draw(st.integers(0, n)), n), (classes[0], classes[1]))
    counts = table.block().count_pairs(*tile)
    by_class = pair_information(counts, table.sizes, *tile)
    np.testing.assert_allclose(
        conditional_information(counts, table.sizes, *tile), by_class.sum(axis=0), rtol=0, atol=1e-11
    )


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 200])
@pytest.mark.parametrize("weight", [0.0, 7.0])
def test_a_mirrored_triangle(n: int, weight: float) -> None:
    """What is above the diagonal, over the weight, on the grid and at least 0, is on both sides of it."""
    upper = np.random.default_rng(n).normal(size=(n, n))
    found = upper.copy()
    mirror(found, weight)
    wanted = np.triu(np.maximum(grid(upper / (weight or 1.0)), 0.0), 1)
    np.testing.assert_array_equal(found, wanted + wanted.T)


def test_a_matrix_that_cannot_be_mirrored() -> None:
    """It must be square, of doubles, side by side, and writable: it is changed in place."""
    square = np.zeros((4, 4))
    fixed = np.zeros((4, 4))
    fixed.flags.writeable = False
    for matrix in (np.zeros((2, 3)), square[::2, ::2], square.astype(np.float32), np.zeros(4), fixed, [[0.0]], None):
        with pytest.raises((TypeError, ValueError)):
            mirror(matrix, 1.0)  # type: ignore[arg-type]


PRELUDE = """
import numpy as np
from savvybayes._kernel import Block, pair_information
u8 = lambda *codes: np.array(codes, np.uint8)
classes = np.array([0, 1, 0, 1], np.int32)
block = Block(4, [2, 3], [u8(0, 1, 0, 1), u8(0, 1, 2, 2)], classes, 2)
wide = Block(1, [65535] * 5, [np.zeros(1, np.uint16)] * 5, np.zeros(1, np.int32), 1)
unknown = Block(4, [2, 3], [u8(0, 1, 0, 1), u8(0, 3, 2, 2)], classes, 2)
blind = Block(4, [2], [u8(0, 1, 0, 1)])
counts = block.count_pairs((0, 1), (1, 2), (0, 2))
"""

GARBAGE = [
    # attributes and labels out of range
    "block.count_scopes([((2,), -1)])",
    "block.count_scopes([((0, 1, 2), -1)])",
    "block.count_scopes([((2**63,), -1)])",
    "block.count_scopes([((-1,), -1)])",
    "block.count_scopes([((2**64,), -1)])",
    "block.count_scopes([((0,), 2)])",
    "block.count_scopes([((0,), -2)])",
    "block.count_scopes([((0,), 2**31 - 1)])",
    "block.count_scopes([((0,), -2**31)])",
    "block.count_scopes([((0,), 2**32)])",
    "block.count_scopes([((0,), 2**32 - 1)])",
    "block.count_scopes([((0,), -1), ((0,), 5)])",
    # scopes of the wrong form
    "block.count_scopes(None)",
    "block.count_scopes(3)",
    "block.count_scopes([3])",
    "block.count_scopes([(0,)])",
    "block.count_scopes([((0,), -1, 0)])",
    "block.count_scopes([((0.0,), -1)])",
    "block.count_scopes([((0,), 0.0)])",
    "block.count_scopes([((0,), None)])",
    "block.count_scopes([(None, -1)])",
    "block.count_scopes('01')",
    "block.count_scopes()",
    # tables of more cells than are counted, or than a number holds
    "block.count_scopes([((0,) * 32, -1)])",
    "block.count_scopes([((0,) * 31, -1)])",
    "block.count_scopes([((0,) * 64, -1)])",
    "block.count_scopes([((1,) * 41, -1)])",
    "block.count_scopes([((0,) * 1000, 0)])",
    "wide.count_scopes([((0, 1, 2), -1)])",
    "wide.count_scopes([((0, 1, 2, 3), -1)])",
    "wide.count_scopes([((0, 1, 2, 3, 4), -1)])",
    "wide.count_pairs((0, 5), (0, 5), (0, 1))",
    # unknown values and classes
    "unknown.count_scopes([((1,), -1)])",
    "unknown.count_scopes([((0, 1), 0)])",
    "unknown.count_pairs((0, 1), (1, 2), (0, 2))",
    "unknown.count_pairs((1, 2), (0, 1), (0, 2))",
    "blind.count_scopes([((0,), -1)])",
    "blind.count_scopes([((), -1)])",
    "blind.count_scopes([((), 0)])",
    "blind.count_pairs((0, 1), (0, 1), (0, 1))",
    # tiles out of range, or of the wrong form
    "block.count_pairs((0, 3), (0, 2), (0, 2))",
    "block.count_pairs((0, 2), (0, 3), (0, 2))",
    "block.count_pairs((0, 2), (0, 2), (0, 3))",
    "block.count_pairs((1, 0), (0, 2), (0, 2))",
    "block.count_pairs((0, 2), (2, 1), (0, 2))",
    "block.count_pairs((0, 2), (0, 2), (1, 0))",
    "block.count_pairs((3, 3), (0, 2), (0, 2))",
    "block.count_pairs((0, 2**63), (0, 2), (0, 2))",
    "block.count_pairs((0, 2), (0, 2), (0, 2**64 - 1))",
    "block.count_pairs((2**64 - 1, 1), (0, 2), (0, 2))",
    "block.count_pairs((-1, 2), (0, 2), (0, 2))",
    "block.count_pairs((0, 2**64), (0, 2), (0, 2))",
    "block.count_pairs((0.0, 2), (0, 2), (0, 2))",
    "block.count_pairs((0, 1, 2), (0, 2), (0, 2))",
    "block.count_pairs(0, 2, 2)",
    "block.count_pairs(None, None, None)",
    # counts that are not those of the tile
    "pair_information(counts[:-1], [2, 3], (0, 1), (1, 2), (0, 2))",
    "pair_information(counts, [2, 4], (0, 1), (1, 2), (0, 2))",
    "pair_information(counts, [2, 3], (0, 1), (1, 2), (0, 1))",
    "pair_information(counts, [2], (0, 1), (1, 2), (0, 2))",
    "pair_information(counts, [2, 3], (0, 1), (1, 3), (0, 2))",
    "pair_information(counts, [2, 3], (1, 0), (1, 2), (0, 2))",
    "pair_information(counts, [2, 3], (0, 1), (2, 1), (0, 2))",
    "pair_information(counts, [2, 3], (0, 1), (1, 2), (2, 0))",
    "pair_information(counts, [2, -3], (0, 1), (1, 2), (0, 2))",
    "pair_information(counts.reshape(2, 6), [2, 3], (0, 1), (1, 2), (0, 2))",
    "pair_information(counts.astype(complex), [2, 3], (0, 1), (1, 2), (0, 2))",
    "pair_information(list(counts), [2, 3], (0, 1), (1, 2), (0, 2))",
    "pair_information(None, [2, 3], (0, 1), (1, 2), (0, 2))",
    # products and sums that would wrap around to what was given
    "pair_information(np.zeros(0), [1] * 4, (0, 2), (2, 4), (0, 2**62))",
    "pair_information(np.zeros(0), [1, 1], (0, 1), (1, 2), (0, 2**63))",
    "pair_information(np.zeros(0), [2**63, 2**63, 1], (0, 2), (2, 3), (0, 1))",
    "pair_information(np.zeros(0), [2**32, 2**32], (0, 1), (1, 2), (0, 1))",
    "pair_information(np.zeros(0), [2**63, 2], (0, 1), (1, 2), (0, 1))",
    "pair_information(np.zeros(2), [2**63 + 1, 2], (0, 1), (1, 2), (0, 1))",
    "pair_information(np.zeros(0), [2, 2], (0, 2**40), (0, 2**40), (0, 1))",
    "pair_information(np.zeros(0), [2, 2], (0, 2**32), (0, 2**32), (0, 1))",
]

# Honest questions whose answers no memory holds.
TOO_LARGE = ["wide.count_scopes([((0, 1), -1)])", "block.count_scopes([((0,) * 30, -1)] * 2)"]


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, str]:
    """Make every call of garbage, each in a process of its own."""
    return children.outcomes(PRELUDE, [*GARBAGE, *TOO_LARGE])


@pytest.mark.parametrize("call", GARBAGE)
def test_garbage_is_an_error(call: str, outcomes: Mapping[str, str]) -> None:
    """What cannot be counted is a ValueError or a TypeError: no crash, no count of something else."""
    assert outcomes[call] in ("ValueError", "TypeError")


@pytest.mark.parametrize("call", TOO_LARGE)
def test_too_large_an_answer_is_an_error(call: str, outcomes: Mapping[str, str]) -> None:
    """A table that the machine cannot hold is a MemoryError, and not the end of the process."""
    assert outcomes[call] == "MemoryError"
