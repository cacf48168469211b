"""Slow, plain twins of what savvybayes computes, written from the specification, importing nothing of savvybayes.

A table is a `Data`: rows of any hashable values (None is a missing value), a class and a weight for each.
"""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Value: TypeAlias = Hashable
Row: TypeAlias = tuple[Any, ...]
Doubles: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = list[list[float | None]]
ParentSets: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Data:
    """Rows of positive weight; attribute i has `sizes[i]` values, class labels are in the order of `labels`."""

    rows: tuple[Row, ...]
    classes: tuple[Value, ...]
    weights: tuple[float, ...]
    sizes: tuple[int, ...]
    labels: tuple[Value, ...]

    def __iter__(self) -> Iterator[tuple[Row, Value, float]]:
        return zip(self.rows, self.classes, self.weights, strict=True)

    @property
    def n(self) -> int:
        """The number of attributes."""
        return len(self.sizes)


def data(
    rows: Sequence[Sequence[Value]],
    classes: Sequence[Value],
    weights: Sequence[float] | None = None,
    *,
    sizes: Sequence[int] | None = None,
    labels: Sequence[Value] | None = None,
) -> Data:
    """Make a table; rows of weight 0 are absent. Sizes and labels are those of the rows, unless they are given."""
    every = [1.0] * len(rows) if weights is None else weights
    kept = [(tuple(r), c, float(w)) for r, c, w in zip(rows, classes, every, strict=True) if w > 0]
    if sizes is None:
        sizes = [len({row[i] for row, _, _ in kept}) for i in range(len(kept[0][0]))]
    if labels is None:
        labels = sorted({c for _, c, _ in kept})  # type: ignore[type-var]
    return Data(
        tuple(row for row, _, _ in kept),
        tuple(c for _, c, _ in kept),
        tuple(w for _, _, w in kept),
        tuple(sizes),
        tuple(labels),
    )


def informative(rows: Sequence[Sequence[Value]], weights: Sequence[float] | None = None) -> list[int]:
    """The attributes that have more than one value in rows of positive weight."""
    kept = [row for k, row in enumerate(rows) if weights is None or weights[k] > 0]
    return [i for i in range(len(rows[0])) if len({row[i] for row in kept}) > 1]


# Section 2: the grid.


def grid(value: float) -> float:
    """The nearest multiple of 2^-40, then its 30 leading significant bits, halves to even, in whole numbers."""
    steps = round(Fraction(abs(value)) * 2**40)
    dropped = max(steps.bit_length() - 30, 0)
    steps = round(Fraction(steps, 2**dropped)) * 2**dropped
    return math.copysign(float(Fraction(steps, 2**40)), value)


# Section 2: counts.


def counts(table: Data, scope: Sequence[int]) -> dict[tuple[Row, Any], float]:
    """The weight of each (cell, class) that occurs."""
    result: dict[tuple[Row, Any], float] = defaultdict(float)
    for row, label, weight in table:
        result[tuple(row[i] for i in scope), label] += weight
    return dict(result)


def dense_counts(table: Data, scope: Sequence[int]) -> Doubles:
    """The counts of a table of codes and classes 0, 1, ..., as an array: the class, then an axis per attribute."""
    result = np.zeros((len(table.labels), *(table.sizes[i] for i in scope)))
    for (cell, label), weight in counts(table, scope).items():
        result[(label, *cell)] = weight
    return result


# Section 2: information, from unsmoothed relative frequencies, in nats.


def information(pairs: Sequence[tuple[Value, Value, float]]) -> float:
    """``I(A; B) = sum p(a,b) log( p(a,b) / (p(a) p(b)) )`` of (a, b, weight) triples; 0 of none."""
    total = math.fsum(w for _, _, w in pairs)
    both: dict[tuple[Value, Value], float] = defaultdict(float)
    left: dict[Value, float] = defaultdict(float)
    right: dict[Value, float] = defaultdict(float)
    for a, b, w in pairs:
        both[a, b] += w / total
        left[a] += w / total
        right[b] += w / total
    return math.fsum(p * math.log(p / (left[a] * right[b])) for (a, b), p in both.items())


def information_with_class(table: Data, i: int) -> float:
    """``I(X_i; Y)``."""
    return information([(row[i], label, w) for row, label, w in table])


def information_within(table: Data, i: int, j: int, label: Value) -> float:
    """``I(X_i; X_j)`` within one class."""
    return information([(row[i], row[j], w) for row, c, w in table if c == label])


def information_given_class(table: Data, i: int, j: int) -> float:
    """``I(X_i; X_j | Y) = sum p(y) I(X_i; X_j | Y = y)``."""
    total = math.fsum(table.weights)
    share = {c: math.fsum(w for _, d, w in table if d == c) / total for c in table.labels}
    return math.fsum(share[c] * information_within(table, i, j, c) for c in table.labels if share[c] > 0)


# Section 3: structures.


def fits(table: Data, scope: Sequence[int], columns: int, max_cells: int | None) -> bool:
    """Whether the table of a scope has at most `max_cells` entries; those of unknown values are not counted."""
    return max_cells is None or math.prod(table.sizes[i] for i in scope) * columns <= max_cells


def spanning_forest(weights: Weights) -> ParentSets:
    """Grow a tree from the lowest attribute by Prim's rule; None is no candidate.

    Among edges of greatest weight the lowest new attribute, then its lowest neighbour in the tree. Where no edge leaves
    the tree, the lowest attribute outside begins another.
    """
    n = len(weights)
    parents: list[tuple[int, ...]] = [()] * n
    inside: list[int] = []
    while len(inside) < n:
        edges = [
            (-weight, new, old)
            for old in inside
            for new in range(n)
            if new not in inside and (weight := weights[old][new]) is not None
        ]
        if edges:
            _, new, old = min(edges)
            parents[new] = (old,)
        else:
            new = min(set(range(n)) - set(inside))
        inside.append(new)
    return tuple(parents)


def tan(table: Data, max_cells: int | None = None) -> ParentSets:
    """One tree, weights ``I(X_i; X_j | Y)``."""
    return spanning_forest(given_class_weights(table, max_cells))


def chow_liu(table: Data, max_cells: int | None = None) -> dict[Value, ParentSets]:
    """A tree for each class, weights ``I(X_i; X_j)`` within it."""
    return {label: spanning_forest(within_class_weights(table, label, max_cells)) for label in table.labels}


def given_class_weights(table: Data, max_cells: int | None = None) -> Weights:
    """``I(X_i; X_j | Y)`` on the grid; None where the pair's table is too large, and on the diagonal."""
    weights: Weights = [[None] * table.n for _ in range(table.n)]
    for i, j in combinations(range(table.n), 2):
        if fits(table, (i, j), len(table.labels), max_cells):
            weights[i][j] = weights[j][i] = grid(information_given_class(table, i, j))
    return weights


def within_class_weights(table: Data, label: Value, max_cells: int | None = None) -> Weights:
    """``I(X_i; X_j)`` within a class on the grid; None where the pair's table is too large, and on the diagonal."""
    weights: Weights = [[None] * table.n for _ in range(table.n)]
    for i, j in combinations(range(table.n), 2):
        if fits(table, (i, j), 1, max_cells):
            weights[i][j] = weights[j][i] = grid(information_within(table, i, j, label))
    return weights


def kdb(
    table: Data, k: int, theta: float | None = None, max_cells: int | None = None
) -> tuple[ParentSets, tuple[int, ...]]:
    """Parents, strongest first, and the order of placing.

    The order is by falling ``I(X_i; Y)``; parents are the k placed attributes of greatest ``I(X_i; X_j | Y)``, above
    theta where it is given, the earlier placed first of equal ones; one that would make the table too large is passed.
    """
    relevance = [grid(information_with_class(table, i)) for i in range(table.n)]
    order = sorted(range(table.n), key=lambda i: (-relevance[i], i))
    parents: dict[int, tuple[int, ...]] = {}
    for place, i in enumerate(order):
        strength = {j: grid(information_given_class(table, i, j)) for j in order[:place]}
        chosen: tuple[int, ...] = ()
        for j in sorted(order[:place], key=lambda j: (-strength[j], order.index(j))):
            strong = theta is None or strength[j] > grid(theta)
            if len(chosen) < k and strong and fits(table, (i, *chosen, j), len(table.labels), max_cells):
                chosen = (*chosen, j)
        parents[i] = chosen
    return tuple(parents[i] for i in range(table.n)), tuple(order)


# Section 2: smoothing, and section 1: the score.


def log_posterior(
    table: Data, parents: ParentSets | dict[Value, ParentSets], row: Sequence[Value], alpha: float
) -> list[float]:
    """``log P(y | row)`` of ``P(y) prod_i P(x_i | parents_i, y)`` for each class.

    ``P(x_i | pa, y) = (N + alpha) / (N_pa,y + alpha r_i)``. A value that training has not seen is left out of the scope
    it stands in, and that smaller scope is smoothed instead; an attribute without its value contributes no factor.
    """
    total = math.fsum(table.weights)
    seen = [{r[i] for r in table.rows} for i in range(table.n)]
    known = [value in seen[i] for i, value in enumerate(row)]
    scores = []
    for label in table.labels:
        weight = math.fsum(w for _, c, w in table if c == label)
        own = parents[label] if isinstance(parents, dict) else parents
        terms = [
            _log_conditional(table, row, i, [j for j in own[i] if known[j]], label, alpha)
            for i in range(table.n)
            if known[i]
        ]
        scores.append(math.log(weight / total) + math.fsum(terms))
    top = max(scores)
    evidence = top + math.log(math.fsum(math.exp(s - top) for s in scores))
    return [s - evidence for s in scores]


def _log_conditional(
    table: Data, row: Sequence[Value], child: int, parents: Sequence[int], label: Value, alpha: float
) -> float:
    of_parents = of_both = 0.0
    for other, c, weight in table:
        if c == label and all(other[j] == row[j] for j in parents):
            of_parents += weight
            of_both += weight * (other[child] == row[child])
    return math.log((of_both + alpha) / (of_parents + alpha * table.sizes[child]))


# Section 9: numbers into categories.

MOST_KEYS = 2**14


@dataclass(frozen=True)
class Key:
    """The values that share a key: the least, the greatest, and the weight of each class."""

    least: float
    greatest: float
    weights: tuple[float, ...]


@dataclass(frozen=True)
class ValueMap:
    """The keys of a column in rising order, how many low bits they lack, and the weights of missing values."""

    level: int
    keys: tuple[Key, ...]
    missing: tuple[float, ...]


def pattern(value: float) -> int:
    """The 64-bit pattern of a double, as a whole number that rises with the double; -0.0 is 0.0."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", 0.0 if value == 0 else value))
    number = int(bits)
    return 2**64 - 1 - number if number >= 2**63 else number + 2**63


def value_map(
    values: Sequence[float], classes: Sequence[int], n_classes: int, weights: Sequence[float] | None = None
) -> ValueMap:
    """The map of a whole column at once: the fewest low bits are dropped that leave at most 2^14 keys."""
    every = [1.0] * len(values) if weights is None else weights
    present = [(float(v), c, w) for v, c, w in zip(values, classes, every, strict=True) if w > 0]
    missing = [0.0] * n_classes
    for value, c, w in present:
        if math.isnan(value):
            missing[c] += w
    numbers = sorted((v, c, w) for v, c, w in present if not math.isnan(v))
    level = 0
    while len({pattern(v) >> level for v, _, _ in numbers}) > MOST_KEYS:
        level += 1
    members: dict[int, list[tuple[float, int, float]]] = defaultdict(list)
    for value, c, w in numbers:
        members[pattern(value) >> level].append((value + 0.0, c, w))
    keys = []
    for key in sorted(members):
        own = members[key]
        of_class = tuple(sum(w for _, c, w in own if c == label) for label in range(n_classes))
        keys.append(Key(min(v for v, _, _ in own), max(v for v, _, _ in own), of_class))
    return ValueMap(level, tuple(keys), tuple(missing))


def mdlp_cuts(map_: ValueMap) -> list[float]:
    """The cut points of Fayyad & Irani (1993), rising."""
    return _cuts_within(map_.keys)


def _cuts_within(keys: Sequence[Key]) -> list[float]:
    """Cut an interval where its halves have least class entropy, if the gain is worth its description; recursively."""
    whole = _class_sums(keys)
    total = sum(whole)
    if total < 2 or len(keys) < 2:
        return []
    lefts = list(accumulate((key.weights for key in keys[:-1]), _added))
    rights = list(accumulate((key.weights for key in keys[:0:-1]), _added))[::-1]
    remaining = [
        (sum(left) * _entropy(left) + sum(right) * _entropy(right)) / total
        for left, right in zip(lefts, rights, strict=True)
    ]
    at = 1 + min(range(len(remaining)), key=lambda i: (grid(remaining[i]), i))
    left, right = keys[:at], keys[at:]
    k, k1, k2 = (sum(w > 0 for w in _class_sums(part)) for part in (keys, left, right))
    e, e1, e2 = (_entropy(_class_sums(part)) for part in (keys, left, right))
    threshold = (math.log2(total - 1) + math.log2(3**k - 2) - (k * e - k1 * e1 - k2 * e2)) / total
    if not grid(e - remaining[at - 1]) > grid(threshold):
        return []
    return [*_cuts_within(left), cut_between(left[-1].greatest, right[0].least), *_cuts_within(right)]


def cut_between(low: float, high: float) -> float:
    """The midpoint, or the lower value where that is not below the upper one."""
    middle = low / 2 + high / 2
    return middle if middle < high else low


def _class_sums(keys: Sequence[Key]) -> list[float]:
    return [math.fsum(column) for column in zip(*(key.weights for key in keys), strict=True)]


def _added(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _entropy(weights: Sequence[float]) -> float:
    """In bits."""
    total = math.fsum(weights)
    return -math.fsum(w / total * math.log2(w / total) for w in weights if w > 0)


def quantile_cuts(map_: ValueMap, n_bins: int) -> list[float]:
    """The j-th cut lies after the first key with which the weight reaches j parts in n_bins; equal ones are one."""
    total = sum(Fraction(w) for key in map_.keys for w in key.weights)
    last_keys = set()
    for j in range(1, n_bins):
        reached = Fraction(0)
        for at, key in enumerate(map_.keys):
            reached += sum(Fraction(w) for w in key.weights)
            if reached >= total * Fraction(j, n_bins):
                last_keys.add(at)
                break
    return [
        cut_between(map_.keys[at].greatest, map_.keys[at + 1].least)
        for at in sorted(last_keys)
        if at + 1 < len(map_.keys)
    ]
