"""Numbers into categories: value maps, which add up over blocks, and the cut points made from them.

Section 9 of the specification: Fayyad and Irani (1993), from a map that depends on the set of rows alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from savvybayes import _kernel
from savvybayes.data.columns import Array

MOST_KEYS = 2**14


@dataclass(frozen=True, eq=False)
class ValueMap:
    """What a column of numbers tells of the classes.

    For each key, in rising order, its least and greatest value and the weight of each class. A key is the
    order-preserving pattern of a value without its lowest `level` bits: the fewest that leave at most `MOST_KEYS` keys.
    """

    level: int
    least: Array
    greatest: Array
    counts: Array
    missing: Array

    def __add__(self, other: ValueMap) -> ValueMap:
        level = max(self.level, other.level)
        least = np.concatenate([self.least, other.least])
        greatest = np.concatenate([self.greatest, other.greatest])
        counts = np.concatenate([self.counts, other.counts])
        order = np.argsort(least, kind="stable")
        patterns = _patterns(least[order])
        while True:
            keys = patterns >> np.uint64(level)
            first = np.flatnonzero(np.concatenate([keys[:1] == keys[:1], keys[1:] != keys[:-1]]))
            if len(first) <= MOST_KEYS:
                break
            level += 1
        if len(first):
            least = np.minimum.reduceat(least[order], first)
            greatest = np.maximum.reduceat(greatest[order], first)
            counts = np.add.reduceat(counts[order], first, axis=0)
        return ValueMap(level, least, greatest, counts, self.missing + other.missing)

    def spread(self, positions: Array, n_classes: int) -> ValueMap:
        """The same map among `n_classes` classes, where class c here is class `positions[c]` there."""
        counts = np.zeros((len(self.least), n_classes))
        counts[:, positions] = self.counts
        missing = np.zeros(n_classes)
        missing[positions] = self.missing
        return ValueMap(self.level, self.least, self.greatest, counts, missing)


def _patterns(values: Array) -> Array:
    """The order-preserving 64-bit patterns of doubles."""
    bits = (values + 0.0).view(np.uint64)
    sign = np.uint64(1 << 63)
    return np.where(bits & sign, ~bits, bits | sign)


def mdlp_cuts(maps: Sequence[ValueMap]) -> list[Array]:
    """The cut points of Fayyad and Irani, for each map."""
    return _kernel.mdlp_cuts([(m.least, m.greatest, np.ascontiguousarray(m.counts)) for m in maps])


def quantile_cuts(map_: ValueMap, n_bins: int) -> Array:
    """At most ``n_bins - 1`` cut points that part the weight as evenly as the keys allow.

    The j-th lies after the first key with which the weight reaches j parts in n_bins of the whole; equal ones are one.
    """
    reached = np.cumsum(map_.counts.sum(axis=1))
    if len(reached) < 2:
        return np.empty(0)
    n_bins = min(n_bins, 64 * MOST_KEYS)  # more would part no more keys
    wanted = reached[-1] * np.arange(1, n_bins) / n_bins
    keys = np.unique(np.searchsorted(reached, wanted, side="left"))
    keys = keys[keys < len(reached) - 1]
    low, high = map_.greatest[keys], map_.least[keys + 1]
    middle = low / 2 + high / 2
    cuts: Array = np.where(middle < high, middle, low)
    return cuts
