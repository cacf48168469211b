"""Timing by turns: what is compared is run in the same minute, and the least time of each counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Work = Callable[[], Any]


@dataclass(frozen=True)
class Figure:
    """How long a piece of work takes beside another."""

    what: str
    beside: str
    seconds: float
    seconds_beside: float

    @property
    def ratio(self) -> float:
        """Below 1 where ours is the faster."""
        return self.seconds / self.seconds_beside


def compare(what: str, work: Work, beside: str, other: Work, *, turns: int = 3) -> Figure:
    """Run both by turns."""
    ours, theirs = [], []
    for _ in range(turns):
        ours.append(_seconds(work))
        theirs.append(_seconds(other))
    return Figure(what, beside, min(ours), min(theirs))


def _seconds(work: Work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
