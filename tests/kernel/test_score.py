"""Scoring: summed look-ups and their log-softmax, at every edge of the tiles; and what it refuses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import children
import oracles
from coded import CodedRows, coded_rows, random_rows, unaligned
from savvybayes._kernel import Block
from savvybayes.threads import threads

bounded = settings(deadline=None, max_examples=60)
EVERY = -1

LogTable = tuple[Sequence[int], int, Any]


def scored(codes: Sequence[Sequence[int]], prior: Sequence[float], tables: Sequence[LogTable]) -> oracles.Doubles:
    """Look up, add and normalise, row by row; tables are arrays with an axis per attribute, and one of classes."""
    result = np.empty((len(codes), len(prior)))
    for row, own in enumerate(codes):
        scores = []
        for label, start in enumerate(prior):
            terms = [start]
            for attributes, only, entries in tables:
                cell = tuple(own[i] for i in attributes)
                if only == EVERY:
                    terms.append(entries[(*cell, label)])
                elif only == label:
                    terms.append(entries[cell])
            scores.append(math.fsum(terms))
        top = max(scores)
        result[row] = np.array(scores) - (top + math.log(math.fsum(math.exp(s - top) for s in scores)))
    return result


def random_tables(
    sizes: Sequence[int], n_classes: int, rng: np.random.Generator, scopes: Sequence[tuple[Sequence[int], int]]
) -> list[LogTable]:
    """Fill the tables of some scopes with random entries."""
    shapes = [(*(sizes[i] + 1 for i in own), *((n_classes,) if label == EVERY else ())) for own, label in scopes]
    return [(own, label, rng.normal(size=shape)) for (own, label), shape in zip(scopes, shapes, strict=True)]


def blind(table: CodedRows) -> Block:
    """The rows as they are scored: without classes, in their order."""
    return Block(len(table.codes), table.sizes, table.columns())


@given(coded_rows(sizes=(1, 2, 3, 255, 256, 300), attributes=(1, 4), weightings=("none",)), st.data())
@bounded
def test_scores_are_sums_of_look_ups(table: CodedRows, data: st.DataObject) -> None:
    """Any tables over any attributes, unknown values among them, of all classes or one, to 1e-12."""
    n, n_classes = len(table.sizes), table.n_classes
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    codes = np.where(rng.random(table.codes.shape) < 0.2, np.array(table.sizes), table.codes)
    table = CodedRows(codes, table.classes, table.sizes, n_classes)
    scope = st.tuples(st.lists(st.integers(0, n - 1), max_size=3), st.integers(EVERY, n_classes - 1))
    scopes = [
        (own, label)
        for own, label in data.draw(st.lists(scope, max_size=5))
        if math.prod(table.sizes[i] + 1 for i in own) <= 2**17
    ]
    prior, tables = rng.normal(size=n_classes), random_tables(table.sizes, n_classes, rng, scopes)
    found = blind(table).log_probabilities(prior, tables)
    np.testing.assert_allclose(found, scored(codes.tolist(), prior.tolist(), tables), rtol=0, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 511, 512, 513, 1024, 1537])
def test_rows_beyond_a_tile(rows: int) -> None:
    """No row is lost or mixed up where the kernel goes from one run of rows to the next."""
    rng = np.random.default_rng(rows)
    table = random_rows(rows, (2, 300, 3), 3, seed=rows)
    prior = rng.normal(size=3)
    tables = random_tables(table.sizes, 3, rng, [((0,), EVERY), ((1, 2), EVERY), ((2, 0), 1), ((), EVERY), ((), 2)])
    found = blind(table).log_probabilities(prior, tables)
    np.testing.assert_allclose(found, scored(table.codes.tolist(), prior.tolist(), tables), rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 33])
def test_any_number_of_classes(n_classes: int) -> None:
    """Entries are loaded several classes at a time: none is lost, and none is another row's."""
    rng = np.random.default_rng(n_classes)
    table = random_rows(530, (2, 300, 3, 250), 2, seed=n_classes)
    prior = rng.normal(size=n_classes)
    scopes = [((0,), EVERY), ((1, 0), EVERY), ((2, 0), n_classes - 1), ((2,), 0), ((), EVERY), ((3, 1), 0)] * 3
    tables = random_tables(table.sizes, n_classes, rng, scopes)
    found = blind(table).log_probabilities(prior, tables)
    np.testing.assert_allclose(found, scored(table.codes.tolist(), prior.tolist(), tables), rtol=0, atol=1e-12)


@pytest.mark.parametrize("prior", [(-np.inf, 0.0), (0.0, -np.inf), (-800.0, 0.0), (400.0, -400.0)])
def test_log_odds_without_end(prior: tuple[float, float]) -> None:
    """Of two classes one may be impossible, or so improbable that its exponential is none."""
    with np.errstate(divide="ignore"):
        found = Block(1, [], []).log_probabilities(np.array(prior), [])[0]
    finite = [p - max(prior) for p in prior]
    np.testing.assert_allclose(found, finite, rtol=1e-15, atol=1e-15)


def test_probabilities_sum_to_one() -> None:
    """Each row's probabilities have sum 1, with one class as with 300."""
    for n_classes in (1, 2, 300):
        rng = np.random.default_rng(n_classes)
        table = random_rows(600, (3, 4), 2)
        tables = random_tables(table.sizes, n_classes, rng, [((0, 1), EVERY), ((1,), n_classes - 1)])
        found = blind(table).log_probabilities(rng.normal(size=n_classes), tables)
        np.testing.assert_allclose(np.exp(found).sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("rows", [100, 20_000])
def test_scores_do_not_depend_on_threads(rows: int) -> None:
    """With 1, 2 and 5 threads each score has the same bits."""
    rng = np.random.default_rng(0)
    table = random_rows(rows, (2, 3, 300, 4), 5)
    prior = rng.normal(size=5)
    scopes = [((i, j), label) for i in range(4) for j in range(i) for label in (EVERY, 3)]
    tables = random_tables(table.sizes, 5, rng, scopes)
    block = blind(table)
    answers = []
    for n_threads in (1, 2, 5):
        with threads(n_threads):
            answers.append(block.log_probabilities(prior, tables))
    np.testing.assert_array_equal(answers[1], answers[0])
    np.testing.assert_array_equal(answers[2], answers[0])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_do_not_depend_on_the_other_rows(n_classes: int) -> None:
    """A row has the same bits alone as among others, where tables of two classes are rewritten as log-odds."""
    rng = np.random.default_rng(0)
    table = random_rows(1200, (2, 3, 4, 200), n_classes)
    scopes = [((0, 1), EVERY), ((2,), 0), ((3, 2), EVERY), ((1,), 1), ((3, 2, 0), EVERY), ((2, 3), 0)] * 3
    prior, tables = rng.normal(size=n_classes), random_tables(table.sizes, n_classes, rng, scopes)
    together = blind(table).log_probabilities(prior, tables)
    for row in (0, 511, 512, 1199):
        alone = blind(table.take(slice(row, row + 1))).log_probabilities(prior, tables)
        np.testing.assert_array_equal(alone[0], together[row])


def test_entries_may_lie_in_memory_as_they_like() -> None:
    """Strided, transposed, read-only and unaligned tables and priors are read as what they are."""
    rng = np.random.default_rng(0)
    table = random_rows(40, (2, 3), 2)
    entries, prior = rng.normal(size=(3, 4, 2)), rng.normal(size=2)
    block = blind(table)
    wanted = block.log_probabilities(prior, [((0, 1), EVERY, entries)])
    np.testing.assert_array_equal(block.log_probabilities(prior, [((0, 1), EVERY, np.asfortranarray(entries))]), wanted)
    room = np.full((6, 4, 4), np.nan)
    room[::-2, :, ::2] = entries
    np.testing.assert_array_equal(block.log_probabilities(prior, [((0, 1), EVERY, room[::-2, :, ::2])]), wanted)
    found = block.log_probabilities(unaligned(prior), [((0, 1), EVERY, unaligned(entries))])
    np.testing.assert_array_equal(found, wanted)
    entries.flags.writeable = prior.flags.writeable = False
    np.testing.assert_array_equal(block.log_probabilities(prior, [((0, 1), EVERY, entries)]), wanted)
    np.testing.assert_array_equal(block.log_probabilities(prior, [((0, 1), EVERY, entries.ravel())]), wanted)


def test_a_block_with_classes_is_scored_like_one_without() -> None:
    """Where the classes are known the rows come class by class, each with its own scores."""
    rng = np.random.default_rng(0)
    table = random_rows(700, (2, 3), 3)
    tables = random_tables(table.sizes, 3, rng, [((0, 1), EVERY)])
    by_class = np.argsort(table.classes, kind="stable")
    np.testing.assert_array_equal(
        table.block().log_probabilities(np.zeros(3), tables),
        blind(table).log_probabilities(np.zeros(3), tables)[by_class],
    )


PRELUDE = """
import numpy as np
from savvybayes._kernel import Block
block = Block(4, [2, 300], [np.array([0, 1, 2, 1], np.uint8), np.array([0, 300, 7, 9], np.uint16)])
z = np.zeros
endless = Block(2**62, [], [])
"""

GARBAGE = [
    # tables of another size
    "block.log_probabilities(z(2), [((0,), -1, z((2, 2)))])",
    "block.log_probabilities(z(2), [((0,), -1, z((4, 2)))])",
    "block.log_probabilities(z(2), [((0,), -1, z((3, 3)))])",
    "block.log_probabilities(z(3), [((0,), -1, z((3, 2)))])",
    "block.log_probabilities(z(2), [((0,), -1, z(3))])",
    "block.log_probabilities(z(2), [((0,), 1, z((3, 2)))])",
    "block.log_probabilities(z(2), [((1,), -1, z((3, 2)))])",
    "block.log_probabilities(z(2), [((0, 1), -1, z((3, 2)))])",
    "block.log_probabilities(z(2), [((), -1, z(0))])",
    "block.log_probabilities(z(2), [((), -1, z(3))])",
    "block.log_probabilities(z(2), [((0,), -1, z((3, 2))), ((0,), -1, z((3, 1)))])",
    "block.log_probabilities(z(0), [((0,), 0, z(3))])",
    "block.log_probabilities(z(0), [((0,), -1, z(3))])",
    # products that would wrap around to what was given
    "block.log_probabilities(z(2), [((1,) * 8, -1, z(2))])",
    "block.log_probabilities(z(2), [((0,) * 41, -1, z(2))])",
    "block.log_probabilities(z(2), [((0,) * 1000, -1, z(0))])",
    "endless.log_probabilities(z(4), [])",
    "endless.log_probabilities(z(8), [])",
    # attributes and labels out of range
    "block.log_probabilities(z(2), [((2,), -1, z((3, 2)))])",
    "block.log_probabilities(z(2), [((2**63,), -1, z((3, 2)))])",
    "block.log_probabilities(z(2), [((-1,), -1, z((3, 2)))])",
    "block.log_probabilities(z(2), [((0,), 2, z(3))])",
    "block.log_probabilities(z(2), [((0,), -2, z(3))])",
    "block.log_probabilities(z(2), [((0,), 2**31 - 1, z(3))])",
    "block.log_probabilities(z(2), [((0,), 2**32, z(3))])",
    # arguments of the wrong form
    "block.log_probabilities(None, [])",
    "block.log_probabilities([0.0, 0.0], [])",
    "block.log_probabilities(z((2, 1)), [])",
    "block.log_probabilities(z(2, complex), [])",
    "block.log_probabilities(z(2, '>f8'), [])",
    "block.log_probabilities(np.array(['a', 'b']), [])",
    "block.log_probabilities(z(2), None)",
    "block.log_probabilities(z(2), [None])",
    "block.log_probabilities(z(2), [((0,), -1)])",
    "block.log_probabilities(z(2), [((0,), -1, None)])",
    "block.log_probabilities(z(2), [((0,), -1, [0.0] * 6)])",
    "block.log_probabilities(z(2), [((0,), -1, z((3, 2), complex))])",
    "block.log_probabilities(z(2), [((0.0,), -1, z((3, 2)))])",
    "block.log_probabilities(z(2))",
]


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, str]:
    """Make every call of garbage, each in a process of its own."""
    return children.outcomes(PRELUDE, [*GARBAGE, "block.log_probabilities(z(2), [((0,), -1, z((3, 2)))])"])


@pytest.mark.parametrize("call", GARBAGE)
def test_garbage_is_an_error(call: str, outcomes: Mapping[str, str]) -> None:
    """What cannot be scored is a ValueError or a TypeError: no crash, no look-up beside a table."""
    assert outcomes[call] in ("ValueError", "TypeError")


def test_the_garbage_is_garbage_for_its_own_reason(outcomes: Mapping[str, str]) -> None:
    """The call that the garbage was made from is answered."""
    assert outcomes["block.log_probabilities(z(2), [((0,), -1, z((3, 2)))])"] == "no error"
