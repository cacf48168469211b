"""Counts over scopes: what learners ask of a table, and values that add and subtract.

Section 2 of the specification. The class belongs to every scope without being written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from savvybayes import _kernel
from savvybayes.data.table import Coded, Countable

EVERY_CLASS = -1

# A tile of pair tables is asked for in pieces of at most so many entries (8 MB): it stays in the cache.
TILE = 2**20


class Scope(NamedTuple):
    """Some attributes, in the order of a table's axes, and the class; `label` is the one class, or `EVERY_CLASS`."""

    attributes: tuple[int, ...]
    label: int = EVERY_CLASS

    def cells(self, sizes: Sequence[int], n_classes: int) -> int:
        """The number of entries of its table of counts."""
        return prod(sizes[i] for i in self.attributes) * (n_classes if self.label == EVERY_CLASS else 1)

    def fits(self, sizes: Sequence[int], n_classes: int, max_cells: int) -> bool:
        """Whether its table may be made.

        `max_cells` counts seen values only; so that the entries for unknown ones cannot take the memory either (many
        attributes of two values have many), with them it may be four times as large.
        """
        cells = with_unknown = n_classes if self.label == EVERY_CLASS else 1
        for i in self.attributes:
            cells *= sizes[i]
            with_unknown *= sizes[i] + 1
        return cells <= max_cells and with_unknown <= 4 * max_cells


@dataclass(frozen=True)
class CountScopes:
    """The request for the counts of some scopes."""

    scopes: tuple[Scope, ...]

    def __call__(self, block: Countable) -> NDArray[np.float64]:
        """Count one block: the tables, one after the other."""
        return block.count_scopes(self.scopes)


@dataclass(frozen=True, eq=False)
class Counts:
    """The tables of counts of some scopes. Those of other rows can be added and subtracted.

    A table has the classes (the one class, where the scope has a label) on its first axis, then an axis per attribute.
    """

    scopes: tuple[Scope, ...]
    sizes: tuple[int, ...]
    n_classes: int
    values: NDArray[np.float64]

    def __add__(self, other: Counts) -> Counts:
        return self._with(self.values + self._checked(other).values)

    def __sub__(self, other: Counts) -> Counts:
        return self._with(self.values - self._checked(other).values)

    def _checked(self, other: Counts) -> Counts:
        if (self.scopes, self.sizes, self.n_classes) != (other.scopes, other.sizes, other.n_classes):
            raise ValueError("only counts of the same scopes add up")
        return other

    def _with(self, values: NDArray[np.float64]) -> Counts:
        return Counts(self.scopes, self.sizes, self.n_classes, values)

    def __iter__(self) -> Iterator[tuple[Scope, NDArray[np.float64]]]:
        begin = 0
        for scope in self.scopes:
            end = begin + scope.cells(self.sizes, self.n_classes)
            n_labels = self.n_classes if scope.label == EVERY_CLASS else 1
            shape = (n_labels, *(self.sizes[i] for i in scope.attributes))
            yield scope, self.values[begin:end].reshape(shape)
            begin = end

    def tables(self) -> dict[Scope, NDArray[np.float64]]:
        """The table of each scope."""
        return dict(self)


def count(table: Coded, scopes: Sequence[Scope]) -> Counts:
    """Count the rows of a table over some scopes, in one fold."""
    return Counts(tuple(scopes), table.sizes, table.n_classes, table.fold(CountScopes(tuple(scopes))))


def count_in_portions(table: Coded, scopes: Iterable[Scope], most: int = TILE) -> Iterator[Counts]:
    """The counts of the scopes, in order, portion by portion: the answer to a fold has at most `most` entries."""
    portion: list[Scope] = []
    entries = 0
    for scope in scopes:
        cells = scope.cells(table.sizes, table.n_classes)
        if portion and entries + cells > most:
            yield count(table, portion)
            portion, entries = [], 0
        portion.append(scope)
        entries += cells
    if portion:
        yield count(table, portion)


def count_classes(table: Coded) -> NDArray[np.float64]:
    """The weight of each class."""
    return count(table, [Scope(())]).values


class Span(NamedTuple):
    """Consecutive attributes or classes."""

    begin: int
    end: int


class PairTile(NamedTuple):
    """A rectangle of pairs of attributes i < j, in some classes. Calling it with a block counts them.

    The answer holds, for each class, one matrix: the values of the attributes in `rows`, one after the other, by those
    of the attributes in `columns`.
    """

    rows: Span
    columns: Span
    classes: Span

    def __call__(self, block: Countable) -> NDArray[np.float64]:
        """Count one block."""
        return block.count_pairs(*self)


def tiles(sizes: Sequence[int], classes: Span, most_cells: int, most: int = TILE) -> Iterator[PairTile]:
    """Cut all pairs into tiles of at most `most` entries, or of one pair in one class.

    A pair of more than `most_cells` cells is no candidate: it may be in no tile.
    """
    begins = _begins(sizes)

    def split(tile: PairTile) -> Iterator[PairTile]:
        rows, columns, labels = tile
        if rows.begin >= columns.end - 1:  # nowhere i < j
            return
        height, width = (begins[span.end] - begins[span.begin] for span in (rows, columns))
        one_pair = len_of(rows) == len_of(columns) == 1
        if one_pair and height * width > most_cells:
            return
        if height * width * len_of(labels) <= most or (one_pair and len_of(labels) == 1):
            yield tile
        elif one_pair:
            for part in _halves(labels):
                yield from split(tile._replace(classes=part))
        elif len_of(columns) == 1 or (len_of(rows) > 1 and height >= width):
            for part in _halves(rows):
                yield from split(tile._replace(rows=part))
        else:
            for part in _halves(columns):
                yield from split(tile._replace(columns=part))

    everything = Span(0, len(sizes))
    yield from split(PairTile(everything, everything, classes))


def len_of(span: Span) -> int:
    """How many attributes or classes there are in a span."""
    return span.end - span.begin


def _halves(span: Span) -> tuple[Span, Span]:
    middle = (span.begin + span.end) // 2
    return Span(span.begin, middle), Span(middle, span.end)


def _begins(sizes: Sequence[int]) -> list[int]:
    """Where the values of each attribute begin, when all stand side by side, and last where they end."""
    return [0, *accumulate(sizes)]


@dataclass(frozen=True, eq=False)
class Tally:
    """Kept counts of the classes, of each attribute and, where `strips` is not None, of all pairs.

    It answers like a block, so that a model can be learnt anew when more rows have come. `strips[i]` holds the pairs of
    attribute i with all later ones: its axes are the class, the values of i, and theirs, side by side.
    """

    sizes: tuple[int, ...]
    classes: NDArray[np.float64]
    singles: tuple[NDArray[np.float64], ...]
    strips: tuple[NDArray[np.float64], ...] | None

    @staticmethod
    def entries(sizes: Sequence[int], n_classes: int, pairs: bool) -> int:
        """How many counts a tally holds."""
        begins = _begins(sizes)
        of_pairs = sum(size * (begins[-1] - end) for size, end in zip(sizes, begins[1:], strict=True))
        return n_classes * (begins[-1] + of_pairs * pairs)

    def __add__(self, other: Tally) -> Tally:
        strips = None if self.strips is None else tuple(map(np.copy, self.strips))
        return other.added_to(Tally(self.sizes, self.classes.copy(), tuple(map(np.copy, self.singles)), strips))

    def added_to(self, other: Tally) -> Tally:
        """The sum, in the arrays of the other: a tally may be large."""
        np.add(other.classes, self.classes, out=other.classes)
        for mine, theirs in zip(self.singles, other.singles, strict=True):
            np.add(theirs, mine, out=theirs)
        for mine, theirs in zip(self.strips or (), other.strips or (), strict=True):
            np.add(theirs, mine, out=theirs)
        return other

    def recoded(self, sizes: Sequence[int], codes: Sequence[Sequence[int]]) -> Tally:
        """The same counts where attribute i has `sizes[i]` values, and what was its code v is `codes[i][v]`."""
        n_classes, n, begins = len(self.classes), len(sizes), _begins(sizes)

        def spread(counts: NDArray[np.float64], shape: tuple[int, ...], *places: Sequence[int]) -> NDArray[np.float64]:
            result = np.zeros(shape)
            axes = [np.asarray(place, dtype=np.intp) for place in (range(len(counts)), *places)]
            result[np.ix_(*axes)] = counts
            return result

        singles = tuple(spread(self.singles[i], (n_classes, sizes[i]), codes[i]) for i in range(n))
        if self.strips is None:
            return Tally(tuple(sizes), self.classes, singles, None)
        strips = []
        for i, strip in enumerate(self.strips):
            later = [begins[j] - begins[i + 1] + code for j in range(i + 1, n) for code in codes[j]]
            strips.append(spread(strip, (n_classes, sizes[i], begins[n] - begins[i + 1]), codes[i], later))
        return Tally(tuple(sizes), self.classes, singles, tuple(strips))

    def of(self, attributes: Sequence[int]) -> Tally:
        """The counts of some attributes, in rising order, which are then numbered from 0."""
        sizes = tuple(self.sizes[i] for i in attributes)
        singles = tuple(self.singles[i] for i in attributes)
        if self.strips is None or len(attributes) == len(self.sizes):
            return Tally(sizes, self.classes, singles, self.strips)
        wanted = np.repeat(np.isin(np.arange(len(self.sizes)), attributes), self.sizes)
        begins = _begins(self.sizes)
        strips = tuple(self.strips[i][:, :, wanted[begins[i + 1] :]] for i in attributes)
        return Tally(sizes, self.classes, singles, strips)

    def count_scopes(self, scopes: Sequence[tuple[Sequence[int], int]]) -> NDArray[np.float64]:
        """Answer like a block, for scopes of at most two attributes."""
        tables = (self._table(attributes) for attributes, _ in scopes)
        parts = [t if label == EVERY_CLASS else t[label] for t, (_, label) in zip(tables, scopes, strict=True)]
        return np.concatenate([np.zeros(0), *(part.ravel() for part in parts)])

    def count_pairs(
        self, rows: tuple[int, int], columns: tuple[int, int], classes: tuple[int, int]
    ) -> NDArray[np.float64]:
        """Answer like a block."""
        begins = _begins(self.sizes)
        height, width = (begins[end] - begins[begin] for begin, end in (rows, columns))
        result = np.zeros((classes[1] - classes[0], height, width))
        for i in range(*rows):
            first = max(i + 1, columns[0])
            if first < columns[1]:
                own = slice(begins[i] - begins[rows[0]], begins[i + 1] - begins[rows[0]])
                theirs = slice(begins[first] - begins[i + 1], begins[columns[1]] - begins[i + 1])
                result[:, own, begins[first] - begins[columns[0]] :] = self._strip(i)[slice(*classes), :, theirs]
        return result.ravel()

    def _table(self, attributes: Sequence[int]) -> NDArray[np.float64]:
        if len(attributes) == 0:
            return self.classes
        if len(attributes) == 1:
            return self.singles[attributes[0]]
        i, j = sorted(attributes)
        begins = _begins(self.sizes)
        table = self._strip(i)[:, :, begins[j] - begins[i + 1] : begins[j + 1] - begins[i + 1]]
        return table if (i, j) == tuple(attributes) else table.swapaxes(1, 2)

    def _strip(self, i: int) -> NDArray[np.float64]:
        if self.strips is None:
            raise ValueError("this tally has no counts of pairs")
        return self.strips[i]


@dataclass(frozen=True)
class TallyAll:
    """The request for a tally: the counts of the classes, of each attribute and, if `pairs`, of each pair."""

    pairs: bool

    def __call__(self, block: _kernel.Block) -> Tally:
        """Tally one block."""
        sizes, n_classes = tuple(block.sizes), block.n_classes
        n, begins = len(sizes), _begins(sizes)
        every = block.count_scopes([((i,), EVERY_CLASS) for i in range(n)])
        singles = tuple(
            every[begins[i] * n_classes : begins[i + 1] * n_classes].reshape(n_classes, sizes[i]) for i in range(n)
        )
        strips = None
        if self.pairs:
            strips = tuple(
                block.count_pairs((i, i + 1), (i + 1, n), (0, n_classes)).reshape(
                    n_classes, sizes[i], begins[n] - begins[i + 1]
                )
                for i in range(n)
            )
        return Tally(sizes, block.count_scopes([((), EVERY_CLASS)]), singles, strips)
