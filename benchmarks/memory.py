"""The most memory that a fit takes over its input, each in a process of its own.

Run by itself (`python memory.py TAN int64 FOLDER`) it measures one fit of the codes and classes kept in the folder.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.naive_bayes import CategoricalNB

import tables
from figure import Figure, LeftOut
from models import of_codes

BAR = 150.0
STATUS = Path("/proc/self/status")
FORGET = Path("/proc/self/clear_refs")


def figures() -> Iterator[Figure | LeftOut]:
    """NaiveBayes and TAN, beside `CategoricalNB`."""
    if not FORGET.exists():
        yield LeftOut("memory of fit", "the peak of a process can be read and forgotten on Linux alone")
        return
    table = tables.table("b")
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", table.X)
        np.save(Path(folder) / "y.npy", table.y)
        for dtype in ("int64", "uint8"):
            theirs = _in_a_process("CategoricalNB", dtype, folder)
            for model in ("NaiveBayes", "TAN"):
                ours = _in_a_process(model, dtype, folder)
                yield Figure(f"{model}.fit, {dtype}", ours, "CategoricalNB.fit", theirs, BAR, "MB")


def _in_a_process(model: str, dtype: str, folder: str) -> float:
    command = [sys.executable, __file__, model, dtype, folder]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True).stdout)


def _peak(name: str, dtype: str, folder: Path) -> float:
    """Megabytes over what was there just before; a small fit comes first, so that what is loaded once is there."""
    model: Any = CategoricalNB() if name == "CategoricalNB" else of_codes(name)
    X, y = (np.load(folder / f"{array}.npy").astype(dtype) for array in "Xy")
    model.fit(X[:1000], y[:1000])
    FORGET.write_text("5")
    before = _status("VmRSS")
    model.fit(X, y)
    return _status("VmHWM") - before


def _status(name: str) -> float:
    told = re.search(rf"{name}:\s+(\d+) kB", STATUS.read_text())
    if told is None:
        raise RuntimeError(f"{STATUS} has no {name}")
    return int(told[1]) * 1024 / 1e6


if __name__ == "__main__":
    print(_peak(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
