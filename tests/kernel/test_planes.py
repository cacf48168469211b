"""Counts of pairs by bit-planes: on every set of instructions that the machine has, they are those of the counters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coded import unaligned
from savvybayes import _kernel

LEVELS = ("plain", "avx2", "avx512")

# Counts of random blocks by planes, beside those of the same blocks with weights of 1, which are counted one by one.
SCRIPT = """
import numpy as np
from savvybayes import _kernel

print(_kernel.instructions())
rng = np.random.default_rng(0)
sizes = [2, 3, 1, 9, 22, 23, 5, 2, 255, 300, 6, 1, 4]
n = len(sizes)
for rows, classes, threads in ((0, 2, 1), (1, 1, 1), (63, 2, 2), (1000, 3, 2), (70_000, 2, 2), (513, 40, 3)):
    _kernel.set_thread_limit(threads)
    codes = [rng.integers(0, size, rows).astype(np.uint8 if size <= 255 else np.uint16) for size in sizes]
    y = rng.integers(0, classes, rows).astype(np.int32)
    by_planes = _kernel.Block(rows, sizes, codes, y, classes)
    one_by_one = _kernel.Block(rows, sizes, codes, y, classes, np.ones(rows))
    for tile in (((0, n), (0, n)), ((0, 3), (2, n)), ((4, 9), (0, 6)), ((1, 2), (7, 8)), ((3, 3), (0, n))):
        for labels in ((0, classes), (classes - 1, classes)):
            assert np.array_equal(by_planes.count_pairs(*tile, labels), one_by_one.count_pairs(*tile, labels))
# More planes than one panel has.
codes = [rng.integers(0, 8, 5000).astype(np.uint8) for _ in range(90)]
y = rng.integers(0, 2, 5000).astype(np.int32)
by_planes, one_by_one = (_kernel.Block(5000, [8] * 90, codes, y, 2, w) for w in (None, np.ones(5000)))
assert np.array_equal(*(b.count_pairs((0, 90), (0, 90), (0, 2)) for b in (by_planes, one_by_one)))
"""


def forced(level: str) -> str:
    """Run the script with a level forced, and return the one that was used."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "SAVVYBAYES_KERNELS": level},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def has(level: str) -> bool:
    """Whether this machine has the instructions, by its own account."""
    flags = {"plain": set(), "avx2": {"avx2"}, "avx512": {"avx512bw", "avx512_vpopcntdq"}}[level]
    cpuinfo = Path("/proc/cpuinfo")
    return flags <= (set(cpuinfo.read_text(encoding="utf-8").split()) if cpuinfo.exists() else set())


@pytest.mark.parametrize("level", LEVELS)
def test_planes_count_what_counters_count(level: str) -> None:
    """Whatever instructions count, counts are the same; a forced level is the one that is used."""
    used = forced(level)
    if has(level):
        assert used == level
    else:
        assert LEVELS.index(used) < LEVELS.index(level)


def test_the_best_level_is_the_default() -> None:
    """Without a word from the user the best set of instructions is used."""
    if "SAVVYBAYES_KERNELS" not in os.environ:
        assert _kernel.instructions() == [level for level in LEVELS if has(level)][-1]


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.uint16, np.uint32, np.uint64])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (5, 0), (127, 4), (5000, 7), (300, 8), (4099, 21)])
def test_integers_become_bytes(dtype: type[np.signedinteger[Any]], shape: tuple[int, int]) -> None:
    """A column of integers among 0..255 becomes the same numbers in bytes, another becomes None; strides are kept."""
    rng = np.random.default_rng(0)
    integers = rng.integers(0, 256, (shape[0], shape[1] + 2)).astype(dtype)[:, 1 : shape[1] + 1]
    for j, column in enumerate(_kernel.to_bytes(integers)):
        assert column is not None
        assert column.dtype == np.uint8
        np.testing.assert_array_equal(column, integers[:, j])
    if integers.size:
        for stranger in [256, 2**15 - 1] + [-1] * (np.dtype(dtype).kind == "i"):
            integers[-1, 0] = stranger
            first, *others = _kernel.to_bytes(integers)
            assert first is None
            assert all(other is not None for other in others)


def test_bytes_of_other_arrays() -> None:
    """What is no array of rows of integers, or of such as lie askew, is an error."""
    integers = np.zeros((4, 4), np.int64)
    for array in (np.zeros((2, 2)), np.zeros((2, 2), np.uint8), integers[:, ::2], unaligned(integers)):
        with pytest.raises(ValueError, match="integers"):
            _kernel.to_bytes(array)
