"""Timing by turns: what is compared is run in the same seconds, and the least time of each counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from figure import Figure

Work = Callable[[], Any]

# Short work is repeated until its turns have taken so many seconds, or are so many.
ENOUGH = 2.0
LEAST_TURNS = 5
MOST_TURNS = 300


def by_turns(works: Mapping[str, Work]) -> dict[str, float]:
    """Run one after the other, again and again; the least time of each."""
    least = dict.fromkeys(works, float("inf"))
    began = time.perf_counter()
    for turn in range(MOST_TURNS):
        if turn >= LEAST_TURNS and time.perf_counter() - began > ENOUGH:
            break
        for name, work in works.items():
            least[name] = min(least[name], seconds(work))
    return least


def compare(what: str, ours: Work, beside: str, theirs: Work, bar: float | None = None) -> Figure:
    """Run both by turns."""
    least = by_turns({"ours": ours, "theirs": theirs})
    return Figure(what, least["ours"], beside, least["theirs"], bar)


def seconds(work: Work) -> float:
    """How long one call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
