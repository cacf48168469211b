"""Chow-Liu trees against the plain twin, and by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from coded import random_rows
from raw import RawTable, assert_posteriors, raw_tables
from savvybayes import ChowLiu

bounded = settings(deadline=None, max_examples=80)
alphas = st.sampled_from((1.0, 0.5, 1e-3, 20.0))


def in_columns(table: RawTable, trees: dict[oracles.Value, oracles.ParentSets]) -> dict[oracles.Value, object]:
    """Name the attributes of each class's tree by their columns."""
    return {label: table.in_columns(parents) for label, parents in trees.items()}


@given(raw_tables(), alphas)
@bounded
def test_trees_and_posteriors_are_the_twin_s(table: RawTable, alpha: float) -> None:
    """Missing, unseen and constant values, weights of 0 and others: trees and posteriors are the twin's."""
    model = table.fit(ChowLiu(alpha=alpha))
    trees = oracles.chow_liu(table.data())
    assert model.structure_.parents == in_columns(table, trees)
    assert_posteriors(model, table, trees, alpha)


@given(raw_tables(min_columns=2), st.sampled_from((3, 4, 6, 9)))
@bounded
def test_pairs_too_large_are_left_out(table: RawTable, max_cells: int) -> None:
    """A table of one class has one column: `max_cells` is judged by its cells alone."""
    data = table.data()
    model = ChowLiu(max_cells=max_cells)
    if max((*data.sizes, 0)) > max_cells:
        with pytest.raises(ValueError, match="max_cells is"):
            table.fit(model)
        return
    trees = oracles.chow_liu(data, max_cells)
    assert table.fit(model).structure_.parents == in_columns(table, trees)
    assert_posteriors(model, table, trees, 1.0)


def test_chow_liu_by_hand() -> None:
    """A table of eight rows, trees and posteriors worked out on paper."""
    # Class 0: X_1 is a copy of X_0, X_2 a coin of its own. Class 1: X_2 is a copy of X_1, X_0 the coin.
    X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1]])
    y = np.array(["copy", "copy", "copy", "copy", "later", "later", "later", "later"])
    model = ChowLiu(categorical_features="all").fit(X, y)
    # copy: I(0;1) = log 2, the others 0: 0-1, then 2 at weight 0 by its lowest neighbour in the tree, 0.
    # later: I(1;2) = log 2, the others 0: from 0 the lowest new attribute at weight 0 is 1; then 2 by 1.
    assert model.structure_.parents == {"copy": {0: (), 1: (0,), 2: (0,)}, "later": {0: (), 1: (0,), 2: (1,)}}
    # x = (0, 0, 1):
    # copy: 1/2 * P(x0=0) (2+1)/(4+2) * P(x1=0|x0=0) (2+1)/(2+2) * P(x2=1|x0=0) (1+1)/(2+2) = 1/2 1/2 3/4 1/2 = 3/32
    # later: 1/2 * (2+1)/(4+2) * P(x1=0|x0=0) (1+1)/(2+2) * P(x2=1|x1=0) (0+1)/(2+2) = 1/2 1/2 1/2 1/4 = 1/32
    # x = (1, 0, 1): copy: 1/2 * 1/2 * (0+1)/(2+2) * 1/2 = 1/32; later: 1/2 * 1/2 * 1/2 * 1/4 = 1/32
    # x = (0, ?, 1): copy: 1/2 * 1/2 * P(x2=1|x0=0) 1/2 = 1/8; later: X_2 alone, 1/2 * 1/2 * (2+1)/(4+2) = 1/8
    # x = (?, 0, 1): copy: 1/2 * P(x1=0) 1/2 * P(x2=1) 1/2 = 1/8; later: 1/2 * 1/2 * 1/4 = 1/16
    found = model.predict_proba(np.array([[0, 0, 1], [1, 0, 1], [0, 5, 1], [5, 0, 1]]))
    np.testing.assert_allclose(found, [[3 / 4, 1 / 4], [1 / 2, 1 / 2], [1 / 2, 1 / 2], [2 / 3, 1 / 3]], rtol=1e-14)


def test_each_tree_is_that_of_networkx() -> None:
    """Without ties the edges of each class's tree are those of networkx's maximum spanning tree."""
    table = random_rows(900, (2, 3, 4, 2, 5, 3), 3, seed=2)
    model = ChowLiu(categorical_features="all").fit(table.codes, table.classes)
    for label, parents in model.structure_.parents.items():
        weights = oracles.within_class_weights(table.data(), label)
        graph = nx.Graph()
        graph.add_weighted_edges_from((i, j, weights[i][j]) for i in range(6) for j in range(i))
        assert len({w for _, _, w in graph.edges(data="weight")}) == graph.number_of_edges()
        edges = {frozenset((child, *own)) for child, own in parents.items() if own}
        assert edges == {frozenset(edge) for edge in nx.maximum_spanning_tree(graph).edges}


def test_three_hundred_classes_with_a_tree_each() -> None:
    """A factor of one class alone has one column, whatever the number of classes."""
    table = random_rows(6000, (2, 3, 4, 2), 300)
    model = ChowLiu(categorical_features="all").fit(table.codes, table.classes)
    assert len(model.structure_.parents) == 300
    assert len(model.model_.factors) == 300 * 4
    met = set()
    for scope, entries in ((factor.scope, factor.table) for factor in model.model_.factors):
        assert entries.shape == tuple(table.sizes[i] + 1 for i in scope.attributes)
        met.add((scope.label, scope.attributes[0]))
    assert met == {(label, i) for label in range(300) for i in range(4)}
    raw = RawTable(table.codes.tolist(), table.classes.tolist(), None, table.codes[:3].tolist())
    trees = oracles.chow_liu(table.data())
    assert model.structure_.parents == in_columns(raw, trees)
    for row, found in zip(table.codes[:3].tolist(), model.predict_log_proba(table.codes[:3]), strict=True):
        np.testing.assert_allclose(found, oracles.log_posterior(table.data(), trees, row, 1.0), rtol=0, atol=1e-12)


def test_alpha_of_zero() -> None:
    """Without smoothing an empty cell in any class is an error that names class and cell; no empty cell is none."""
    rows = [[a, b] for a in "ab" for b in "cd"]
    full = RawTable(rows * 4, (["x"] * 4 + ["y"] * 4) * 2, None, [["a", "d"], ["b", "e"]])
    assert_posteriors(full.fit(ChowLiu(alpha=0)), full, {"x": ((), (0,)), "y": ((), (0,))}, 0.0)
    empty = RawTable(rows * 2 + rows[1:] * 2, ["x"] * 8 + ["y"] * 6, None, rows)
    with pytest.raises(ValueError, match=r"alpha=0, and no row of class 'y' has column 1 = c, column 0 = a"):
        empty.fit(ChowLiu(alpha=0))


def test_no_attributes_leave_the_prior() -> None:
    """With constant columns alone each class's tree is empty, and the structure says so in words."""
    model = ChowLiu().fit(np.array([["k"]] * 3, dtype=object), np.array(["x", "y", "y"]))
    assert model.structure_.parents == {"x": {}, "y": {}}
    np.testing.assert_allclose(model.predict_proba(np.array([["k"]], dtype=object)), [[1 / 3, 2 / 3]])
    assert "the prior of the classes" in str(model.structure_)
