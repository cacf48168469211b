"""TAN against the plain twin, and by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from coded import random_rows
from raw import RawTable, as_array, assert_posteriors, raw_tables, table_shapes
from savvybayes import TAN, NaiveBayes

bounded = settings(deadline=None, max_examples=80)
alphas = st.sampled_from((1.0, 0.5, 1e-3, 20.0))


@given(raw_tables(), alphas)
@bounded
def test_tree_and_posteriors_are_the_twin_s(table: RawTable, alpha: float) -> None:
    """Missing, unseen and constant values, weights of 0 and others: tree and posteriors are the twin's."""
    model = table.fit(TAN(alpha=alpha))
    parents = oracles.tan(table.data())
    assert model.structure_.parents == table.in_columns(parents)
    assert_posteriors(model, table, parents, alpha)


@given(raw_tables(min_columns=2), st.sampled_from((6, 8, 12, 18)))
@bounded
def test_pairs_too_large_are_left_out(table: RawTable, max_cells: int) -> None:
    """Where tables of pairs would pass `max_cells` the tree is a forest; a single attribute too large is an error."""
    data = table.data()
    model = TAN(max_cells=max_cells)
    if not all(oracles.fits(data, (i,), len(data.labels), max_cells) for i in range(data.n)):
        with pytest.raises(ValueError, match="max_cells is"):
            table.fit(model)
        return
    parents = oracles.tan(data, max_cells)
    assert table.fit(model).structure_.parents == table.in_columns(parents)
    assert_posteriors(model, table, parents, 1.0)


HAND_X = np.array(
    [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1]],
)
HAND_Y = np.array([0, 0, 0, 0, 1, 1, 1, 1])


def test_tan_by_hand() -> None:
    """A table of eight rows, tree and posteriors worked out on paper."""
    # In class 0 X_1 is a copy of X_0, and X_2 a coin of its own; in class 1 X_2 is a copy of X_1, and X_0 the coin.
    # I(X_0; X_1 | Y) = 1/2 log 2 + 1/2 * 0, I(X_1; X_2 | Y) = 1/2 * 0 + 1/2 log 2, I(X_0; X_2 | Y) = 0.
    model = TAN(categorical_features="all").fit(HAND_X, HAND_Y)
    assert model.structure_.parents == {0: (), 1: (0,), 2: (1,)}
    # x = (0, 0, 1):
    # class 0: 1/2 * P(x0=0) (2+1)/(4+2) * P(x1=0|x0=0) (2+1)/(2+2) * P(x2=1|x1=0) (1+1)/(2+2) = 1/2 1/2 3/4 1/2 = 3/32
    # class 1: 1/2 * (2+1)/(4+2) * (1+1)/(2+2) * P(x2=1|x1=0) (0+1)/(2+2) = 1/2 1/2 1/2 1/4 = 1/32
    # x = (0, ?, 1): X_1 has no factor, and X_2's table is that of X_2 alone:
    # class 0: 1/2 * 1/2 * (2+1)/(4+2); class 1: 1/2 * 1/2 * (2+1)/(4+2): equal
    # x = (?, 0, 1): X_1's table is that of X_1 alone:
    # class 0: 1/2 * P(x1=0) (2+1)/(4+2) * 1/2 = 1/8; class 1: 1/2 * 1/2 * 1/4 = 1/16
    found = model.predict_proba(np.array([[0, 0, 1], [0, 7, 1], [7, 0, 1]]))
    np.testing.assert_allclose(found, [[3 / 4, 1 / 4], [1 / 2, 1 / 2], [2 / 3, 1 / 3]], rtol=1e-14)


def test_the_tree_is_that_of_networkx() -> None:
    """Without ties the tree's edges are those of networkx's maximum spanning tree."""
    table = random_rows(600, (2, 3, 4, 2, 5, 3, 2), 3, seed=1)
    weights = oracles.given_class_weights(table.data())
    graph = nx.Graph()
    graph.add_weighted_edges_from((i, j, weights[i][j]) for i in range(7) for j in range(i))
    assert len({w for _, _, w in graph.edges(data="weight")}) == graph.number_of_edges()
    model = TAN(categorical_features="all").fit(table.codes, table.classes)
    edges = {frozenset((child, *own)) for child, own in model.structure_.parents.items() if own}
    assert edges == {frozenset(edge) for edge in nx.maximum_spanning_tree(graph).edges}


def test_an_attribute_of_sixty_thousand_values_has_no_partner() -> None:
    """It simply stands alone where its pairs are too large."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60_000)
    X = np.stack([np.arange(60_000), y ^ (rng.random(60_000) < 0.2), rng.integers(3, size=60_000)], axis=1)
    model = TAN(categorical_features="all", max_cells=200_000).fit(X, y)  # 60,000 * 2 * 2 = 240,000
    assert model.structure_.parents == {0: (), 1: (), 2: (1,)}
    assert table_shapes(model) == {((0,), -1): (60_001, 2), ((1,), -1): (3, 2), ((2, 1), -1): (4, 3, 2)}


def test_one_attribute_is_naive_bayes() -> None:
    """With one attribute, or one that is not constant, TAN is naive Bayes, to the bit."""
    table = random_rows(50, (4,), 2)
    X = np.column_stack([np.zeros(50, int), table.codes])
    for columns in (X, X[:, 1:]):
        tan, naive = (kind(categorical_features="all").fit(columns, table.classes) for kind in (TAN, NaiveBayes))
        np.testing.assert_array_equal(tan.predict_log_proba(columns), naive.predict_log_proba(columns))


def test_alpha_of_zero() -> None:
    """Without smoothing an empty cell of a table is an error that names it; a table without empty cells is none."""
    # By hand: X_1 is X_0 in class 0, so that of its table the cells 0, 1 and 1, 0 are empty.
    with pytest.raises(ValueError, match=r"no row of class 0 has column 1 = 0, column 0 = 1: give an alpha above 0"):
        TAN(alpha=0, categorical_features="all").fit(HAND_X, HAND_Y)
    rows = [[a, b] for a in "ab" for b in "cd"]
    classes = ["x"] * 4 + ["y"] * 4
    full = RawTable([*rows * 4, *rows[:3] * 4], [*classes * 2, *classes, *"xyxx"], None, [["a", "d"], ["b", "e"]])
    model = full.fit(TAN(alpha=0))
    assert_posteriors(model, full, ((), (0,)), 0.0)


def test_a_structure_without_rows_to_tell_is_a_star() -> None:
    """Where all dependences are equal, zero here, every attribute hangs on the lowest."""
    X = as_array([[a, b, c] for a in "ab" for b in "ab" for c in "ab"] * 2)
    model = TAN().fit(X, np.repeat([0, 1], 8))
    assert model.structure_.parents == {0: (), 1: (0,), 2: (0,)}
