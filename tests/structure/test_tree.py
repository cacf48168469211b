"""Spanning trees by Prim's rule, the tree of TAN and the trees of Chow and Liu, against the plain twins."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from coded import CodedRows, InBlocks, coded_rows, random_rows
from savvybayes.information import NO_CANDIDATE
from savvybayes.structure import tree
from savvybayes.structure.tree import chow_liu, spanning_tree, tan

bounded = settings(deadline=None, max_examples=80)
NO_CAP = 10**9


@st.composite
def weight_matrices(draw: st.DrawFn) -> oracles.Weights:
    """Draw symmetric weights with many ties, zeros, and pairs that are no candidates."""
    n = draw(st.integers(0, 9))
    weight = st.sampled_from((None, 0.0, 0.0, 0.25, 0.5, 0.5, 1.0))
    matrix: oracles.Weights = [[None] * n for _ in range(n)]
    for i, j in combinations(range(n), 2):
        matrix[i][j] = matrix[j][i] = draw(weight)
    return matrix


def as_array(weights: oracles.Weights) -> oracles.Doubles:
    """Return the matrix as the library has it."""
    n = len(weights)
    return np.array([NO_CANDIDATE if w is None else w for row in weights for w in row]).reshape(n, n)


def edges(parents: oracles.ParentSets) -> set[frozenset[int]]:
    """Return the edges, without their directions."""
    return {frozenset((child, parent)) for child, own in enumerate(parents) for parent in own}


def graph(weights: oracles.Weights) -> nx.Graph:
    """Return the candidates as a graph of networkx."""
    result = nx.Graph()
    result.add_nodes_from(range(len(weights)))
    for i, j in combinations(range(len(weights)), 2):
        if weights[i][j] is not None:
            result.add_edge(i, j, weight=weights[i][j])
    return result


@given(weight_matrices())
@settings(deadline=None, max_examples=300)
def test_ties_are_broken_as_the_twin_breaks_them(weights: oracles.Weights) -> None:
    """With ties and missing candidates every parent is that of Prim's rule done slowly."""
    assert spanning_tree(as_array(weights)) == oracles.spanning_forest(weights)


@given(weight_matrices())
@bounded
def test_the_forest_has_the_greatest_weight(weights: oracles.Weights) -> None:
    """Ties or none, the forest spans each component, and weighs what networkx's maximum spanning forest weighs."""
    parents = spanning_tree(as_array(weights))
    assert all(len(own) <= 1 for own in parents)
    found = nx.Graph([tuple(edge) for edge in edges(parents)])
    found.add_nodes_from(range(len(weights)))
    candidates = graph(weights)
    assert not weights or nx.is_forest(found)
    assert {frozenset(c) for c in nx.connected_components(found)} == {
        frozenset(c) for c in nx.connected_components(candidates)
    }
    best = nx.maximum_spanning_tree(candidates).size(weight="weight")
    assert sum(candidates.edges[tuple(edge)]["weight"] for edge in edges(parents)) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
def test_without_ties_the_tree_is_that_of_networkx(seed: int) -> None:
    """Where no two weights are equal the edges are those of the one maximum spanning tree."""
    rng = np.random.default_rng(seed)
    n = 40
    matrix = rng.random((n, n))
    matrix = np.maximum(matrix, matrix.T)
    weights: oracles.Weights = [[float(matrix[i, j]) for j in range(n)] for i in range(n)]
    tree_ = nx.maximum_spanning_tree(graph(weights))
    assert edges(spanning_tree(matrix)) == {frozenset(edge) for edge in tree_.edges}


def test_prim_by_hand() -> None:
    """Equal edges: the lowest new attribute first, then its lowest neighbour, and no stricter rule."""
    # All weights equal: every attribute hangs on 0.
    assert spanning_tree(np.ones((4, 4))) == ((), (0,), (0,), (0,))
    # 0-3 is strongest; then 1 may come by 0 or by 3, 2 by 3 alone, all at weight 1: 1 before 2, by 0.
    weights = np.array([[0, 1, 0, 2], [1, 0, 0, 1], [0, 0, 0, 1], [2, 1, 1, 0.0]])
    assert spanning_tree(weights) == ((), (0,), (3,), (0,))
    # 0-2 is strongest; 1 was reached by 2 first (weight 1) and by 0 equally: 0 is the lower neighbour.
    weights = np.array([[0, 1, 3], [1, 0, 1], [3, 1, 0.0]])
    assert spanning_tree(weights) == ((), (0,), (0,))
    # 2 comes before 1; 3 is then reached at weight 1 by 2, and, once 1 is in, equally by 1: the lower one is taken.
    weights = np.array([[0, 2, 3, 0], [2, 0, 0, 1], [3, 0, 0, 1], [0, 1, 1, 0.0]])
    assert spanning_tree(weights) == ((), (0,), (0,), (1,))


def test_an_attribute_without_candidates_begins_a_tree() -> None:
    """Without a candidate between them, the parts are trees each rooted at its lowest attribute."""
    weights = np.full((5, 5), NO_CANDIDATE)
    for i, j in ((0, 3), (1, 4), (2, 4)):
        weights[i, j] = weights[j, i] = 1.0
    assert spanning_tree(weights) == ((), (), (4,), (0,), (1,))
    assert spanning_tree(np.full((3, 3), NO_CANDIDATE)) == ((), (), ())


@given(coded_rows(min_rows=1, max_rows=20), st.sampled_from((NO_CAP, NO_CAP, 8, 12, 18)))
@bounded
def test_the_tree_of_tan(table: CodedRows, max_cells: int) -> None:
    """TAN's parents are the twin's, also where pairs are too large and the tree becomes a forest."""
    assert tan(table, max_cells) == oracles.tan(table.data(), max_cells)


@given(coded_rows(min_rows=1, max_rows=20), st.sampled_from((NO_CAP, NO_CAP, 4, 6, 9)))
@bounded
def test_the_trees_of_chow_and_liu(table: CodedRows, max_cells: int) -> None:
    """Each class has the twin's tree; a class without rows has one, too."""
    assert chow_liu(table, max_cells) == list(oracles.chow_liu(table.data(), max_cells).values())


@given(coded_rows(min_rows=2, weightings=("none", "whole")), st.lists(st.integers(1, 29), max_size=4))
@bounded
def test_trees_do_not_depend_on_blocks(table: CodedRows, cuts: list[int]) -> None:
    """Rows in several blocks give the same trees as rows in one."""
    parts = InBlocks(table, [cut for cut in cuts if cut < len(table.codes)])
    assert tan(parts, NO_CAP) == tan(table, NO_CAP)
    assert chow_liu(parts, NO_CAP) == chow_liu(table, NO_CAP)


@pytest.mark.parametrize("seed", range(3))
def test_trees_of_real_dependences_are_those_of_networkx(seed: int) -> None:
    """On 500 rows without ties TAN's and each Chow-Liu tree have the edges of networkx's maximum spanning tree."""
    table = random_rows(500, (2, 3, 4, 2, 5, 3, 2, 4), 3, seed)
    data = table.data()
    weights = oracles.given_class_weights(data)
    assert no_ties(weights)
    assert edges(tan(table, NO_CAP)) == {frozenset(e) for e in nx.maximum_spanning_tree(graph(weights)).edges}
    for label, parents in enumerate(chow_liu(table, NO_CAP)):
        weights = oracles.within_class_weights(data, label)
        assert no_ties(weights)
        assert edges(parents) == {frozenset(e) for e in nx.maximum_spanning_tree(graph(weights)).edges}


def no_ties(weights: oracles.Weights) -> bool:
    """Whether all weights differ."""
    above = [weights[i][j] for i, j in combinations(range(len(weights)), 2)]
    return len(set(above)) == len(above)


@pytest.mark.parametrize("entries", [1, 9, 18, 1000])
def test_trees_of_classes_in_portions_are_the_same(entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many classes are worked out at a time, each has its own tree."""
    table = random_rows(400, (2, 3, 4), 7)
    wanted = chow_liu(table, NO_CAP)
    monkeypatch.setattr(tree, "MOST_ENTRIES", entries)
    assert chow_liu(table, NO_CAP) == wanted
    assert len(wanted) == 7


def test_tables_of_no_or_one_attribute() -> None:
    """Nothing to join is no error."""
    assert tan(random_rows(10, (), 2), NO_CAP) == ()
    assert tan(random_rows(10, (3,), 2), NO_CAP) == ((),)
    assert chow_liu(random_rows(10, (3,), 2), NO_CAP) == [((),), ((),)]


def test_an_attribute_of_many_values_has_no_partner() -> None:
    """Of 60,000 values with another of 60,000 there is no table; with one of two values there is."""
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(60_000, size=300), rng.integers(60_000, size=300), rng.integers(2, size=300)], 1)
    table = CodedRows(codes, rng.integers(2, size=300, dtype=np.int32), (60_000, 60_000, 2), 2)
    assert tan(table, 2**24) == ((), (2,), (0,))
    assert tan(table, 2 * 60_000 * 2 - 1) == ((), (), ())
    assert chow_liu(table, 2 * 60_000 - 1) == [((), (), ())] * 2
