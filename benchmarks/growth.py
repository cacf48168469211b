"""How the time of TAN's fit grows with rows and with attributes: slopes where both axes are logarithms, and a plot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

import tables
from clock import by_turns
from figure import Figure
from growth_plot import plot
from kept import HERE
from models import of_codes

PICTURE = HERE / "growth.png"

ROWS = (100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000)
ATTRIBUTES = (100, 180, 320, 560, 1000, 1750, 3000)


@dataclass(frozen=True)
class Growth:
    """Sizes, seconds, and the slope that is the most there should be."""

    of: str
    beside: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    bar: float

    @property
    def line(self) -> tuple[float, float]:
        """Slope and intercept of the least squares through the upper half of the points."""
        half = len(self.sizes) // 2
        slope, intercept = np.polyfit(np.log(self.sizes[half:]), np.log(self.seconds[half:]), 1)
        return float(slope), float(intercept)

    @property
    def steepest(self) -> float:
        """The largest slope between neighbours."""
        points = pairwise(zip(np.log(self.sizes), np.log(self.seconds), strict=True))
        return max(float((time - earlier) / (size - smaller)) for (smaller, earlier), (size, time) in points)


def figures() -> Iterator[Figure]:
    """Rows at 20 attributes, attributes at 10,000 rows: four values, two classes, bytes."""
    growths = (_rows(), _attributes())
    for growth in growths:
        middle, most = growth.sizes[len(growth.sizes) // 2], growth.sizes[-1]
        what = f"slope with {growth.of}, {middle:,} to {most:,}"
        beside = f"steepest, from {growth.sizes[0]:,}"
        yield Figure(what, growth.line[0], beside, growth.steepest, growth.bar, "slope")
    plot(growths, PICTURE)


def _rows() -> Growth:
    table = tables.draw(tables.Shape(ROWS[-1], 0, 20, 4, 2, 0.3))
    return _growth("rows", "20 attributes", {rows: (table.X[:rows], table.y[:rows]) for rows in ROWS}, 1.0)


def _attributes() -> Growth:
    table = tables.draw(tables.Shape(10_000, 0, ATTRIBUTES[-1], 4, 2, 0.3))
    cut = {count: (np.ascontiguousarray(table.X[:, :count]), table.y) for count in ATTRIBUTES}
    return _growth("attributes", "10,000 rows", cut, 2.0)


def _growth(of: str, beside: str, data: dict[int, tuple[tables.Codes, tables.Codes]], bar: float) -> Growth:
    """Sizes take turns, so that a busy minute does not fall on one of them alone."""
    model = of_codes("TAN")
    least = by_turns({str(size): partial(model.fit, X, y) for size, (X, y) in data.items()})
    return Growth(of, beside, tuple(data), tuple(least.values()), bar)
