"""A Source that is as awkward as a Source may be: what is learnt from it must not differ by a bit.

The rows are cut into consecutive, numbered blocks at random places. Requests and summaries travel through pickle, some
of them to another process, and the summaries are added in random order and in random pairs, as a cluster would.
"""

from __future__ import annotations

import functools
import multiprocessing
import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

import numpy as np

from savvybayes import NaiveBayes
from savvybayes.data.columns import Data, Labels
from savvybayes.data.inputs import training_source
from savvybayes.data.source import MemorySource, RawBlock, Request, Source

Summary = TypeVar("Summary")
# A child that hangs must not hang the tests.
SECONDS = 120


def memory_source(X: Any, y: Any, sample_weight: Any = None) -> MemorySource:
    """The source that an estimator makes of a table, its target and its weights."""
    return training_source(NaiveBayes(), X, y, sample_weight)


class ShuffledBlocks(Source):
    """The rows of a source in memory, in blocks; with `processes` every third block is asked in another process.

    `rows` gives the lengths of the blocks, where they are not to be drawn.
    """

    def __init__(
        self,
        source: MemorySource,
        rng: np.random.Generator,
        processes: bool = False,
        rows: Sequence[int] | None = None,
    ) -> None:
        self.columns = source.columns
        lengths = _draw_lengths(source.block.rows, rng) if rows is None else list(rows)
        ends = np.cumsum(lengths)
        assert ends[-1] == source.block.rows
        self.blocks = [
            _as_if_alone(source.block, number, slice(end - length, end), rng)
            for number, (end, length) in enumerate(zip(ends, lengths, strict=True))
        ]
        self._rng = rng
        self._processes = processes

    def fold(self, request: Request[RawBlock, Summary]) -> Summary:
        """Ask the blocks in random order, and add what they say in random pairs."""
        sent = pickle.dumps(request)
        order = self._rng.permutation(len(self.blocks))
        away = [i for i in order if self._processes and i % 3 == 0]
        pending = [_worker().submit(answer, sent, pickle.dumps(self.blocks[i])) for i in away]
        answers = [pickle.dumps(pickle.loads(sent)(self.blocks[i])) for i in order if i not in away]
        answers += [one.result(timeout=SECONDS) for one in pending]
        summaries: list[Any] = [pickle.loads(one) for one in answers]
        while len(summaries) > 1:
            a = summaries.pop(int(self._rng.integers(len(summaries))))
            b = summaries.pop(int(self._rng.integers(len(summaries))))
            summaries.append(a + b)
        result: Summary = summaries[0]
        return result


def answer(request: bytes, block: bytes) -> bytes:
    """What a block says to a request; this runs in the other process."""
    return pickle.dumps(pickle.loads(request)(pickle.loads(block)))


def close() -> None:
    """End the other process."""
    if _worker.cache_info().currsize:
        _worker().shutdown(cancel_futures=True)
        _worker.cache_clear()


@functools.cache
def _worker() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


def _draw_lengths(rows: int, rng: np.random.Generator) -> list[int]:
    """Up to seven blocks, of which one has a single row."""
    inner = rng.choice(np.arange(1, rows), size=min(rows - 1, int(rng.integers(1, 6))), replace=False)
    one = int(rng.integers(rows))
    ends = sorted({*inner.tolist(), one, one + 1, rows} - {0})
    lengths: list[int] = np.diff([0, *ends]).tolist()
    return lengths


def _as_if_alone(block: RawBlock, number: int, rows: slice, rng: np.random.Generator) -> RawBlock:
    """Those rows as they would have been read on their own: knowing no value that they do not have."""
    part = block.take(rows)
    target = None
    if part.target is not None:
        values, codes = np.unique(part.target.codes, return_inverse=True)
        target = Labels(codes.astype(np.int32), np.asarray(part.target.values)[values])
    columns = tuple(_own_values(column, rng) for column in part.columns)
    return pickle.loads(pickle.dumps(RawBlock(number, columns, target, part.weights)))  # type: ignore[no-any-return]


def _own_values(column: Data, rng: np.random.Generator) -> Data:
    """Labels by the values that occur, in random order."""
    if not isinstance(column, Labels):
        return column
    present = rng.permutation(np.unique(column.codes[column.codes >= 0]))
    place = np.full(len(column.values) + 1, -1, dtype=np.int32)
    place[present] = np.arange(len(present), dtype=np.int32)
    return Labels(place[column.codes], tuple(column.values[i] for i in present))
