"""All benchmarks: each figure is a ratio of two times measured by turns in this run; nothing is asserted."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import kernels
import learners

KEPT = Path(".benchmarks") / "figures.json"


def main() -> None:
    """Print the figures as they come, and keep them."""
    print(f"{'what':<48}{'seconds':>9}   {'beside':<36}{'seconds':>9}{'ratio':>9}")
    figures = []
    for figure in chain(kernels.figures(), learners.figures()):
        ours = f"{figure.what:<48}{figure.seconds:>9.4f}"
        print(f"{ours}   {figure.beside:<36}{figure.seconds_beside:>9.4f}{figure.ratio:>9.3f}", flush=True)
        figures.append({**asdict(figure), "ratio": figure.ratio})
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps({"machine": platform.processor() or platform.machine(), "figures": figures}, indent=1))
    print(f"kept in {KEPT}")


if __name__ == "__main__":
    main()
