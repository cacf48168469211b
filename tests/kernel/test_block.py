"""Blocks: what they keep, what they refuse, and that nothing handed to them crashes or wraps."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import children
from coded import CodedRows, code_array, coded_rows, random_rows, unaligned
from savvybayes._kernel import Block, Coder
from savvybayes.threads import threads

bounded = settings(deadline=None, max_examples=50)


def everything(block: Block) -> list[float]:
    """All that can be counted over a block's attributes and pairs, by class."""
    n = len(block.sizes)
    scopes = [((), -1), *(((i,), -1) for i in range(n)), *(((i, j), -1) for i in range(n) for j in range(i))]
    result: list[float] = block.count_scopes(scopes).tolist()
    return result


def test_a_block_says_what_it_holds() -> None:
    """Rows, sizes and classes are those it was made of."""
    block = Block(
        3, [2, 300], [code_array([0, 1, 1], 2), code_array([7, 299, 0], 300)], np.array([1, 0, 1], np.int32), 2
    )
    assert (block.rows, block.sizes, block.n_classes) == (3, [2, 300], 2)
    assert Block(3, [], []).n_classes == 0


def test_a_block_owns_its_rows() -> None:
    """What happens to the arrays afterwards does not change the block."""
    codes = code_array([0, 1, 1], 2)
    classes, weights = np.array([0, 1, 1], np.int32), np.array([1.0, 2.0, 3.0])
    block = Block(3, [2], [codes], classes, 2, weights)
    before = everything(block)
    codes[:], classes[:], weights[:] = 9, 9, -1.0
    assert everything(block) == before


def test_rows_of_a_class_stand_together_in_their_order() -> None:
    """Where classes are known the rows are sorted by class, and keep their order within one."""
    block = Block(5, [5], [code_array([0, 1, 2, 3, 4], 5)], np.array([1, 0, 1, 2, 0], np.int32), 3)
    table = np.array([[float(v), 0.0] for v in range(6)])  # one of two classes gets v: log-odds tell the row
    found = block.log_probabilities(np.zeros(2), [((0,), -1, table)])
    assert np.round(found[:, 0] - found[:, 1]).tolist() == [1, 4, 0, 2, 3]
    unsorted = Block(5, [5], [code_array([4, 3, 2, 1, 0], 5)])
    found = unsorted.log_probabilities(np.zeros(2), [((0,), -1, table)])
    assert np.round(found[:, 0] - found[:, 1]).tolist() == [4, 3, 2, 1, 0]


@given(coded_rows(sizes=(2, 3, 255, 256, 300), attributes=(1, 3)), st.sampled_from((2, 3, -1, -2)))
@bounded
def test_codes_may_lie_in_memory_as_they_like(table: CodedRows, step: int) -> None:
    """Strided, reversed, read-only and unaligned columns are read as what they are."""
    rows = len(table.codes)
    own, classes = table.columns(), table.classes
    wanted = everything(table.block())

    def made_of(columns: list[NDArray[Any]]) -> list[float]:
        return everything(Block(rows, table.sizes, columns, classes, table.n_classes, table.weights))

    assert made_of([_spread(column, step) for column in own]) == wanted
    assert made_of([unaligned(column) for column in own]) == wanted
    for column in own:
        column.flags.writeable = False
    assert made_of(own) == wanted


def _spread(column: NDArray[Any], step: int) -> NDArray[Any]:
    """The same values, `step` elements apart in memory."""
    room = np.full(abs(step) * len(column), 99, dtype=column.dtype)
    view = room[::step]
    view[:] = column
    return view


def test_classes_and_weights_may_lie_in_memory_as_they_like() -> None:
    """Strided, reversed, read-only and unaligned classes and weights are read as what they are."""
    table = random_rows(50, (2, 300), 3, weighting="whole")
    wanted = everything(table.block())
    assert table.weights is not None
    classes, weights = _spread(table.classes, 3), _spread(table.weights, -2)
    classes.flags.writeable = weights.flags.writeable = False
    assert everything(Block(50, table.sizes, table.columns(), classes, 3, weights)) == wanted
    classes, weights = unaligned(table.classes), unaligned(table.weights)
    assert everything(Block(50, table.sizes, table.columns(), classes, 3, weights)) == wanted


@given(coded_rows(sizes=(1, 2, 3, 255, 256, 300), attributes=(1, 3)), st.integers(0, 10**6))
@bounded
def test_a_block_codes_columns(table: CodedRows, seed: int) -> None:
    """Columns with their coders make the block that their codes make, in threads of any number."""
    rng = np.random.default_rng(seed)
    columns: list[tuple[NDArray[Any], Coder]] = []
    for i, size in enumerate(table.sizes):
        places = (rng.permutation(size) * 3.0 - 7.0).astype(np.float64)  # code c is the value places[c]
        order = np.argsort(places)
        codes = code_array([*order, size, size], size)
        columns.append((places[table.codes[:, i]], Coder(False, places[order], codes)))
    block = Block(len(table.codes), table.sizes, columns, table.classes, table.n_classes, table.weights)
    assert pickle.dumps(block) == pickle.dumps(table.block())


def _state(block: Any) -> tuple[Any, ...]:
    """What the pickle of a block is made of: its codes and weights, class by class, among them."""
    state: tuple[Any, ...] = block.__getstate__()
    return state


@pytest.mark.parametrize("n_classes", [1, 2, 3, 16, 17, 300, 5000])
def test_rows_beyond_a_tile_are_sorted_by_class(n_classes: int) -> None:
    """However many tiles and classes there are, rows of a class keep their order, bytes as well as wider codes."""
    rng = np.random.default_rng(n_classes)
    n = 10_001
    classes = rng.integers(n_classes, size=n, dtype=np.int32)
    narrow, wide = rng.integers(200, size=n).astype(np.uint8), rng.integers(60_000, size=n).astype(np.uint16)
    weights = rng.uniform(0.5, 2.0, n)
    order = np.argsort(classes, kind="stable")
    for n_threads in (1, 2):
        with threads(n_threads):
            bytes_alone = Block(n, [200], [narrow], classes, n_classes)
            mixed = Block(n, [200, 60_000], [narrow, wide], classes, n_classes, weights)
        np.testing.assert_array_equal(_state(bytes_alone)[2][0], narrow[order])
        _, _, codes, begins, _, kept = _state(mixed)
        np.testing.assert_array_equal(codes[0], narrow[order])
        np.testing.assert_array_equal(codes[1], wide[order])
        np.testing.assert_array_equal(kept, weights[order])
        np.testing.assert_array_equal(np.diff(begins), np.bincount(classes, minlength=n_classes))


def test_a_column_of_one_repeated_element() -> None:
    """A broadcast column, whose stride is 0, is a constant."""
    block = Block(4, [3], [np.broadcast_to(code_array([2], 3), (4,))], np.zeros(4, np.int32), 1)
    assert block.count_scopes([((0,), -1)]).tolist() == [0, 0, 4]


@given(coded_rows(sizes=(1, 2, 3, 255, 256, 300)), st.integers(2, pickle.HIGHEST_PROTOCOL))
@bounded
def test_a_block_survives_pickle_and_copy(table: CodedRows, protocol: int) -> None:
    """A block that travelled counts and scores the same, to the bit, and has the same pickle."""
    block = table.block()
    sent = pickle.dumps(block, protocol)
    prior = np.linspace(-1, 0, table.n_classes)
    tables = [((0,), -1, np.linspace(-9, 0, (table.sizes[0] + 1) * table.n_classes))]
    for other in (pickle.loads(sent), copy.copy(block), copy.deepcopy(block)):
        assert (other.rows, other.sizes, other.n_classes) == (block.rows, block.sizes, block.n_classes)
        assert everything(other) == everything(block)
        np.testing.assert_array_equal(other.log_probabilities(prior, tables), block.log_probabilities(prior, tables))
        assert pickle.dumps(other, protocol) == sent


def test_a_block_of_unknown_values_and_no_classes_survives_pickle() -> None:
    """A block to be scored travels as well as one to be counted."""
    block = Block(3, [2, 300], [code_array([2, 0, 1], 2), code_array([300, 299, 0], 300)])
    other = pickle.loads(pickle.dumps(block))
    table = ((0, 1), -1, np.arange(3.0 * 301 * 2))
    np.testing.assert_array_equal(
        other.log_probabilities(np.zeros(2), [table]), block.log_probabilities(np.zeros(2), [table])
    )


def test_a_block_travels_as_its_codes() -> None:
    """The pickle of a block is hardly larger than its codes."""
    table = random_rows(10_000, (2, 3, 4, 300), 2)
    assert len(pickle.dumps(table.block(), pickle.HIGHEST_PROTOCOL)) < 10_000 * (1 + 1 + 1 + 2) + 2_000


@pytest.mark.parametrize(("size", "dtype"), [(1, np.uint8), (255, np.uint8), (256, np.uint16), (65535, np.uint16)])
def test_the_type_of_codes_follows_the_size(size: int, dtype: type) -> None:
    """Codes are uint8 up to 255 values and uint16 up to 65,535; the last code of all is "unknown"."""
    codes: NDArray[Any] = np.array([0, size - 1], dtype)
    classes = np.zeros(2, np.int32)
    counts = Block(2, [size], [codes], classes, 1).count_scopes([((0,), -1)])
    assert counts[[0, size - 1]].tolist() == ([1, 1] if size > 1 else [2, 2])
    assert counts.sum() == 2
    other = np.uint16 if dtype is np.uint8 else np.uint8
    with pytest.raises(ValueError, match=f"attribute 0 has {size} values: its codes must be uint"):
        Block(2, [size], [np.zeros(2, other)], classes, 1)
    unknown = Block(1, [size], [np.array([size], dtype)], np.zeros(1, np.int32), 1)
    with pytest.raises(ValueError, match="attribute 0 has unknown values"):
        unknown.count_scopes([((0,), -1)])
    assert unknown.count_scopes([((), -1)]).tolist() == [1]
    if size < np.iinfo(dtype).max:
        with pytest.raises(ValueError, match=f"attribute 0 has {size} values and a code of {size + 1}"):
            Block(1, [size], [np.array([size + 1], dtype)], np.zeros(1, np.int32), 1)


U8 = np.zeros(3, np.uint8)
CLASSES = np.zeros(3, np.int32)
ONES = np.ones(3)

WRONG_VALUES: Mapping[str, tuple[Any, ...]] = {
    "fewer columns than sizes": (3, [2, 2], [U8]),
    "more columns than sizes": (3, [2], [U8, U8]),
    "a short column": (3, [2], [U8[:2]]),
    "a long column": (3, [2], [np.zeros(4, np.uint8)]),
    "a size of 0": (3, [0], [U8]),
    "a size of 0 without rows": (0, [0], [U8[:0]]),
    "a size of 65,536": (3, [65536], [np.zeros(3, np.uint16)]),
    "a size of 2^63": (3, [2**63], [np.zeros(3, np.uint16)]),
    "a code beyond unknown": (3, [2], [np.array([0, 3, 1], np.uint8)]),
    "codes of int64": (3, [2], [np.zeros(3, np.int64)]),
    "codes of int8": (3, [2], [np.zeros(3, np.int8)]),
    "codes of uint32": (3, [2], [np.zeros(3, np.uint32)]),
    "codes of float64": (3, [2], [np.zeros(3)]),
    "codes of bool": (3, [2], [np.zeros(3, bool)]),
    "fewer classes than rows": (3, [2], [U8], CLASSES[:2], 1),
    "more classes than rows": (3, [2], [U8], np.zeros(4, np.int32), 1),
    "a negative class": (3, [2], [U8], np.array([0, -1, 0], np.int32), 1),
    "a class beyond the last": (3, [2], [U8], np.array([0, 0, 2], np.int32), 2),
    "the greatest class": (3, [2], [U8], np.array([0, 0, 2**31 - 1], np.int32), 2),
    "the least class": (3, [2], [U8], np.array([0, 0, -(2**31)], np.int32), 2),
    "no class": (3, [2], [U8], CLASSES, 0),
    "no class and no rows": (0, [2], [U8[:0]], CLASSES[:0], 0),
    "fewer weights than rows": (3, [2], [U8], CLASSES, 1, ONES[:2]),
    "a weight of 0": (3, [2], [U8], CLASSES, 1, np.array([1.0, 0.0, 1.0])),
    "a negative weight": (3, [2], [U8], CLASSES, 1, np.array([1.0, -1.0, 1.0])),
    "a weight of NaN": (3, [2], [U8], CLASSES, 1, np.array([1.0, np.nan, 1.0])),
    "an infinite weight": (3, [2], [U8], CLASSES, 1, np.array([1.0, np.inf, 1.0])),
}

WRONG_TYPES: Mapping[str, tuple[Any, ...]] = {
    "negative rows": (-1, [], []),
    "rows of 2^64": (2**64, [], []),
    "rows as a float": (3.0, [2], [U8]),
    "rows as text": ("3", [2], [U8]),
    "a negative size": (3, [-2], [U8]),
    "a size of 2^64": (3, [2**64], [np.zeros(3, np.uint16)]),
    "sizes as floats": (3, [2.0], [U8]),
    "no list of sizes": (3, 2, [U8]),
    "columns as lists": (3, [2], [[0, 0, 0]]),
    "a column of two dimensions": (3, [2], [np.zeros((3, 1), np.uint8)]),
    "a column of none": (3, [2], [np.uint8(0)]),
    "a column of text": (3, [2], [np.array(["a", "b", "c"])]),
    "a column of objects": (3, [2], [np.array([0, 1, 1], object)]),
    "a column of dates": (3, [2], [np.zeros(3, "M8[us]")]),
    "a column in another byte order": (3, [300], [np.zeros(3, ">u2")]),
    "a column between elements": (3, [300], [np.zeros(3, [("a", "u1"), ("b", "u2")])["b"]]),
    "None for columns": (3, [2], None),
    "None for a column": (3, [2], [None]),
    "classes as a list": (3, [2], [U8], [0, 0, 0], 1),
    "classes of two dimensions": (3, [2], [U8], np.zeros((3, 1), np.int32), 1),
    "classes of text": (3, [2], [U8], np.array(["0", "0", "0"]), 1),
    "classes in another byte order": (3, [2], [U8], np.zeros(3, ">i4"), 1),
    "a negative number of classes": (3, [2], [U8], CLASSES, -1),
    "a number of classes of 2^64": (3, [2], [U8], CLASSES, 2**64),
    "weights as a list": (3, [2], [U8], CLASSES, 1, [1.0, 1.0, 1.0]),
    "complex weights": (3, [2], [U8], CLASSES, 1, np.ones(3, complex)),
    "weights in another byte order": (3, [2], [U8], CLASSES, 1, np.ones(3, ">f8")),
    "weights of text": (3, [2], [U8], CLASSES, 1, np.array(["1", "1", "1"])),
}


@pytest.mark.parametrize("arguments", WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_wrong_values_are_refused(arguments: tuple[Any, ...]) -> None:
    """Shapes, ranges and types of numbers that do not fit together are a ValueError."""
    with pytest.raises(ValueError, match=r"\w"):
        Block(*arguments)


@pytest.mark.parametrize("arguments", WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_wrong_types_are_refused(arguments: tuple[Any, ...]) -> None:
    """What is no array, or no number of the kind asked for, is a TypeError."""
    with pytest.raises(TypeError):
        Block(*arguments)


@pytest.mark.parametrize(
    "classes",
    [
        np.array([0, 0, 2**32]),
        np.array([0, 0, -(2**32)]),
        np.array([0, 0, 2**32], np.uint64),
        np.array([0.0, 0.0, 0.5]),
        np.array([0.0, 0.0, np.nan]),
        np.array([0.0, 0.0, 1e20]),
    ],
    ids=["2^32", "-2^32", "2^32 unsigned", "a half", "NaN", "1e20"],
)
def test_classes_are_not_bent_into_range(classes: NDArray[Any]) -> None:
    """A class that is no int32 is refused: 2^32 is not class 0, nor is a half."""
    with pytest.raises((ValueError, TypeError)):
        Block(3, [2], [U8], classes, 1)


def test_a_block_without_rows() -> None:
    """No rows are no error: counts are zero, and there is nothing to score."""
    for block in (
        Block(0, [2, 300], [U8[:0], np.zeros(0, np.uint16)], CLASSES[:0], 3),
        pickle.loads(pickle.dumps(Block(0, [2, 300], [U8[:0], np.zeros(0, np.uint16)], CLASSES[:0], 3))),
    ):
        assert block.rows == 0
        assert block.count_scopes([((0, 1), -1), ((), 2)]).tolist() == [0.0] * (2 * 300 * 3 + 1)
        assert block.count_pairs((0, 1), (1, 2), (0, 3)).tolist() == [0.0] * (2 * 300 * 3)
        assert block.log_probabilities(np.zeros(3), []).shape == (0, 3)


def test_a_block_without_attributes() -> None:
    """Rows without attributes have classes, which can be counted."""
    block = Block(3, [], [], np.array([0, 2, 2], np.int32), 3)
    assert block.count_scopes([((), -1)]).tolist() == [1, 0, 2]
    assert block.count_pairs((0, 0), (0, 0), (0, 3)).size == 0
    assert pickle.loads(pickle.dumps(block)).count_scopes([((), -1)]).tolist() == [1, 0, 2]


def test_a_block_of_one_class_of_many() -> None:
    """All rows may be of one class; the others' counts are zero."""
    table = random_rows(20, (2, 3), 1)
    for label in (0, 299):
        classes = np.full(20, label, np.int32)
        counts = Block(20, table.sizes, table.columns(), classes, 300).count_scopes([((0, 1), -1)]).reshape(300, 6)
        assert counts[label].sum() == counts.sum() == 20


PRELUDE = """
import numpy as np, pickle
from savvybayes._kernel import Block, Coder
u8 = lambda *codes: np.array(codes, np.uint8)
i32 = lambda *classes: np.array(classes, np.int32)
none = np.zeros(0, np.int32)
block = Block(4, [2], [u8(0, 1, 0, 1)], i32(0, 1, 0, 1), 2)
state = block.__getstate__()
def restored(state):
    new = Block.__new__(Block)
    new.__setstate__(state)
    return new
def changed(place, value):
    return restored((*state[:place], value, *state[place + 1:]))
def after_failure(state, call):
    new = Block.__new__(Block)
    try:
        new.__setstate__(state)
    except (ValueError, TypeError):
        pass
    return call(new)
"""

# What must be an error, and not a crash, nor a block of other rows.
GARBAGE = [
    # more classes than can be numbered
    "Block(0, [], [], none, 2**64 - 1)",
    "Block(0, [], [], none, 2**63)",
    "Block(1, [], [], i32(0), 2**64 - 1)",
    # states of the wrong form
    "restored(None)",
    "restored(())",
    "restored(state[:-1])",
    "restored((*state, None))",
    "restored(list(state[:3]))",
    "restored({})",
    "restored(b'garbage')",
    # a wrong number of rows
    "changed(0, 3)",
    "changed(0, 5)",
    "changed(0, -1)",
    "changed(0, 2**64 - 1)",
    "changed(0, 2**63)",
    "changed(0, None)",
    # wrong sizes
    "changed(1, [])",
    "changed(1, [0])",
    "changed(1, [2, 2])",
    "changed(1, [300])",
    "changed(1, [2**64 - 1])",
    "changed(1, [-1])",
    # wrong codes
    "changed(2, [])",
    "changed(2, [u8(0, 1, 0)])",
    "changed(2, [u8(0, 1, 0, 3)])",
    "changed(2, [i32(0, 1, 0, 1)])",
    "changed(2, [[0, 1, 0, 1]])",
    "changed(2, [u8(0, 1, 0, 1)] * 2)",
    "changed(2, [np.zeros((4, 1), np.uint8)])",
    # rows of a class that begin or end elsewhere
    "changed(3, [])",
    "changed(3, [0])",
    "changed(3, [0, 2])",
    "changed(3, [0, 2, 5])",
    "changed(3, [0, 2, 3])",
    "changed(3, [1, 2, 4])",
    "changed(3, [0, 3, 2])",
    "changed(3, [4, 2, 0])",
    "changed(3, [0, 2, 4, 4])",
    "changed(3, [0, 2**64 - 1, 4])",
    "changed(3, [0, -1, 4])",
    # a wrong number of classes
    "changed(4, 0)",
    "changed(4, 1)",
    "changed(4, 3)",
    "changed(4, -1)",
    "changed(4, 2**64 - 1)",
    "changed(4, 2**63)",
    "restored((0, [], [], [], 2**64 - 1, None))",
    "restored((0, [], [], [0], 2**64 - 1, None))",
    "restored((4, [2], [u8(0, 1, 0, 1)], [7, 7, 7], 0, None))",
    "restored((4, [2], [u8(0, 1, 0, 1)], [], 0, None))",
    # wrong weights
    "changed(5, np.ones(3))",
    "changed(5, np.zeros(4))",
    "changed(5, -np.ones(4))",
    "changed(5, np.full(4, np.nan))",
    "changed(5, [1.0] * 4)",
    "changed(5, np.ones((4, 1)))",
    # columns that their coders cannot code
    "Block(2, [1], [(u8(0, 0), None)])",
    "Block(2, [1], [(u8(0, 0), 5)])",
    "Block(2, [1], [(u8(0, 0), Coder.__new__(Coder))])",
    "Block(2, [1], [(u8(0, 0), Coder(True, np.zeros(0), u8(0, 0)), u8(0, 0))])",
    "Block(2, [1], [(u8(0), Coder(True, np.zeros(0), u8(0, 0)))])",
    "Block(2, [1], [(u8(0, 0), Coder(True, np.zeros(0), u8(7, 0)))])",
    "Block(2, [1], [(u8(0, 0), Coder(True, np.zeros(0), np.zeros(2, np.uint16)))])",
    "Block(2, [1], [(np.zeros(2, 'M8[us]'), Coder(True, np.zeros(0), u8(0, 0)))])",
    # blocks that were never made
    "Block.__new__(Block).rows",
    "Block.__new__(Block).sizes",
    "Block.__new__(Block).count_scopes([((), -1)])",
    "Block.__new__(Block).count_pairs((0, 0), (0, 0), (0, 0))",
    "Block.__new__(Block).log_probabilities(np.zeros(2), [])",
    "Block.__new__(Block).__getstate__()",
    "pickle.dumps(Block.__new__(Block))",
    "after_failure((*state[:2], [u8(0, 1, 0, 9)], *state[3:]), lambda new: new.rows)",
    "after_failure((*state[:2], [u8(0, 1, 0, 9)], *state[3:]), lambda new: new.count_scopes([((0,), -1)]))",
    # blocks that were made before
    "block.__setstate__((*state[:2], [u8(0, 1, 0, 9)], *state[3:]))",
    "block.__setstate__(state)",
    "block.__init__(1, [2], [u8(0)])",
    # what has no such attribute
    "setattr(block, 'rows', 5)",
]


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, str]:
    """Make every call of garbage, each in a process of its own."""
    return children.outcomes(PRELUDE, [*GARBAGE, "restored(state)", "changed(5, np.ones(4))"])


@pytest.mark.parametrize("call", GARBAGE)
def test_garbage_is_an_error(call: str, outcomes: Mapping[str, str]) -> None:
    """What is no block is an error of Python: no crash, and no block that means something else."""
    assert outcomes[call] in ("ValueError", "TypeError", "AttributeError")


def test_the_garbage_is_garbage_for_its_own_reason(outcomes: Mapping[str, str]) -> None:
    """The state that the garbage was made from is accepted itself."""
    assert outcomes["restored(state)"] == outcomes["changed(5, np.ones(4))"] == "no error"
