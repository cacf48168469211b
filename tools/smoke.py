"""Whether an installed savvybayes works: every classifier, on every set of instructions that the machine has.

Run from anywhere with the Python that it is installed in: ``python smoke.py``. Each set of instructions is forced in a
process of its own, which is this file with the name of a file to save its probabilities to: ``python smoke.py FILE``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris

import savvybayes
from savvybayes import _kernel, datasets

LEVELS = ("plain", "neon", "avx2", "avx512")
CLASSIFIERS = (savvybayes.NaiveBayes, savvybayes.ChowLiu, savvybayes.TAN, savvybayes.KDB)

# By how much probabilities may differ from 1 in sum, and from level to level.
TOLERANCE = 1e-12


def main() -> None:
    """Compare the levels, with a line for each, or be one of them."""
    if len(sys.argv) > 1:
        np.savez(sys.argv[1], *probabilities())
        print(_kernel.instructions())
        return
    if not Path(savvybayes.__file__).is_relative_to(sys.prefix):
        raise SystemExit(f"savvybayes is not the installed one, but that of {savvybayes.__file__}")
    reference: list[Any] | None = None
    for level in LEVELS:
        with tempfile.TemporaryDirectory() as folder:
            used, found = forced(level, Path(folder) / "probabilities.npz")
        if used != level:
            print(f"{level:7} not on this machine: {used} is used")
            continue
        reference = reference or found
        sums = max(abs(table.sum(axis=1) - 1).max() for table in found)
        levels = max(abs(table - first).max() for table, first in zip(found, reference, strict=True))
        print(f"{level:7} {len(found)} fits; sums of probabilities within {sums:.1g} of 1, ", end="")
        print(f"probabilities within {levels:.1g} of those of {LEVELS[0]}")
        if not max(sums, levels) <= TOLERANCE:  # also where one is NaN
            raise SystemExit(f"{level} is wrong by more than {TOLERANCE}")


def forced(level: str, file: Path) -> tuple[str, list[Any]]:
    """Return the level that is used where this one is asked for, and its probabilities."""
    environment = {**os.environ, "SAVVYBAYES_KERNELS": level}
    asked = [sys.executable, __file__, str(file)]
    used = subprocess.run(asked, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with np.load(file) as tables:
        return used, list(tables.values())


def probabilities() -> Iterator[Any]:
    """Yield those that each classifier gives the rows of each table that it was trained with."""
    for X, y in tables():
        kinds = "from_dtype" if X.dtype.kind == "f" else "all"
        for classifier in CLASSIFIERS:
            yield classifier(categorical_features=kinds).fit(X, y).predict_proba(X)


def tables() -> Iterator[tuple[Any, Any]]:
    """Yield the tables of the package, all of categories, and one of numbers."""
    yield datasets.load_tic_tac_toe(as_frame=False)
    yield datasets.load_titanic(as_frame=False)
    yield datasets.load_corral(as_frame=False)
    yield from (datasets.load_monk(problem, as_frame=False) for problem in (1, 2, 3))
    yield datasets.make_led7(random_state=0, as_frame=False)
    yield datasets.make_xor(random_state=0, as_frame=False)
    yield load_iris(return_X_y=True)


if __name__ == "__main__":
    main()
