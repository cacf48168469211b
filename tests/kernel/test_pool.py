"""The threads: they are interrupted by Ctrl-C, survive a fork, and serve several callers at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import children
from coded import random_rows
from savvybayes import KDB, TAN, ChowLiu, NaiveBayes
from savvybayes._kernel import set_thread_limit, thread_limit
from savvybayes.threads import threads

# One call of each takes minutes; should they become fast, there is always another.
LONG_WORK = {
    "scopes": "block.count_scopes([((0, 1), -1)] * 300_000)",
    "pairs": "wide.count_pairs((0, 2000), (0, 2000), (0, 2))",
    "scores": "block.log_probabilities(np.zeros(2), [((0, 1), -1, np.zeros(12))] * 50_000)",
}

INTERRUPTED = """
import numpy as np
from savvybayes import TAN
from savvybayes._kernel import Block, set_thread_limit
set_thread_limit({n_threads})
rows = 1_000_000
codes = np.random.default_rng(0).integers(2, size=rows).astype(np.uint8)
few = codes[:100_000].copy()
block = Block(rows, [2, 1], [codes, np.zeros(rows, np.uint8)], (codes[::-1]).astype(np.int32), 2)
wide = Block(100_000, [2] * 2000, [few] * 2000, few.astype(np.int32), 2)
print("working", flush=True)
try:
    while True:
        {work}
except KeyboardInterrupt:
    print("interrupted")
counts = block.count_scopes([((0,), -1)])
print(counts.sum() == rows)
X = np.stack([codes[:1000], codes[1000:2000]], axis=1)
print(TAN(categorical_features="all", n_threads={n_threads}).fit(X, codes[:1000]).score(X, codes[:1000]))
"""


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("work", LONG_WORK)
def test_ctrl_c_ends_a_long_call(work: str, n_threads: int) -> None:
    """Ctrl-C in the middle of a call raises KeyboardInterrupt, and the library goes on working afterwards."""
    said = children.interrupt(INTERRUPTED.format(work=LONG_WORK[work], n_threads=n_threads))
    assert said.split() == ["interrupted", "True", "1.0"]


def test_ctrl_c_in_a_fit_leaves_the_earlier_model() -> None:
    """A fit that is interrupted raises KeyboardInterrupt; what was fitted before still predicts."""
    said = children.interrupt("""
        import numpy as np
        from savvybayes import TAN
        rng = np.random.default_rng(0)
        X, y = rng.integers(2, size=(500, 3)), rng.integers(2, size=500)
        model = TAN(categorical_features="all", n_threads=2).fit(X, y)
        before = model.predict_proba(X)
        many = rng.integers(4, size=(20_000, 60)).astype(np.uint8)
        label = rng.integers(2, size=20_000)
        print("working", flush=True)
        try:
            while True:
                model.fit(many, label)
        except KeyboardInterrupt:
            print("interrupted")
        try:
            print((model.predict_proba(X) == before).all())
        except ValueError:  # another fit had ended before
            print(model.n_features_in_ == 60)
        print((model.fit(X, y).predict_proba(X) == before).all())
    """)
    assert said.split() == ["interrupted", "True", "True"]


def test_another_error_of_a_signal_handler_comes_through() -> None:
    """What a signal handler raises during a call is raised by the call, and not turned into KeyboardInterrupt."""
    said = children.run("""
        import signal
        import numpy as np
        from savvybayes._kernel import Block, set_thread_limit
        class Late(Exception):
            pass
        def too_late(*_):
            raise Late
        codes = np.zeros(1_000_000, np.uint8)
        block = Block(len(codes), [2], [codes], codes.astype(np.int32), 1, np.ones(len(codes)))
        signal.signal(signal.SIGALRM, too_late)
        for n_threads in (1, 2):
            set_thread_limit(n_threads)
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            try:
                block.count_scopes([((0,), -1)] * 300_000)
            except Late:
                print("late", block.count_scopes([((0,), -1)])[0] == len(codes))
    """)
    assert said.split() == ["late", "True"] * 2


FORK = """
import multiprocessing, os, signal, sys, threading, warnings
import numpy as np
from savvybayes import KDB, ChowLiu, NaiveBayes, TAN
warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads: that is the point
rng = np.random.default_rng(0)
y = rng.integers(3, size=20_000)
X = np.stack([(y + rng.integers(4, size=len(y))) % (2 + i % 5) for i in range(12)], axis=1)
kinds = [NaiveBayes, ChowLiu, TAN, KDB]
models = [kind(categorical_features="all", n_threads=2).fit(X, y) for kind in kinds]
wanted = [model.predict_proba(X) for model in models]
def same(_=None):
    signal.alarm(100)  # a child that hangs dies
    for kind, model, probabilities in zip(kinds, models, wanted):
        again = kind(categorical_features="all", n_threads=3).fit(X, y)
        if not (again.predict_proba(X) == probabilities).all() or not (model.predict_proba(X) == probabilities).all():
            return False
    return True
def child():
    pid = os.fork()
    if pid == 0:
        os._exit(0 if same() else 1)
    return pid
def check(pid):
    assert os.waitpid(pid, 0)[1] == 0
"""


def test_a_forked_child_fits_and_predicts() -> None:
    """After a fit with threads, a child made by os.fork and its own child fit and predict, and so does the parent."""
    children.run(
        FORK
        + """
check(child())
check(child())
pid = os.fork()
if pid == 0:
    same()
    check(child())
    os._exit(0)
check(pid)
assert same()
"""
    )


def test_the_workers_of_multiprocessing_fit_and_predict() -> None:
    """So do the workers of multiprocessing's fork context, several at a time."""
    children.run(
        FORK
        + """
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map_async(same, range(4)).get(timeout=100) == [True] * 4
assert same()
"""
    )


@pytest.mark.skipif(bool(children.SANITIZER), reason="a fork may leave the sanitizers' own allocators locked")
def test_a_fork_in_the_middle_of_a_count() -> None:
    """A child may be forked while other threads are counting with threads: it counts anew, they go on."""
    children.run("""
        import os, signal, threading
        import numpy as np
        from savvybayes._kernel import Block, set_thread_limit
        # Few rows, so that the threads are sent for and let go of most of the time.
        rng = np.random.default_rng(0)
        codes = [rng.integers(3, size=50).astype(np.uint8) for _ in range(30)]
        block = Block(50, [3] * 30, codes, rng.integers(2, size=50, dtype=np.int32), 2)
        wanted = block.count_pairs((0, 30), (0, 30), (0, 2))
        stop, wrong = threading.Event(), []
        def count():
            set_thread_limit(3)
            while not stop.is_set():
                if not (block.count_pairs((0, 30), (0, 30), (0, 2)) == wanted).all():
                    wrong.append(1)
        busy = [threading.Thread(target=count, daemon=True) for _ in range(2)]
        for one in busy:
            one.start()
        set_thread_limit(2)
        for _ in range(100):
            pid = os.fork()
            if pid == 0:
                signal.alarm(30)
                right = (block.count_pairs((0, 30), (0, 30), (0, 2)) == wanted).all()
                os._exit(0 if right else 1)
            assert os.waitpid(pid, 0)[1] == 0
        stop.set()
        for one in busy:
            one.join()
        assert not wrong
    """)


def test_several_python_threads_fit_at_once() -> None:
    """Fits in several Python threads, with different n_threads, give the models that they give alone."""
    table = random_rows(3000, (2, 3, 4, 5, 300, 2, 3), 3)
    X, y = table.codes, table.classes
    wanted = {
        kind: kind(categorical_features="all", n_threads=1).fit(X, y).predict_proba(X)
        for kind in (NaiveBayes, ChowLiu, TAN, KDB)
    }
    together = threading.Barrier(6)

    def fit(number: int) -> bool:
        together.wait(timeout=60)
        right = True
        for kind, probabilities in wanted.items():
            model = kind(categorical_features="all", n_threads=1 + number % 4).fit(X, y)
            right &= np.array_equal(model.predict_proba(X), probabilities)
        return right

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(fit, range(6)))


def test_one_estimator_predicts_in_several_threads() -> None:
    """A fitted model may be asked by several Python threads at once."""
    table = random_rows(5000, (2, 3, 4), 3)
    model = TAN(categorical_features="all", n_threads=3).fit(table.codes, table.classes)
    wanted = model.predict_proba(table.codes)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: model.predict_proba(table.codes), range(12)):
            np.testing.assert_array_equal(found, wanted)


def test_the_number_of_threads_is_the_caller_s_alone() -> None:
    """The limit set in one Python thread holds there, is 1 in another, and comes back after a `with`, errors or not."""
    with threads(3):
        assert thread_limit() == 3
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(thread_limit).result() == 1
        with threads(2):
            assert thread_limit() == 2
        assert thread_limit() == 3
        with pytest.raises(ValueError, match="nothing"), threads(2):
            int("nothing")
        assert thread_limit() == 3
    before = thread_limit()
    with threads(None):
        assert thread_limit() >= 1
    assert thread_limit() == before


def test_the_limit_is_at_least_one() -> None:
    """A limit below 1 is 1: the caller itself always works."""
    before = thread_limit()
    try:
        for limit in (0, -1, -(2**31)):
            set_thread_limit(limit)
            assert thread_limit() == 1
    finally:
        set_thread_limit(before)


@pytest.mark.parametrize("kind", [NaiveBayes, ChowLiu, TAN, KDB])
def test_models_do_not_depend_on_threads(kind: type) -> None:
    """With 1, 2 and 5 threads a classifier learns the same bits, structure and probabilities."""
    table = random_rows(9000, (2, 3, 4, 5, 300, 2, 3), 3, weighting="whole")
    models = [
        kind(categorical_features="all", n_threads=n).fit(table.codes, table.classes, table.weights) for n in (1, 2, 5)
    ]
    for other in models[1:]:
        assert other.structure_ == models[0].structure_
        np.testing.assert_array_equal(other.predict_log_proba(table.codes), models[0].predict_log_proba(table.codes))
