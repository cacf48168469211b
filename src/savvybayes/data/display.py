"""Values, bins and tables as text for people."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from savvybayes.data.columns import Kind, Name

_EPOCH = datetime.datetime(1970, 1, 1)
_WIDEST = 60


def name_label(name: Name) -> str:
    """A column: its name in quotes, or its position."""
    return repr(name) if isinstance(name, str) else f"column {name}"


def value_label(value: Any) -> str:
    """A category, or a class; in quotes where it is blank or begins or ends so."""
    text = str(value)
    return text if text and text == text.strip() else repr(value)


def value_labels(values: Sequence[Any], kind: Kind, taken: Sequence[str] = ()) -> list[str]:
    """Categories, each told from the others (the text "1" from the number 1) and from labels that are taken."""
    if kind in ("date", "duration"):
        return [point_label(value, kind) for value in values]
    labels = [value_label(value) for value in values]
    return labels if len({*labels, *taken}) == len(labels) + len(taken) else [repr(value) for value in values]


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
    if len(set(points)) < len(points):
        points = [repr(cut) for cut in cuts]
    inner = [f"({low}, {high}]" for low, high in pairwise(points)]
    return [f"<= {points[0]}", *inner, f"> {points[-1]}"]


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head; long cells are cut."""
    short = [[shortened(" ".join(cell.splitlines())) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*short, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in short]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def shortened(text: str, widest: int = _WIDEST) -> str:
    """The text, cut where it is too wide."""
    return text if len(text) <= widest else text[: widest - 3] + "..."


def _without_midnight(date: str) -> str:
    return date.removesuffix(" 00:00:00")
