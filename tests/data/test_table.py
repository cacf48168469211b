"""A Table: a source seen through a schema, the same fold over blocks of codes."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import checks
from savvybayes.counts import CountScopes, PairTile, Scope, Span, count, count_classes
from savvybayes.data.learn import learn_schema
from savvybayes.data.source import MemorySource
from savvybayes.data.table import Coded, Table
from sources import ShuffledBlocks, memory_source


def table_of(rows: int = 300, weights: Any = None) -> tuple[MemorySource, Table]:
    """A source of mixed columns and the table before it."""
    X, y = checks.mixed_table(rows)
    source = memory_source(X, y, weights)
    return source, Table(source, learn_schema(source)[0])


def test_sizes_and_names() -> None:
    """A table has the columns that tell something, unless others are named."""
    source, table = table_of()
    assert table.sizes == table.schema.sizes
    assert table.n_classes == 3
    assert table.columns == table.schema.kept
    few = Table(source, table.schema, [6, 0])
    assert few.sizes == (1, 5)
    assert few.columns == (6, 0)


def test_counts_by_hand() -> None:
    """What is counted through the schema is what is counted in the user's own columns."""
    X, y = checks.mixed_table()
    source = memory_source(X, y)
    table = Table(source, learn_schema(source)[0])
    names = table.schema.names
    (scope_counts,) = count(table, [Scope((names.index("grade"), names.index("old")))]).tables().values()
    for c, label in enumerate(["ant", "bee", "cat"]):
        for g, grade in enumerate("abcd"):
            for o, old in enumerate([False, True]):
                expected = ((y == label) & (X["grade"] == grade) & (X["old"] == old)).sum()
                assert scope_counts[c, g, o] == expected
    assert count_classes(table).tolist() == [(y == label).sum() for label in ("ant", "bee", "cat")]


@pytest.mark.parametrize("weighted", [False, True])
def test_fold_over_blocks(weighted: bool) -> None:
    """The fold over blocks is the fold over the whole, for counts of scopes and tiles of pairs."""
    source, table = table_of(weights=checks.whole_weights(300) if weighted else None)
    requests: list[Any] = [
        CountScopes((Scope(()), Scope((1, 0)), Scope((2,), 1))),
        PairTile(Span(0, 3), Span(1, 5), Span(1, 3)),
    ]
    for seed in range(3):
        cut = Table(ShuffledBlocks(source, np.random.default_rng(seed), processes=seed == 0), table.schema)
        for request in requests:
            whole: NDArray[np.float64] = table.fold(request)
            checks.assert_same_bits(cut.fold(request), whole)


def test_codes_are_kept_where_the_block_lives() -> None:
    """A block is coded once for a table, again for another, and gives up the codes of the first."""
    source, table = table_of()
    other = Table(source, table.schema, [0])
    blocks: list[Any] = []
    for folding in (table, table, other, other, table):
        folding.fold(_Identity(blocks))
    assert blocks[0] is blocks[1]
    assert blocks[2] is blocks[3]
    assert blocks[2].sizes == [5]
    assert blocks[4] is not blocks[0]
    assert len(source.block.scratch) == 1


def test_requests_are_small() -> None:
    """What travels to a block is the request and the schema: not the rows."""
    source, table = table_of(rows=3000)
    sent: list[bytes] = []

    class Noting(MemorySource):
        def fold(self, request: Any) -> Any:
            sent.append(pickle.dumps(request))
            return super().fold(request)

    noting = Noting([])
    noting.columns, noting.block = source.columns, source.block
    Table(noting, table.schema).fold(CountScopes((Scope((0,)),)))
    assert len(sent) == 1
    assert len(sent[0]) < 4000


def test_a_table_is_coded() -> None:
    """A table is what learners ask for."""
    coded: Coded = table_of()[1]
    assert coded.n_classes == 3


class _Identity:
    """A request that notes the block."""

    def __init__(self, blocks: list[Any]) -> None:
        self.blocks = blocks

    def __call__(self, block: Any) -> int:
        self.blocks.append(block)
        return 0
