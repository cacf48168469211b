"""Smoothed tables: every entry, those of unknown values included, against the counts of the reduced scope."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from coded import CodedRows, coded_rows
from savvybayes.counts import Scope, count
from savvybayes.smoothing import laplace, log_prior, with_marginals

bounded = settings(deadline=None, max_examples=60)
tables = coded_rows(attributes=(1, 3), min_rows=1)
alphas = st.sampled_from((1.0, 0.5, 1e-3, 20.0))


def smoothed(table: CodedRows, scope: tuple[int, ...], alpha: float) -> oracles.Doubles:
    """Return the log table of a scope, made as the classifiers make it."""
    return laplace([count(table, [Scope(scope)]).tables()[Scope(scope)]], alpha)[0]


@given(tables, alphas)
@bounded
def test_an_entry_is_the_conditional_probability_of_what_is_known(table: CodedRows, alpha: float) -> None:
    """Each entry is ``log (N + alpha) / (N_pa + alpha r)`` in the scope without unknown attributes, or log 1."""
    child, *parents = range(len(table.sizes))
    entries = smoothed(table, (child, *parents), alpha)
    assert entries.shape == (*(size + 1 for size in table.sizes), table.n_classes)
    data = table.data()
    for cell in product(*(range(size + 1) for size in table.sizes)):
        for label in range(table.n_classes):
            known = [j for j in parents if cell[j] < table.sizes[j]]
            here = [(row, w) for row, c, w in data if c == label and all(row[j] == cell[j] for j in known)]
            of_parents = math.fsum(w for _, w in here)
            of_both = math.fsum(w for row, w in here if row[child] == cell[child])
            wanted = 0.0
            if cell[child] < table.sizes[child]:
                wanted = math.log((of_both + alpha) / (of_parents + alpha * table.sizes[child]))
            assert abs(entries[(*cell, label)] - wanted) <= 1e-12


@given(st.lists(tables, max_size=5), alphas)
@bounded
def test_tables_smoothed_together_are_those_smoothed_alone(drawn: list[CodedRows], alpha: float) -> None:
    """To the bit, and each at its place, whether or not others have the same shape."""
    counts = [count(t, [s]).tables()[s] for t in drawn for s in [Scope(tuple(range(len(t.sizes))))]]
    for found, own in zip(laplace(counts, alpha), counts, strict=True):
        [alone] = laplace([own], alpha)
        assert found.flags.c_contiguous
        np.testing.assert_array_equal(found, alone)


@given(tables, alphas)
@bounded
def test_the_entry_of_an_unknown_parent_is_the_table_without_it(table: CodedRows, alpha: float) -> None:
    """An unknown parent's slice equals, to 1e-14, the smoothed table of the scope that leaves the parent out."""
    scope = tuple(range(len(table.sizes)))
    entries = smoothed(table, scope, alpha)
    for parent in scope[1:]:
        reduced = smoothed(table, tuple(i for i in scope if i != parent), alpha)
        np.testing.assert_allclose(entries.take(-1, axis=parent), reduced, rtol=0, atol=1e-14)


@given(tables, alphas)
@bounded
def test_the_child_s_probabilities_sum_to_one(table: CodedRows, alpha: float) -> None:
    """Given the class and any parents, known or not, the child's known values have probability 1 together."""
    entries = smoothed(table, tuple(range(len(table.sizes))), alpha)
    np.testing.assert_allclose(np.exp(entries[:-1]).sum(axis=0), 1.0, rtol=1e-12)
    assert not entries[-1].any()


@given(tables)
@bounded
def test_marginals_are_the_sums_over_each_axis(table: CodedRows) -> None:
    """The one more value of each attribute holds the counts of the scope without the attribute."""
    n = len(table.sizes)
    counts = with_marginals(oracles.dense_counts(table.data(), range(n)))
    for unknown in product((False, True), repeat=n):
        known = [i for i in range(n) if not unknown[i]]
        part = counts[(slice(None), *(-1 if gone else slice(0, -1) for gone in unknown))]
        np.testing.assert_allclose(part, oracles.dense_counts(table.data(), known), rtol=1e-12)


def test_smoothing_without_alpha_is_relative_frequency() -> None:
    """With alpha = 0 seen cells have their frequencies and a zero count minus infinity, without a warning."""
    # Class 0: child 0 twice, child 1 once; class 1: child 1 only.
    [entries] = laplace([np.array([[2.0, 1.0], [0.0, 4.0]])], 0.0)
    np.testing.assert_allclose(np.exp(entries), [[2 / 3, 0.0], [1 / 3, 1.0], [1.0, 1.0]])


def test_smoothing_by_hand() -> None:
    """A table of one child of 2 values and one parent of 2 values, in one class, alpha = 1."""
    # counts, child down, parent across:  3 0
    #                                     1 0
    entries = laplace([np.array([[[3.0, 0.0], [1.0, 0.0]]])], 1.0)[0][..., 0]
    wanted = [
        [4 / 6, 1 / 2, 4 / 6],  # (3+1)/(4+2), (0+1)/(0+2), parent unknown: (3+1)/(4+2)
        [2 / 6, 1 / 2, 2 / 6],
        [1.0, 1.0, 1.0],  # child unknown
    ]
    np.testing.assert_allclose(np.exp(entries), wanted, rtol=1e-15)


def test_the_prior_is_the_relative_frequency() -> None:
    """The prior is not smoothed; a class without rows has minus infinity, without a warning."""
    np.testing.assert_allclose(np.exp(log_prior(np.array([1.0, 3.0, 0.0]))), [0.25, 0.75, 0.0])


def test_log_tables_are_laid_out_for_the_kernel() -> None:
    """Tables are contiguous, so that the kernel need not copy them."""
    for shape in ((3, 2), (3, 2, 4), (1, 2, 4, 5)):
        assert laplace([np.ones(shape)], 1.0)[0].flags.c_contiguous
