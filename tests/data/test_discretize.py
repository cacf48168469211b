"""Value maps add up, by whatever blocks and in whatever order; quantile cuts are made from them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import checks
from savvybayes import _kernel
from savvybayes.data.discretize import MOST_KEYS, ValueMap, mdlp_cuts, quantile_cuts

finite = st.floats(allow_nan=True, allow_infinity=False, width=64)


def map_of(values: Any, classes: Any, n_classes: int = 3, weights: Any = None) -> ValueMap:
    """The kernel's map of a column."""
    (map_,) = _kernel.value_maps(
        [np.asarray(values, dtype=np.float64)],
        np.asarray(classes, dtype=np.int32),
        n_classes,
        None if weights is None else np.asarray(weights, dtype=np.float64),
    )
    return ValueMap(*map_)


def pattern(values: NDArray[np.float64]) -> list[int]:
    """The order-preserving 64-bit pattern of each double: section 9 of the specification, bit by bit."""
    return [bits ^ (2**64 - 1) if bits >> 63 else bits | 1 << 63 for bits in (values + 0.0).view(np.uint64).tolist()]


def drawn(kind: str, rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Columns of many distinct values, of shapes that need different numbers of bits dropped."""
    if kind == "normal":
        return rng.normal(size=rows)
    if kind == "whole":
        return rng.integers(-(2**40), 2**40, size=rows).astype(np.float64)
    if kind == "wild":
        return np.asarray(rng.normal(size=rows) * 10.0 ** rng.uniform(-300, 300, size=rows))
    if kind == "narrow":
        return np.asarray(np.nextafter(1.0, 2.0) + rng.integers(3 * MOST_KEYS, size=rows) * 2.0**-52)
    if kind == "skewed":  # most rows among few keys, the others far away
        return np.where(rng.random(rows) < 0.5, rng.integers(9, size=rows), rng.normal(size=rows) * 1e-300)
    assert kind == "holes"
    return np.where(rng.random(rows) < 0.2, np.nan, rng.random(rows))


KINDS = ["normal", "whole", "wild", "narrow", "skewed", "holes"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_parts_add_to_the_whole(kind: str, weighted: bool) -> None:
    """Python's sum of the kernel's maps of random parts is the kernel's map of the whole, bit for bit."""
    rows = 60_000
    for seed in range(2):
        rng = np.random.default_rng(seed)
        values, classes = drawn(kind, rows, rng), rng.integers(3, size=rows)
        weights = rng.integers(4, size=rows).astype(np.float64) if weighted else None
        whole = map_of(values, classes, weights=weights)
        assert whole.level > 0
        cuts = np.sort(rng.choice(rows, size=6, replace=False))
        parts = [
            map_of(values[part], classes[part], weights=None if weights is None else weights[part])
            for part in np.split(np.arange(rows), cuts)
        ]
        while len(parts) > 1:
            a, b = (parts.pop(int(rng.integers(len(parts)))) for _ in range(2))
            parts.append(a + b)
        checks.assert_same_bits(parts[0], whole)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(finite, st.integers(0, 2), st.integers(0, 3)), max_size=30), st.data())
def test_any_doubles_add(rows: list[tuple[float, int, int]], data: st.DataObject) -> None:
    """Any doubles at all, -0.0 and subnormal ones too, add up wherever the rows are cut, in either order."""
    values, classes, weights = (np.array([row[i] for row in rows]) for i in range(3))
    cut = data.draw(st.integers(0, len(rows)))
    whole = map_of(values, classes, weights=weights)
    left = map_of(values[:cut], classes[:cut], weights=weights[:cut])
    right = map_of(values[cut:], classes[cut:], weights=weights[cut:])
    checks.assert_same_bits(left + right, whole)
    checks.assert_same_bits(right + left, whole)


@pytest.mark.parametrize("kind", KINDS)
def test_the_level_is_the_least(kind: str) -> None:
    """At most 2^14 keys are kept, one bit less dropped would leave more, and a key has the values of its pattern."""
    rng = np.random.default_rng(7)
    values = drawn(kind, 50_000, rng)
    map_ = map_of(values, np.zeros(50_000), n_classes=1)
    present = np.unique(values[~np.isnan(values)])
    by_key: dict[int, list[float]] = {}
    for value, bits in zip(present.tolist(), pattern(present), strict=True):
        by_key.setdefault(bits >> map_.level, []).append(value)
    assert len(by_key) <= MOST_KEYS
    assert len({bits >> (map_.level - 1) for bits in pattern(present)}) > MOST_KEYS
    assert map_.least.tolist() == [min(own) for own in by_key.values()]
    assert map_.greatest.tolist() == [max(own) for own in by_key.values()]
    assert map_.counts.sum() + map_.missing.sum() == 50_000


def test_up_to_that_many_values_nothing_is_lost() -> None:
    """2^14 distinct values have a key each; with one more, keys are merged, in the kernel and in the sum."""
    values = np.random.default_rng(0).normal(size=MOST_KEYS + 1)
    all_but_one = map_of(values[:-1], np.zeros(MOST_KEYS))
    assert all_but_one.level == 0
    assert all_but_one.least.tolist() == all_but_one.greatest.tolist() == sorted(values[:-1].tolist())
    one_more = all_but_one + map_of(values[-1:], [0])
    assert one_more.level > 0
    assert len(one_more.least) <= MOST_KEYS
    checks.assert_same_bits(one_more, map_of(values, np.zeros(MOST_KEYS + 1)))


def test_zero_and_minus_zero() -> None:
    """-0.0 is 0.0, one key, whichever comes first."""
    for values in ([0.0, -0.0, 1.0], [-0.0, 0.0, 1.0]):
        map_ = map_of(values, [0, 1, 2])
        assert map_.least.tolist() == [0, 1]
        assert map_.counts.tolist() == [[1, 1, 0], [0, 0, 1]]
        assert not np.signbit(map_.least).any()
        assert not np.signbit(map_.greatest).any()


def test_maps_of_nothing() -> None:
    """Maps without rows, and of missing values alone, add like others."""
    nothing, holes = map_of([], []), map_of([np.nan, np.nan], [0, 2], weights=[1, 3])
    some = map_of([1.0, 2.0], [0, 1])
    checks.assert_same_bits(nothing + some, some)
    checks.assert_same_bits(nothing + nothing, nothing)
    total = holes + some + holes
    assert total.missing.tolist() == [2, 0, 6]
    assert total.counts.tolist() == some.counts.tolist()
    assert mdlp_cuts([nothing, holes])[0].tolist() == mdlp_cuts([holes])[0].tolist() == []


def test_spread() -> None:
    """A map among other classes has its counts at their places and zeros elsewhere."""
    map_ = map_of([1.0, 2.0, np.nan], [0, 1, 1], n_classes=2).spread(np.array([2, 0]), 4)
    assert map_.counts.tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]
    assert map_.missing.tolist() == [1, 0, 0, 0]


def test_cuts_do_not_depend_on_classes_without_rows() -> None:
    """Classes that no row of the map has change no cut."""
    rng = np.random.default_rng(0)
    classes = rng.integers(2, size=500)
    values = rng.normal(size=500) + 2 * classes
    plain = map_of(values, classes, n_classes=2)
    assert len(mdlp_cuts([plain])[0]) > 0
    checks.assert_same_bits(mdlp_cuts([plain.spread(np.array([4, 1]), 6)])[0], mdlp_cuts([plain])[0])


def test_quantile_cuts_by_hand() -> None:
    """Cuts part the weight evenly: ten values in four bins are cut after those that reach 2.5, 5 and 7.5."""
    assert quantile_cuts(map_of(np.arange(10), [0] * 10), 4).tolist() == [2.5, 4.5, 7.5]
    assert quantile_cuts(map_of([1, 2, 4], [0, 1, 2]), 3).tolist() == [1.5, 3]
    assert quantile_cuts(map_of([1, 2, 4], [0, 1, 2], weights=[1, 1, 6]), 2).tolist() == []  # 4 alone is the half
    assert quantile_cuts(map_of([1, 2, 4], [0, 1, 2], weights=[6, 1, 1]), 2).tolist() == [1.5]


def test_quantile_cuts_of_few_values() -> None:
    """There are never more bins than values: equal cuts are one, and one value has none."""
    assert quantile_cuts(map_of([5.0] * 9, [0] * 9), 4).tolist() == []
    assert quantile_cuts(map_of([np.nan] * 3, [0] * 3), 4).tolist() == []
    assert quantile_cuts(map_of([0.0] * 99 + [1.0], [0] * 100), 10).tolist() == [0.5]
    assert quantile_cuts(map_of([0.0, 1.0], [0, 1]), 1000).tolist() == [0.5]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 3)), min_size=1, max_size=40),
    st.integers(2, 12),
)
def test_quantile_bins_are_as_even_as_values_allow(rows: list[tuple[int, int]], n_bins: int) -> None:
    """Each cut lies right after the first value with which the weight reaches its share, and every bin has rows."""
    values, weights = np.array([row[0] for row in rows]) / 4, np.array([row[1] for row in rows])
    cuts = quantile_cuts(map_of(values, [0] * len(rows), weights=weights), n_bins)
    expected = set()
    distinct = sorted(set(values.tolist()))
    for j, (low, high) in itertools.product(range(1, n_bins), itertools.pairwise(distinct)):
        reached, before = weights[values <= low].sum(), weights[values < low].sum()
        if before * n_bins < weights.sum() * j <= reached * n_bins:
            expected.add((low + high) / 2)
    assert cuts.tolist() == sorted(expected)
    assert len(np.unique(np.searchsorted(cuts, values))) == len(cuts) + 1


def test_quantile_cuts_between_neighbours() -> None:
    """Between two neighbouring doubles, where no midpoint lies below the upper one, the cut is the lower."""
    low = 1.0
    high = np.nextafter(low, 2.0)
    assert quantile_cuts(map_of([low, high], [0, 1]), 2).tolist() == [low]
    greatest = np.finfo(np.float64).max
    assert quantile_cuts(map_of([greatest / 2, greatest], [0, 1]), 2).tolist() == [greatest * 0.75]
    tiny = np.nextafter(0.0, 1.0)
    (cut,) = quantile_cuts(map_of([0.0, tiny], [0, 1]), 2).tolist()
    assert 0.0 <= cut < tiny


def test_columns_are_mapped_alike_in_parallel() -> None:
    """Many columns at once, in any type and stride, have the maps that each has alone."""
    rng = np.random.default_rng(0)
    classes = rng.integers(3, size=3000).astype(np.int32)
    square = rng.normal(size=(3000, 6))
    columns: list[NDArray[Any]] = [*square.T, np.asfortranarray(square)[:, 2], square[:, 3].astype(np.float32)]
    columns += [rng.integers(-9, 9, size=3000).astype(dtype) for dtype in ("i1", "i2", "i4", "i8")]
    columns += [rng.integers(9, size=6000).astype(dtype)[::2] for dtype in ("u1", "u2", "u4", "u8", "?")]
    for column, map_ in zip(columns, _kernel.value_maps(columns, classes, 3), strict=True):
        checks.assert_same_bits(ValueMap(*map_), map_of(column, classes))
