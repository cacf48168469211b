"""TAN beside the limit program: plain intrinsics for the three tables, no checks, no Python."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

import tables
from clock import seconds
from figure import Figure, LeftOut
from kept import HERE, SHARED
from kernel_time import kernel_time
from models import THREADS, of_codes

SOURCES = SHARED / "limits"
FOLDER = HERE / "limits"
PROGRAM = FOLDER / "tan_e2e"

# The program's own repetitions, which ours get, too; and how often the two change places.
FITS, PREDICTIONS, TURNS = 12, 8, 3

WHOLE_FIT_BAR = {"b": 2.0}
KERNELS_BAR = {"a": 2.0, "c": 2.0}


class Times(NamedTuple):
    """The least seconds of a fit and of predicting the rows held out."""

    fit: float
    predict: float


class Ours(NamedTuple):
    """The same of whole calls, and of the kernels alone."""

    whole: Times
    kernels: Times


def figures(name: str) -> Iterator[Figure | LeftOut]:
    """Whole calls and the kernels' own time, from rows of bytes."""
    lack = _build()
    if lack:
        yield LeftOut("TAN beside the limit program", lack)
        return
    _write(name)
    ours, theirs = [], []
    for _ in range(TURNS):
        theirs.append(_run(name))
        ours.append(_ours(name))
    fit, predict = (min(times[i] for times in theirs) for i in range(2))
    for what, kind, bar in (("", "whole", WHOLE_FIT_BAR), (", kernels alone", "kernels", KERNELS_BAR)):
        least = Times(*(min(getattr(times, kind)[i] for times in ours) for i in range(2)))
        yield Figure(f"TAN.fit{what}, uint8", least.fit, "limit program, fit", fit, bar.get(name))
        predict_bar = KERNELS_BAR.get(name) if kind == "kernels" else None
        yield Figure(f"TAN.predict_proba{what}, uint8", least.predict, "limit program, predict", predict, predict_bar)


@cache
def _build() -> str:
    """Compile the program, unless that is done; what is in the way, or nothing."""
    if not SOURCES.is_dir():
        return "the limit program is not beside this checkout (../shared/limits)"
    newest = max(source.stat().st_mtime for source in SOURCES.iterdir())
    if PROGRAM.exists() and PROGRAM.stat().st_mtime > newest:
        return ""
    FOLDER.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, "-O3", "-march=native", "-pthread", "-w", "-o", str(PROGRAM)]
    try:
        done = subprocess.run(
            [*command, str(SOURCES / "tan_e2e.cpp")], capture_output=True, text=True, timeout=120, check=False
        )
    except OSError:
        return f"there is no compiler {compiler}"
    return "" if done.returncode == 0 else "the limit program does not compile here (it needs AVX-512)"


def _write(name: str) -> None:
    """The files that the program reads: columns of bytes, those held out as NumPy's own files."""
    table = tables.table(name)
    table.X.T.tofile(FOLDER / f"data_{name}_Xtr.bin")
    table.y.tofile(FOLDER / f"data_{name}_ytr.bin")
    np.save(FOLDER / f"data_{name}_Xte.npy", np.ascontiguousarray(table.X_held_out.T))
    np.save(FOLDER / f"data_{name}_yte.npy", table.y_held_out)


def _run(name: str) -> Times:
    """Have the program do one table, and read what it prints for our number of threads."""
    done = subprocess.run([PROGRAM, name], cwd=FOLDER, capture_output=True, text=True, timeout=120, check=True)
    told = re.search(rf"th={THREADS} wall ([\d.]+) ms.*\n\s*predict .*: wall ([\d.]+) ms", done.stdout)
    if told is None:
        raise RuntimeError(f"the limit program prints something else:\n{done.stdout}")
    return Times(float(told[1]) / 1e3, float(told[2]) / 1e3)


def _ours(name: str) -> Ours:
    table, model = tables.table(name), of_codes("TAN")
    fits = [_both(lambda: model.fit(table.X, table.y)) for _ in range(FITS)]
    predictions = [_both(lambda: model.predict_proba(table.X_held_out)) for _ in range(PREDICTIONS)]
    whole, kernels = (Times(min(f[i] for f in fits), min(p[i] for p in predictions)) for i in range(2))
    return Ours(whole, kernels)


def _both(work: Callable[[], object]) -> tuple[float, float]:
    """The seconds of a whole call, and of the kernels in it."""
    with kernel_time() as spent:
        whole = seconds(work)
    return whole, spent.seconds
