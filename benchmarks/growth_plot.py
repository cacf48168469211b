"""The picture of growth: seconds over size, a panel for each, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.ticker import EngFormatter

mpl.use("Agg")
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from growth import Growth

INK, FITTED, REFERENCE = "#1b3a5c", "#d1495b", "#8a8f98"


def plot(growths: Sequence[Growth], path: Path) -> None:
    """Draw and save."""
    figure, panels = plt.subplots(1, len(growths), figsize=(6 * len(growths), 4.8), layout="constrained")
    for panel, growth in zip(panels, growths, strict=True):
        _draw(panel, growth)
    figure.suptitle("Time of TAN.fit as the table grows (4 values, 2 classes)")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _draw(panel: Any, growth: Growth) -> None:
    sizes = np.array(growth.sizes, dtype=float)
    upper = sizes[len(sizes) // 2 :]
    slope, intercept = growth.line
    from_last = growth.seconds[-1] * (sizes / sizes[-1]) ** growth.bar
    panel.plot(sizes, from_last, "--", color=REFERENCE, label=f"slope {growth.bar:g}, for comparison")
    fitted = np.exp(intercept) * upper**slope
    panel.plot(upper, fitted, "-", color=FITTED, linewidth=2.5, label=f"fitted to these points: slope {slope:.2f}")
    panel.plot(sizes, growth.seconds, "o", color=INK, label="measured")
    panel.set(xscale="log", yscale="log", xlabel=growth.of, ylabel="seconds", title=f"{growth.of}, at {growth.beside}")
    panel.set_xticks(sizes, minor=False)
    panel.set_xticks([], minor=True)
    panel.xaxis.set_major_formatter(EngFormatter(sep=""))
    panel.yaxis.set_major_formatter(EngFormatter(unit="s"))
    panel.grid(visible=True, which="major", alpha=0.3)
    panel.legend(loc="upper left", frameon=False)
