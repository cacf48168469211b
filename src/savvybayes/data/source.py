"""Where rows live: a Source holds numbered raw blocks of consecutive rows, and folds a request over them.

A learner never sees a Source; it sees a `Table`, which is a Source with a Schema before its eyes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from savvybayes.data.columns import Array, Column, Data, Kind, Labels, Name

Summary = TypeVar("Summary")
Summary_co = TypeVar("Summary_co", covariant=True)
Asked_contra = TypeVar("Asked_contra", contravariant=True)


class Request(Protocol[Asked_contra, Summary_co]):
    """What to sum over rows: a small value that can be pickled, called with each block where the block lives."""

    def __call__(self, block: Asked_contra, /) -> Summary_co:
        """Sum over the rows of one block. Answers of different blocks are added with ``+``."""


class ColumnType(NamedTuple):
    """What is known of a column before any row is looked at."""

    name: Name
    kind: Kind


@dataclass(frozen=True)
class RawBlock:
    """Consecutive rows as the user has them.

    `scratch` keeps what was worked out of the block, where it lives: it does not travel, and losing it costs only time.
    """

    number: int
    columns: tuple[Data, ...]
    target: Labels | None
    weights: Array | None
    scratch: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "scratch": {}}

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else len(self.target or ())

    def take(self, rows: Any) -> RawBlock:
        """Those rows: a slice, a mask or positions."""
        return RawBlock(
            self.number,
            tuple(column.take(rows) for column in self.columns),
            None if self.target is None else self.target.take(rows),
            None if self.weights is None else np.ascontiguousarray(self.weights[rows]),
        )

    def present(self) -> RawBlock:
        """The rows whose weight is not 0: a row of weight 0 is absent."""
        if self.weights is None or (self.weights > 0).all():
            return self
        return self.take(self.weights > 0)


class Source(ABC):
    """Numbered raw blocks of consecutive rows, wherever they live.

    A kind of source is a subclass: data frames have columns and folds of their own.
    """

    columns: Sequence[ColumnType]

    # How many classes and rows there may be, where that is known before any row is looked at.
    most_classes: int | None = None
    most_rows: int | None = None

    @abstractmethod
    def fold(self, request: Request[RawBlock, Summary]) -> Summary:
        """Send the request to each block, where the block lives, and add the answers."""


class MemorySource(Source):
    """A table in memory: one block, since the kernels have threads of their own."""

    def __init__(self, columns: Sequence[Column], target: Labels | None = None, weights: Array | None = None) -> None:
        self.columns: tuple[ColumnType, ...] = tuple(ColumnType(column.name, column.kind) for column in columns)
        self.most_classes = None if target is None else len(target.values)
        self.block = RawBlock(0, tuple(column.data for column in columns), target, weights)
        self.most_rows = self.block.rows

    def fold(self, request: Request[RawBlock, Summary]) -> Summary:
        """Answer from the one block."""
        return request(self.block)
