"""A Table: a Source seen through a Schema. Learners see nothing else."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from savvybayes import _kernel
from savvybayes.data.schema import Schema
from savvybayes.data.source import RawBlock, Request, Source

Summary = TypeVar("Summary")


class Countable(Protocol):
    """What counts can be asked of: a block of coded rows, or counts that were kept."""

    def count_scopes(self, scopes: Sequence[tuple[Sequence[int], int]], /) -> _kernel.Doubles:
        """Count the scopes: (attributes, label) pairs."""

    def count_pairs(self, rows: _kernel.Bounds, columns: _kernel.Bounds, classes: _kernel.Bounds, /) -> _kernel.Doubles:
        """Count a rectangle of pairs."""


class Coded(Protocol):
    """What a learner sees: sizes, and a fold over coded blocks."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each attribute."""

    @property
    def n_classes(self) -> int:
        """The number of classes."""

    def fold(self, request: Request[Countable, Summary]) -> Summary:
        """Send the request to each block of codes, where it lives, and add the answers."""


class Table:
    """A source seen through a schema: the same fold, over blocks of codes.

    Its attributes are the schema's kept columns, unless others are named.
    """

    def __init__(self, source: Source, schema: Schema, columns: Sequence[int] | None = None) -> None:
        self.source = source
        self.schema = schema
        self.columns = schema.kept if columns is None else tuple(columns)
        self.sizes = tuple(schema.attributes[i].size for i in self.columns)
        self.n_classes = len(schema.classes)
        self._key = uuid.uuid4().hex

    def fold(self, request: Request[_kernel.Block, Summary]) -> Summary:
        """Send the request to each block of codes, where it lives, and add the answers."""
        return self.source.fold(_OfCodes(self._key, self.schema, self.columns, request))


@dataclass(frozen=True)
class _OfCodes(Request[RawBlock, Summary]):
    """A request that has the block coded first, and its codes kept where the block lives."""

    key: str
    schema: Schema
    columns: tuple[int, ...]
    request: Request[_kernel.Block, Summary]

    def __call__(self, raw: RawBlock) -> Summary:
        block = raw.scratch.get(self.key)
        if block is None:
            block = self.schema.block(raw.present(), self.columns)
            raw.scratch.clear()
            raw.scratch[self.key] = block
        return self.request(block)
