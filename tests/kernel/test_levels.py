"""The kernels are written for several sets of instructions: all tests of kernels hold on each that the machine has."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from savvybayes import _kernel

# From the least to the most, each with what it needs by the machine's own account.
X86 = {
    "plain": set[str](),
    "avx2": {"avx2", "popcnt"},
    "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "avx512_vbmi2", "avx512_vpopcntdq"},
}
LEVELS = {"x86_64": X86, "aarch64": {"plain": set[str](), "neon": set[str]()}}.get(platform.machine(), {"plain": set()})


def flags() -> set[str]:
    """What the machine's processor has."""
    cpuinfo = Path("/proc/cpuinfo")
    return set(cpuinfo.read_text(encoding="utf-8").split()) if cpuinfo.exists() else set()


AVAILABLE = [level for level, needs in LEVELS.items() if needs <= flags()]


def used(asked: str) -> str:
    """The level that is used where one is asked for."""
    done = subprocess.run(
        [sys.executable, "-c", "from savvybayes import _kernel; print(_kernel.instructions())"],
        env={**os.environ, "SAVVYBAYES_KERNELS": asked},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("level", LEVELS)
def test_a_forced_level_is_used(level: str) -> None:
    """A level that is asked for is the one that is used; one that the machine lacks gives the best below it."""
    if level in AVAILABLE:
        assert used(level) == level
    else:
        assert used(level) in AVAILABLE
        assert list(LEVELS).index(used(level)) < list(LEVELS).index(level)


def test_the_best_level_is_the_default() -> None:
    """Without a word from the user, or with a word that is no level, the best set of instructions is used."""
    assert used("") == used("unheard-of") == AVAILABLE[-1]


@pytest.mark.parametrize("level", AVAILABLE)
def test_all_kernels_on_a_level(level: str) -> None:
    """All other tests of this folder pass on each level; the report of the tests says which was used."""
    if level == _kernel.instructions():
        return  # they run here and now
    if os.environ.get("SAVVYBAYES_KERNELS"):
        pytest.skip("a level is forced for this run")
    here = Path(__file__)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--ignore={here}", str(here.parent)],
        env={**os.environ, "SAVVYBAYES_KERNELS": level},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"kernels: {level}" in done.stdout
