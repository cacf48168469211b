"""Models: sums of look-ups, normalised."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from coded import CodedRows, coded_rows, random_rows
from savvybayes._kernel import Block
from savvybayes.counts import EVERY_CLASS, Scope
from savvybayes.model import Factor, Product

bounded = settings(deadline=None, max_examples=60)


def scores(model: Product, row: list[int]) -> list[float]:
    """Sum the prior and the entries that a row meets, class by class."""
    result = []
    for label, prior in enumerate(model.log_prior):
        terms = [float(prior)]
        for factor in model.factors:
            cell = tuple(row[i] for i in factor.scope.attributes)
            if factor.scope.label == EVERY_CLASS:
                terms.append(float(factor.table[(*cell, label)]))
            elif factor.scope.label == label:
                terms.append(float(factor.table[cell]))
        result.append(math.fsum(terms))
    return result


def log_softmax(values: list[float]) -> list[float]:
    """Normalise."""
    top = max(values)
    evidence = top + math.log(math.fsum(math.exp(v - top) for v in values))
    return [v - evidence for v in values]


@given(coded_rows(weightings=("none",)), st.data())
@bounded
def test_a_product_is_a_sum_of_look_ups(table: CodedRows, data: st.DataObject) -> None:
    """Each row gets the softmax of prior plus entries; factors of one class change that class alone."""
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n, n_classes = len(table.sizes), table.n_classes
    factors = []
    for _ in range(data.draw(st.integers(0, 5))):
        attributes = tuple(data.draw(st.lists(st.integers(0, n - 1), max_size=3, unique=True)))
        label = data.draw(st.integers(-1, n_classes - 1))
        columns = (n_classes,) if label == EVERY_CLASS else ()
        shape = (*(table.sizes[i] + 1 for i in attributes), *columns)
        factors.append(Factor(Scope(attributes, label), rng.normal(scale=3, size=shape)))
    model = Product(rng.normal(size=n_classes), tuple(factors))
    unknown = rng.random(table.codes.shape) < 0.2
    codes = np.where(unknown, np.array(table.sizes), table.codes)
    columns_ = CodedRows(codes, table.classes, table.sizes, n_classes).columns()
    found = model.log_proba(Block(len(codes), table.sizes, columns_))
    assert found.shape == (len(codes), n_classes)
    for row, own in zip(codes.tolist(), found, strict=True):
        np.testing.assert_allclose(own, log_softmax(scores(model, row)), rtol=0, atol=1e-12)


def test_a_model_without_factors_is_its_prior() -> None:
    """With no attribute left every row gets the prior."""
    model = Product(np.log([0.25, 0.75]), ())
    np.testing.assert_allclose(np.exp(model.log_proba(Block(3, [], []))), [[0.25, 0.75]] * 3)


def test_probabilities_far_apart_neither_overflow_nor_vanish() -> None:
    """Scores thousands of nats apart, or all far below zero, give finite logarithms."""
    block = Block(1, [1], [np.zeros(1, np.uint8)])
    table = np.array([[-5000.0, -5001.0, -9000.0], [0.0, 0.0, 0.0]])
    found = Product(np.zeros(3), (Factor(Scope((0,)), table),)).log_proba(block)[0]
    near = math.log1p(math.exp(-1))
    np.testing.assert_allclose(found, [-near, -1 - near, -4000 - near], rtol=1e-12)


def test_a_class_that_is_impossible_has_probability_zero() -> None:
    """A prior of minus infinity stays so, and the other classes share the whole."""
    found = Product(np.array([-np.inf, 0.0, 0.0]), ()).log_proba(Block(1, [], []))
    assert found.tolist() == [[-math.inf, -math.log(2), -math.log(2)]]


def test_a_model_refuses_rows_of_another_schema() -> None:
    """A block whose sizes are not those of the tables is an error, not a look-up beside the table."""
    table = random_rows(5, (3, 4), 2)
    model = Product(np.zeros(2), (Factor(Scope((0, 1)), np.zeros((4, 5, 2))),))
    assert model.log_proba(table.block()).shape == (5, 2)
    for sizes in ((3, 5), (4, 4), (2, 4), (3,)):
        with pytest.raises(ValueError, match="table"):
            model.log_proba(random_rows(5, sizes, 2).block())


@pytest.mark.parametrize("label", [EVERY_CLASS, 1])
def test_the_whole_of_a_deep_model_is_added(label: int) -> None:
    """A thousand factors add up to the sum that plain arithmetic gives."""
    rng = np.random.default_rng(3)
    table = random_rows(700, (3,) * 10, 3)
    shape = (4, 4, 3) if label == EVERY_CLASS else (4, 4)
    factors = tuple(Factor(Scope((k % 10, (k + 1) % 10), label), rng.normal(size=shape)) for k in range(1000))
    model = Product(rng.normal(size=3), factors)
    found = model.log_proba(Block(700, table.sizes, table.columns()))
    for row in range(0, 700, 97):
        wanted = log_softmax(scores(model, table.codes[row].tolist()))
        np.testing.assert_allclose(found[row], wanted, rtol=0, atol=1e-10)


def test_the_posterior_of_a_naive_model_by_hand() -> None:
    """Two classes, one attribute: P(y=0) = 1/4, P(x|0) = 2/3, P(x|1) = 1/6 give 4/7 and 3/7."""
    # 1/4 * 2/3 = 1/6 = 4/24; 3/4 * 1/6 = 1/8 = 3/24
    table = np.log([[2 / 3, 1 / 6], [1 / 3, 5 / 6], [1.0, 1.0]])
    model = Product(np.log([1 / 4, 3 / 4]), (Factor(Scope((0,)), table),))
    found = np.exp(model.log_proba(Block(2, [2], [np.array([0, 2], np.uint8)])))
    np.testing.assert_allclose(found, [[4 / 7, 3 / 7], [1 / 4, 3 / 4]], rtol=1e-14)


def test_the_twin_agrees_with_the_hand() -> None:
    """The oracle's own posterior is checked on the same kind of case, smoothing included."""
    # 3 rows of class 0: a a b; 1 row of class 1: a. alpha = 1, r = 2.
    data = oracles.data([("a",), ("a",), ("b",), ("a",)], [0, 0, 0, 1])
    # a: 3/4 * 3/5 = 9/20 = 27/60 against 1/4 * 2/3 = 1/6 = 10/60
    np.testing.assert_allclose(np.exp(oracles.log_posterior(data, ((),), ("a",), 1.0)), [27 / 37, 10 / 37])
    # never seen: the prior
    np.testing.assert_allclose(np.exp(oracles.log_posterior(data, ((),), ("c",), 1.0)), [3 / 4, 1 / 4])
