"""Values, bins and tables as text for people."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from savvybayes.data.columns import Kind

_EPOCH = datetime.datetime(1970, 1, 1)
_WIDEST = 60


def value_label(value: Any) -> str:
    """A category, or a class."""
    return str(value)


def point_label(point: float, kind: Kind) -> str:
    """A cut point: dates as dates."""
    if kind not in ("date", "duration"):
        return f"{point:.10g}"
    try:
        length = datetime.timedelta(microseconds=point)
        return _without_midnight(str(_EPOCH + length)) if kind == "date" else str(length)
    except OverflowError:  # outside the years 1 to 9999
        return f"{point:.10g} microseconds"


def bin_labels(cuts: Sequence[float], kind: Kind) -> list[str]:
    """The bins between cut points; a value equal to a cut goes left."""
    if not cuts:
        return ["any"]
    points = [point_label(cut, kind) for cut in cuts]
    inner = [f"({low}, {high}]" for low, high in pairwise(points)]
    return [f"<= {points[0]}", *inner, f"> {points[-1]}"]


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head; long cells are cut."""
    short = [[cell if len(cell) <= _WIDEST else cell[: _WIDEST - 3] + "..." for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*short, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in short]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def _without_midnight(date: str) -> str:
    return date.removesuffix(" 00:00:00")
