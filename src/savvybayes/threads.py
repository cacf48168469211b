"""How many threads the kernels use: a number that holds inside a ``with``, for the calling thread alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from savvybayes import _kernel
from savvybayes.parameters import is_whole

# More than that a machine hardly has; threads once started are kept.
MOST_THREADS = 256


@contextmanager
def threads(n_threads: int | None) -> Iterator[None]:
    """Let the kernels use so many threads; None is one for each core that this process may run on."""
    before = _kernel.thread_limit()
    _kernel.set_thread_limit(_usable_cores() if n_threads is None else min(n_threads, MOST_THREADS))
    try:
        yield
    finally:
        _kernel.set_thread_limit(before)


def check_n_threads(n_threads: Any) -> None:
    """Raise unless this is None or a positive whole number."""
    if n_threads is not None and not (is_whole(n_threads) and n_threads >= 1):
        raise ValueError(f"n_threads={n_threads!r}: give a whole number of at least 1, or None for all cores")


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
