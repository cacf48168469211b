"""One figure: what was measured of ours and of another's, and the bar that it is held against."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["ratio", "MB", "slope"]


@dataclass(frozen=True)
class Figure:
    """A ratio of seconds; or megabytes or a slope, which are held against the bar by themselves."""

    what: str
    ours: float
    beside: str
    theirs: float
    bar: float | None = None
    kind: Kind = "ratio"

    @property
    def value(self) -> float:
        """What the bar is the most of."""
        return self.ours / self.theirs if self.kind == "ratio" else self.ours

    @property
    def met(self) -> bool:
        """Whether the bar is met, where there is one."""
        return self.bar is None or self.value <= self.bar


@dataclass(frozen=True)
class LeftOut:
    """What could not be measured here."""

    what: str
    reason: str


Figures: TypeAlias = Iterable[Figure | LeftOut]
