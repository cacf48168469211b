"""Figures kept as JSON, so that a run can be compared with the one before."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

# Beside the checkout there may be data and programs that do not come along.
CHECKOUT = Path(__file__).resolve().parents[1]
SHARED = CHECKOUT.parent / "shared"

HERE = CHECKOUT / ".benchmarks"
FIGURES = HERE / "figures.json"
PREVIOUS = HERE / "previous.json"

Record = dict[str, Any]


def last() -> list[Record]:
    """The records of the last runs, each the newest of its part."""
    if not FIGURES.exists():
        return []
    records: list[Record] = json.loads(FIGURES.read_text())["records"]
    return records


def last_values() -> dict[tuple[str, str, str], float]:
    """The last value of each figure, by its part and what was compared."""
    return {(r["part"], r["what"], r["beside"]): r["value"] for r in last() if "value" in r}


def keep(machine: Record, parts: Iterable[str], records: Sequence[Record]) -> None:
    """Put the records of the parts that were run in the place of older ones; the file before is kept as previous."""
    run = set(parts)
    others = [record for record in last() if record["part"] not in run]
    HERE.mkdir(exist_ok=True)
    if FIGURES.exists():
        shutil.copy(FIGURES, PREVIOUS)
    FIGURES.write_text(json.dumps({"machine": machine, "records": [*others, *records]}, indent=1) + "\n")
