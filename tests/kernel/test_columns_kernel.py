"""The kernels of columns: value maps and cuts against the plain twins; and what all of them refuse."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import children
import oracles
from savvybayes._kernel import Block, Coder, code_columns, distinct, mdlp_cuts, value_maps
from savvybayes.data.discretize import ValueMap, quantile_cuts
from savvybayes.threads import threads

bounded = settings(deadline=None, max_examples=150)

Rows = Sequence[tuple[float, int, float]]
few_numbers = st.sampled_from((0.0, -0.0, 1.0, 1.5, 2.0, 3.0, 7.0, math.nan, -1e300, 5e-324, 1e-323))
any_numbers = st.floats(allow_infinity=False)
weights = st.sampled_from((0.0, 1.0, 1.0, 2.0, 0.5))
tables = st.one_of(
    st.lists(st.tuples(few_numbers, st.integers(0, 2), weights), max_size=60),
    st.lists(st.tuples(any_numbers, st.integers(0, 2), weights), max_size=60),
)


def map_of(rows: Rows) -> tuple[Any, ...]:
    """Return the kernel's map of one column of three classes."""
    values = np.array([v for v, _, _ in rows], np.float64)
    classes = np.array([c for _, c, _ in rows], np.int32)
    return value_maps([values], classes, 3, np.array([w for _, _, w in rows], np.float64))[0]


def twin_of(rows: Rows) -> oracles.ValueMap:
    """Return the twin's."""
    return oracles.value_map([v for v, _, _ in rows], [c for _, c, _ in rows], 3, [w for _, _, w in rows])


def assert_same_map(found: tuple[Any, ...], wanted: oracles.ValueMap) -> None:
    """Level, keys, counts and missing are those of the twin, and no zero is negative."""
    level, least, greatest, counts, missing = found
    assert level == wanted.level
    assert least.tolist() == [key.least for key in wanted.keys]
    assert greatest.tolist() == [key.greatest for key in wanted.keys]
    assert counts.tolist() == [list(key.weights) for key in wanted.keys]
    assert missing.tolist() == list(wanted.missing)
    assert not np.signbit(least[least == 0]).any()


@given(tables)
@bounded
def test_the_map_of_few_values(rows: Rows) -> None:
    """A map has a key for each value with weight, its weight by class, and what is missing apart."""
    assert_same_map(map_of(rows), twin_of(rows))


@pytest.mark.parametrize("spread", [1.0, 1e-12, 1e200])
def test_the_map_of_many_values(spread: float) -> None:
    """Beyond 2^14 values keys lose the fewest low bits that bring them down to 2^14."""
    rng = np.random.default_rng(0)
    n = 40_000
    values = 1.0 + spread * rng.normal(size=n)
    values[::97] = np.nan
    rows = list(zip(values.tolist(), rng.integers(3, size=n).tolist(), [1.0, 2.0] * (n // 2), strict=True))
    found, wanted = map_of(rows), twin_of(rows)
    assert wanted.level > 0 or len(np.unique(values[~np.isnan(values)])) <= 2**14
    assert_same_map(found, wanted)
    cuts = mdlp_cuts([(found[1], found[2], found[3])])[0]
    assert cuts.tolist() == oracles.mdlp_cuts(wanted)


@given(tables, st.integers(2, 7))
@bounded
def test_cuts_are_the_twin_s(rows: Rows, n_bins: int) -> None:
    """The cuts of Fayyad and Irani, and those of quantiles, are the twin's to the bit."""
    found, wanted = map_of(rows), twin_of(rows)
    _, least, greatest, counts, _ = found
    assert mdlp_cuts([(least, greatest, counts)])[0].tolist() == oracles.mdlp_cuts(wanted)
    assert quantile_cuts(ValueMap(*found), n_bins).tolist() == oracles.quantile_cuts(wanted, n_bins)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 40), st.integers(0, 2)), min_size=1, max_size=25))
@settings(deadline=None, max_examples=300)
def test_cuts_of_columns_that_tell_something(runs: list[tuple[int, int, int]]) -> None:
    """Runs of values of one class are cut where the twin cuts them, several deep."""
    rows = [(float(value), label, float(times)) for value, times, label in runs]
    found, wanted = map_of(rows), twin_of(rows)
    assert mdlp_cuts([(found[1], found[2], found[3])])[0].tolist() == oracles.mdlp_cuts(wanted)


@given(
    st.lists(st.tuples(*[st.integers(0, 60)] * 3).filter(any), min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from((1.0, 2.0, 5.0, 0.7)),
)
@settings(deadline=None, max_examples=300)
def test_the_lowest_of_tied_cuts(half: list[tuple[int, ...]], middle: bool, scale: float) -> None:
    """Where a column is its own mirror image, and the best cuts are tied in pairs, the lower one is taken."""
    counts = np.array(half[::-1] + half[middle:], dtype=np.float64) * scale
    keys = np.arange(float(len(counts)))
    wanted = oracles.ValueMap(0, tuple(oracles.Key(k, k, tuple(c)) for k, c in enumerate(counts.tolist())), (0.0,) * 3)
    assert mdlp_cuts([(keys, keys, counts)])[0].tolist() == oracles.mdlp_cuts(wanted)


@pytest.mark.parametrize(
    ("half", "cuts"),
    [
        ([[35, 5], [42, 23], [27, 51]], [0.5, 3.5]),
        ([[59, 4], [53, 22], [7, 36]], [0.5, 1.5, 3.5]),
        ([[5, 37], [15, 21], [58, 7]], [0.5, 1.5, 3.5]),
        ([[35, 55, 4], [14, 18, 12], [1, 29, 58]], [0.5, 1.5, 3.5]),
    ],
)
def test_tied_cuts_are_compared_on_the_grid(half: list[list[int]], cuts: list[float]) -> None:
    """Mirror images whose tied entropies differ in the last bit, the wrong way: the lower cut is taken all the same."""
    # Found by search: without the grid the cuts would be the mirror images of these.
    counts = np.array(half + half[::-1], dtype=np.float64)
    keys = np.arange(6.0)
    assert mdlp_cuts([(keys, keys, counts)])[0].tolist() == cuts


def test_a_cut_between_neighbouring_doubles() -> None:
    """Where the midpoint is the upper value itself, the lower one is the cut."""
    low = 1 + 2.0**-52  # its neighbour above ends in an even bit, to which the midpoint is rounded
    high = np.nextafter(low, 2)
    assert low / 2 + high / 2 == high
    counts = np.array([[50.0, 0.0], [0.0, 50.0]])
    ends = np.array([low, high])
    assert mdlp_cuts([(ends, ends, counts)])[0].tolist() == [low]
    level = ValueMap(0, ends, ends, counts, np.zeros(2))
    assert quantile_cuts(level, 2).tolist() == [low]


def test_mdlp_by_hand() -> None:
    """Four rows of a class below four of another are worth a cut; two below two are not."""
    # N = 8, k = 2, E = 1 bit, E1 = E2 = 0 with k1 = k2 = 1. The gain of the middle cut is 1.
    # Threshold: (log2 7 + log2(3^2 - 2) - (2 * 1 - 0 - 0)) / 8 = (2.807 + 2.807 - 2) / 8 = 0.452: cut at (4 + 5) / 2.
    eight = [(float(v), int(v > 4), 1.0) for v in range(1, 9)]
    # N = 4: (log2 3 + log2 7 - 2) / 4 = (1.585 + 2.807 - 2) / 4 = 0.598 < 1: a cut as well.
    four = [(1.0, 0, 1.0), (2.0, 0, 1.0), (3.0, 1, 1.0), (4.0, 1, 1.0)]
    # N = 3, classes 0 0 1: E = 0.918, threshold (log2 2 + log2 7 - 2 * 0.918) / 3 = (1 + 2.807 - 1.837) / 3 = 0.657.
    three = four[:3]
    # N = 2, classes 0 1: E = 1, threshold (0 + 2.807 - 2) / 2 = 0.404: a cut.
    two = [(1.0, 0, 1.0), (3.0, 1, 1.0)]
    # N = 5, classes 0 1 0 1 0: E = 0.971; best is one end apart: 4/5 * 1 = 0.8, gain 0.171, too little.
    mixed = [(float(v), v % 2, 1.0) for v in range(5)]
    for rows, cuts in (
        (eight, [4.5]),
        (four, [2.5]),
        (three, [2.5]),
        (two, [2.0]),
        (mixed, []),
        (two[:1], []),
        ([], []),
    ):
        found = map_of(rows)
        assert mdlp_cuts([(found[1], found[2], found[3])])[0].tolist() == cuts
        assert oracles.mdlp_cuts(twin_of(rows)) == cuts


TYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "?")


def as_type(values: Sequence[int], dtype: str) -> Any:
    """The values that the type holds, as an array of it."""
    held = [v for v in values if dtype in ("f4", "f8") or np.array(v).astype(dtype).astype(object) == v]
    return np.array(held).astype(dtype)


@given(
    st.lists(st.integers(-300, 600), min_size=1, max_size=20, unique=True),
    st.booleans(),
    st.integers(1, 3),
    st.sampled_from(TYPES),
    st.integers(0, 10**6),
)
@bounded
def test_codes_of_known_values(known: list[int], run: bool, step: int, dtype: str, seed: int) -> None:
    """Each known value gets its code and others that of unknown, whatever their type and their place in memory."""
    values = list(range(min(known), min(known) + len(known))) if run else sorted(known)
    n = len(values)
    rng = np.random.default_rng(seed)
    codes = list(range(n)) if run else rng.permutation(n).tolist()
    coder = Coder(False, np.array(values, np.float64), np.array([*codes, n + 1, n], np.uint8))
    asked = as_type([*rng.integers(-310, 900, 300).tolist(), *values, 255, 256, -1, 0], dtype)
    room = np.zeros(len(asked) * step, asked.dtype)
    room[::step] = asked
    wanted = [dict(zip(values, codes, strict=True)).get(value, n) for value in asked.tolist()]
    assert code_columns([room[::step]], [coder])[0].tolist() == wanted
    if asked.dtype.kind == "f":
        assert code_columns([np.array([0.5, np.nan], dtype)], [coder])[0].tolist() == [n, n + 1]


def test_bytes_below_a_run_of_values_that_ends_beyond_bytes() -> None:
    """Where values go on beyond 255, no byte is taken for one of them."""
    values = np.arange(200.0, 301.0)
    coder = Coder(False, values, np.array([*range(101), 101, 101], np.uint8))
    found = code_columns([np.arange(256, dtype=np.uint8)], [coder])[0]
    assert found.tolist() == [101] * 200 + list(range(56))


def test_integers_beyond_2_63_are_no_negative_ones() -> None:
    """What wraps around to a known value is unknown all the same."""
    coder = Coder(False, np.array([-10.0, -5.0, -1.0, 0.0]), np.array([0, 1, 2, 3, 4, 4], np.uint8))
    asked = np.array([2**64 - 5, 2**64 - 10, 2**64 - 1, 2**63, 0, 1], np.uint64)
    assert code_columns([asked], [coder])[0].tolist() == [4, 4, 4, 4, 3, 4]


class MadeWhenAsked(Sequence[Any]):
    """Coders, alone or each with a column, that nobody else keeps."""

    def __init__(self, column: Any = None) -> None:
        self.column = column

    def __len__(self) -> int:
        return 50

    def __getitem__(self, i: Any) -> Any:
        if i >= len(self):
            raise IndexError(i)
        coder = Coder(False, np.arange(3.0), np.array([2, 1, 0, 3, 3], np.uint8))
        return coder if self.column is None else (self.column, coder)


def test_coders_live_as_long_as_they_are_needed() -> None:
    """A sequence may let go of its coders as soon as it has handed them over."""
    column = np.tile(np.arange(3, dtype=np.int16), 2000)
    for codes in code_columns([column] * 50, MadeWhenAsked()):
        np.testing.assert_array_equal(codes, 2 - column)
    block = Block(len(column), [3] * 50, MadeWhenAsked(column), column.astype(np.int32), 3)
    counts = block.count_scopes([((i,), -1) for i in range(50)]).reshape(50, 3, 3)
    np.testing.assert_array_equal(counts, np.tile(2000 * np.eye(3)[::-1], (50, 1, 1)))


@pytest.mark.parametrize("rows", [0, 1, 4096, 20_000])
@pytest.mark.parametrize("values", [(0, 1, 2), (0, 2), (7,), (0, 255), tuple(range(256))])
def test_distinct_values_of_bytes(values: tuple[int, ...], rows: int) -> None:
    """All that occur and no other, also where a value occurs late or not at all, side by side or apart."""
    column = np.full(rows, values[0], np.uint8)
    column[-len(values) :] = values[-rows:] if rows else ()
    wanted = sorted(set(column.tolist()))
    for array in (column, np.repeat(column, 2)[::2], column[::-1], column.astype(np.int64), column.astype(np.float32)):
        [(found, missing, exact)] = distinct([array])
        assert (found.tolist(), missing, exact) == (wanted, False, True)


def test_long_columns_are_gathered_in_parts() -> None:
    """A column so long that it is cut in parts has the map of its rows all the same; so has one of few values."""
    rng = np.random.default_rng(0)
    n = 600_000
    classes = rng.integers(2, size=n, dtype=np.int32)
    few = rng.integers(5, size=n).astype(np.float64)
    many = rng.normal(size=n)
    many[: n // 2] *= 1e-3  # the parts are of different levels
    many[::1000] = np.nan
    (level, least, greatest, counts, missing), (_, values, same, table, _) = value_maps([many, few], classes, 2)
    assert values.tolist() == same.tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(table, [[((few == v) & (classes == c)).sum() for c in (0, 1)] for v in range(5)])
    there = ~np.isnan(many)
    assert missing.tolist() == np.bincount(classes[~there], minlength=2).tolist()
    backwards = value_maps([many[::-1]], np.ascontiguousarray(classes[::-1]), 2)[0]
    assert level == backwards[0] > 0
    for found, other in zip((least, greatest, counts), backwards[1:4], strict=True):
        np.testing.assert_array_equal(found, other)
    keys = np.searchsorted(least, many[there], side="right") - 1
    np.testing.assert_array_equal(counts[:, 1], np.bincount(keys, classes[there], minlength=len(least)))
    assert (many[there] <= greatest[keys]).all()


def test_columns_do_not_depend_on_threads() -> None:
    """Maps, cuts, distinct values and codes have the same bits with 1, 2 and 5 threads."""
    rng = np.random.default_rng(0)
    columns: list[Any] = [rng.normal(size=9000).round(i % 4) for i in range(12)]
    classes = rng.integers(3, size=9000, dtype=np.int32)
    coder = Coder(True, np.array([-1.0, 0.0, 1.0]), np.arange(5, dtype=np.uint8))
    answers = []
    for n_threads in (1, 2, 5):
        with threads(n_threads):
            maps = value_maps(columns, classes, 3)
            cuts = mdlp_cuts([(m[1], m[2], m[3]) for m in maps])
            codes = code_columns(columns, [coder] * 12)
            values = distinct(columns)
            parts = [*[p for m in maps for p in m], *cuts, *codes, *[p for v in values for p in v]]
            answers.append([np.asarray(part).tolist() for part in parts])
    assert answers[1] == answers[0]
    assert answers[2] == answers[0]


PRELUDE = """
import numpy as np, pickle
from savvybayes._kernel import Block, Coder, code_columns, distinct, mdlp_cuts, value_maps
z = np.zeros
u8 = lambda *codes: np.array(codes, np.uint8)
i32 = lambda *classes: np.array(classes, np.int32)
three = np.arange(3.0)
coder = Coder(True, z(1), u8(0, 1, 2))
"""

GARBAGE = [
    "distinct(None)",
    "distinct(z(3))",
    "distinct([[1.0]])",
    "distinct([z(3, np.float16)])",
    "distinct([z(3, complex)])",
    "distinct([z(3, object)])",
    "distinct([z(3, 'M8[us]')])",
    "distinct([z(3, 'U2')])",
    "distinct([z(3, '>f8')])",
    "distinct([z((3, 1))])",
    "distinct([z(3), z(4)])",
    "distinct([z(3)], z(2))",
    "value_maps([z(3)], i32(0, 1), 2)",
    "value_maps([z(3)], i32(0, 1, 2), 2)",
    "value_maps([z(3)], i32(0, 1, -1), 2)",
    "value_maps([z(3)], i32(0, 0, 0), 0)",
    "value_maps([z(3)], i32(0, 0, 0), -1)",
    "value_maps([z(3)], i32(0, 0, 0), 2**64)",
    "value_maps([z(3)], i32(0, 0, 0), 2**64 - 1)",
    "value_maps([z(3)], np.array([0, 0, 2**32]), 1)",
    "value_maps([z(3)], np.array([0.0, 0.0, 0.5]), 1)",
    "value_maps([z(3)], [0, 0, 0], 1)",
    "value_maps([z(3)], i32(0, 0, 0), 1, z(2))",
    "value_maps([z(3)], i32(0, 0, 0), 1, np.array([1, 1, np.nan]))",
    "value_maps([z(3)], i32(0, 0, 0), 1, np.array([1.0, 1.0, -1.0]))",
    "value_maps([z(3), z(2)], i32(0, 0, 0), 1)",
    "mdlp_cuts(None)",
    "mdlp_cuts([three])",
    "mdlp_cuts([(three, three)])",
    "mdlp_cuts([(three, three, z(3))])",
    "mdlp_cuts([(three, three, z((2, 3)))])",
    "mdlp_cuts([(three, three[:2], z((3, 2)))])",
    "mdlp_cuts([(three[:2], three, z((3, 2)))])",
    "mdlp_cuts([(three, three, z((3, 2, 1)))])",
    "Coder(True, z(1), u8(0, 1))",
    "Coder(True, z(1), u8(0, 1, 2, 3))",
    "Coder(True, z(1), np.arange(3))",
    "Coder(True, z(1), z((3, 1), np.uint8))",
    "Coder(True, np.array([1.0, 1.0]), u8(0, 1, 2, 3))",
    "Coder(True, np.array([2.0, 1.0]), u8(0, 1, 2, 3))",
    "Coder(True, np.array([1.0, np.nan]), u8(0, 1, 2, 3))",
    "Coder(True, np.array([np.nan]), u8(0, 1, 2))",
    "Coder(False, np.array([np.nan]), u8(0, 1, 2))",
    "Coder(True, None, u8(0, 1, 2))",
    "code_columns([z(2)], [])",
    "code_columns([], [coder])",
    "code_columns([z(2)], [None])",
    "code_columns([z(2)], [5])",
    "code_columns([z(2)], [Coder.__new__(Coder)])",
    "code_columns([z(2), z(3)], [coder, coder])",
    "code_columns([z(2, 'U1')], [coder])",
    "code_columns([z((2, 2))], [coder])",
    "coder.__init__(True, z(1), u8(0, 1, 2))",
]


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, str]:
    """Make every call of garbage, each in a process of its own."""
    return children.outcomes(PRELUDE, GARBAGE)


@pytest.mark.parametrize("call", GARBAGE)
def test_garbage_is_an_error(call: str, outcomes: Mapping[str, str]) -> None:
    """What is no column, map or coder is a ValueError or a TypeError: no crash, no answer to something else."""
    assert outcomes[call] in ("ValueError", "TypeError")
