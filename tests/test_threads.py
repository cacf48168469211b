"""How many threads the kernels use: a number that holds inside a ``with``, for the calling thread alone."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import checks
from savvybayes import TAN, MDLPDiscretizer, _kernel
from savvybayes.threads import check_n_threads, threads


def test_holds_inside_and_not_after() -> None:
    """The number holds inside the ``with``, nested ones inside theirs, and the earlier one after it, errors or not."""
    before = _kernel.thread_limit()
    with threads(3):
        assert _kernel.thread_limit() == 3
        with threads(1):
            assert _kernel.thread_limit() == 1
        assert _kernel.thread_limit() == 3
        with pytest.raises(KeyError), threads(7):
            raise KeyError
        assert _kernel.thread_limit() == 3
    assert _kernel.thread_limit() == before


def test_none_is_one_for_each_usable_core() -> None:
    """None is as many threads as there are cores that this process may run on."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with threads(None):
        assert _kernel.thread_limit() == usable


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be taken away here")
def test_fewer_cores() -> None:
    """Where a process may run on fewer cores than there are, as in a container, None is that many."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        with threads(None):
            assert _kernel.thread_limit() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_holds_for_the_calling_thread_alone() -> None:
    """Another thread is not touched by it."""
    seen: list[int] = []
    start = _kernel.thread_limit

    def look() -> None:
        seen.append(start())

    fresh = threading.Thread(target=look)
    fresh.start()
    fresh.join()
    with threads(5):
        other = threading.Thread(target=look)
        other.start()
        other.join()
    assert seen[0] == seen[1] != 5


def test_fitting_leaves_the_number_as_it_was() -> None:
    """An estimator's n_threads holds while it works, not afterwards, also where it fails."""
    X, y = checks.mixed_table()
    with threads(4):
        TAN(n_threads=2).fit(X, y).predict(X)
        MDLPDiscretizer().fit(X[["length"]], y)
        assert _kernel.thread_limit() == 4
        with pytest.raises(ValueError, match="alpha=0"):
            TAN(n_threads=2, alpha=0).fit(X, y)
        assert _kernel.thread_limit() == 4


@pytest.mark.parametrize("n_threads", [None, 1, 2, 1000, np.int64(3)])
def test_good_numbers(n_threads: Any) -> None:
    """Positive whole numbers and None are numbers of threads."""
    check_n_threads(n_threads)


@pytest.mark.parametrize("n_threads", [0, -1, 1.0, True, "2", [1], float("nan")], ids=repr)
def test_bad_numbers(n_threads: Any) -> None:
    """Anything else is an error that shows it and says what would be right."""
    with pytest.raises(ValueError, match=r"n_threads=.*: give a whole number of at least 1, or None for all cores"):
        check_n_threads(n_threads)
    with pytest.raises(ValueError, match="n_threads="):
        TAN(n_threads=n_threads).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("n_threads", [1, 2, 3, 64, None])
def test_any_number_gives_the_same(n_threads: int | None) -> None:
    """More threads than cores, rows or columns give the same bits as one."""
    X, y = checks.mixed_table(5000)
    one = TAN(n_threads=1).fit(X, y)
    model = clone(one).set_params(n_threads=n_threads).fit(X, y)
    checks.assert_same_model(model, one)
    checks.assert_same_bits(model.predict_proba(X), one.predict_proba(X))


def test_many_estimators_in_many_threads() -> None:
    """Estimators with different numbers of threads may work at once, each in a thread of its own."""
    X, y = checks.mixed_table(2000)
    expected = TAN(n_threads=1).fit(X, y)

    def work(i: int) -> None:
        model = TAN(n_threads=1 + i % 4).fit(X, y)
        checks.assert_same_model(model, expected)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(32), timeout=60))
