"""What a schema is made of: questions to raw columns, answered by one fold over raw blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from savvybayes import _kernel
from savvybayes.data.columns import Array, Data, Labels, Numbers
from savvybayes.data.discretize import ValueMap
from savvybayes.data.source import RawBlock


@dataclass(frozen=True)
class AskValues:
    """Asks which values a column of categories has."""


@dataclass(frozen=True)
class AskMap:
    """Asks what a column of numbers tells of the classes."""


@dataclass(frozen=True)
class AskBins:
    """Asks between which of these cut points a column of numbers has values."""

    cuts: tuple[float, ...]


Question: TypeAlias = AskValues | AskMap | AskBins


@dataclass(frozen=True)
class Seen:
    """The values, or the numbers of the bins, that a column has, and whether it has a missing one."""

    values: frozenset[Any]
    missing: bool

    def __add__(self, other: Seen) -> Seen:
        return Seen(self.values | other.values, self.missing or other.missing)


Answer: TypeAlias = Seen | ValueMap


@dataclass(frozen=True)
class Survey:
    """One question for each of some consecutive columns, from the first-th on."""

    questions: tuple[Question, ...]
    first: int = 0

    def __call__(self, block: RawBlock) -> Findings:
        """Answer all questions from one block."""
        asked = block.columns[self.first : self.first + len(self.questions)]
        block = RawBlock(block.number, asked, block.target, block.weights).present()
        asked = block.columns
        classes, codes = _classes_of(block)
        answers: list[Answer | None] = [None] * len(self.questions)
        mapped = [i for i, question in enumerate(self.questions) if isinstance(question, AskMap)]
        if mapped and block.target is None:
            raise ValueError("the source has no target: there is no class by which to cut numbers")
        if mapped:
            columns = [numbers_of(asked[i]) for i in mapped]
            maps = _kernel.value_maps(columns, codes, len(classes), block.weights)
            for i, map_ in zip(mapped, maps, strict=True):
                answers[i] = ValueMap(*map_)
        valued = [i for i, question in enumerate(self.questions) if isinstance(question, AskValues)]
        for i, seen in zip(valued, _values_of([asked[i] for i in valued]), strict=True):
            answers[i] = seen
        for i, question in enumerate(self.questions):
            if isinstance(question, AskBins):
                answers[i] = _bins_of(asked[i], question.cuts)
        weighted = block.rows if block.weights is None else float(block.weights.sum())
        return Findings(classes, tuple(a for a in answers if a is not None), block.rows, weighted)


@dataclass(frozen=True)
class Findings:
    """The classes with weight, in `np.unique` order, the answers, the rows with weight, and their sum of weights."""

    classes: Array
    answers: tuple[Answer, ...]
    rows: int
    weight: float

    def __add__(self, other: Findings) -> Findings:
        classes = np.unique(np.concatenate([self.classes, other.classes]))
        mine, theirs = (np.searchsorted(classes, part.classes) for part in (self, other))
        answers: list[Answer] = []
        for a, b in zip(self.answers, other.answers, strict=True):
            if isinstance(a, ValueMap) and isinstance(b, ValueMap):
                answers.append(a.spread(mine, len(classes)) + b.spread(theirs, len(classes)))
            elif isinstance(a, Seen) and isinstance(b, Seen):
                answers.append(a + b)
        return Findings(classes, tuple(answers), self.rows + other.rows, self.weight + other.weight)


def numbers_of(column: Data) -> Array:
    """The numbers of a column of numbers, or of one that is missing all over."""
    return column.values if isinstance(column, Numbers) else column.as_numbers()


def _classes_of(block: RawBlock) -> tuple[Array, Array]:
    """The classes that the rows have, and the class of each row among them."""
    if block.target is None:
        return np.empty(0), np.zeros(block.rows, dtype=np.int32)
    seen, _ = block.target.seen(None)
    classes, order = np.unique(np.asarray(block.target.values)[seen], return_inverse=True)
    renumbered = np.zeros(len(block.target.values), dtype=np.int32)
    renumbered[seen] = order
    return classes, block.target.recoded(renumbered)


def _values_of(columns: Sequence[Data]) -> list[Seen]:
    numeric = iter(_kernel.distinct([column.values for column in columns if isinstance(column, Numbers)]))
    answers = []
    for column in columns:
        labels = column
        if isinstance(column, Numbers):
            values, missing, exact = next(numeric)
            if exact:
                answers.append(Seen(frozenset(_as_python(values, column.values.dtype)), missing))
                continue
            labels = column.as_labels()
        assert isinstance(labels, Labels)
        positions, missing = labels.seen(None)
        answers.append(Seen(frozenset(labels.values[i] for i in positions), missing))
    return answers


def _as_python(values: Array, dtype: np.dtype[Any]) -> list[Any]:
    """Doubles as the kind of Python number that the column's type would show; whole ones as int."""
    if dtype.kind == "f":
        return [int(v) if v.is_integer() and abs(v) < 2**53 else v for v in values.tolist()]
    whole: list[Any] = values.astype(dtype).tolist()
    return whole


def _bins_of(column: Data, cuts: Sequence[float]) -> Seen:
    """The bins with values; a bin is numbered by the cuts below it."""
    values = numbers_of(column)
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    bins = np.searchsorted(np.asarray(cuts, dtype=np.float64), values[~missing].astype(np.float64), side="left")
    return Seen(frozenset(np.unique(bins).tolist()), bool(missing.any()))
