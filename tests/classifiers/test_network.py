"""From parents to a model, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from savvybayes.classifiers.network import fit_network, in_names, scopes_of
from savvybayes.counts import Scope
from savvybayes.data.learn import learn_schema
from savvybayes.data.table import Table
from sources import memory_source

#            a    b     class
ROWS = [
    ("u", "s", "n"),
    ("u", "t", "n"),
    ("v", "t", "n"),
    ("v", "t", "y"),
]


def table_of_rows() -> Table:
    """The rows as a table of two attributes."""
    cells = np.array(ROWS, dtype=object)
    source = memory_source(cells[:, :2], cells[:, 2].astype(str))
    return Table(source, learn_schema(source)[0])


def test_factors_by_hand() -> None:
    """P(y), P(a | y) and P(b | a, y), each with 1 added to every count, and the reduced tables for unknown values."""
    table = table_of_rows()
    model = fit_network(table, table.schema, scopes_of(((), (0,))), 1.0, 2**24)
    np.testing.assert_allclose(np.exp(model.log_prior), [3 / 4, 1 / 4])
    a, b = model.factors
    assert (a.scope, b.scope) == (Scope((0,)), Scope((1, 0)))
    # P(a | n) = (2 + 1) / (3 + 2), (1 + 1) / (3 + 2); P(a | y) = (0 + 1) / (1 + 2), (1 + 1) / (1 + 2); unknown: 1
    np.testing.assert_allclose(np.exp(a.table), [[3 / 5, 1 / 3], [2 / 5, 2 / 3], [1.0, 1.0]])
    # P(b = s | a, n): a = u (1 + 1) / (2 + 2), a = v (0 + 1) / (1 + 2); a unknown: P(b = s | n) = (1 + 1) / (3 + 2)
    np.testing.assert_allclose(np.exp(b.table[0, :, 0]), [1 / 2, 1 / 3, 2 / 5])
    # P(b = s | a, y): a = u (0 + 1) / (0 + 2), a = v (0 + 1) / (1 + 2); a unknown: (0 + 1) / (1 + 2)
    np.testing.assert_allclose(np.exp(b.table[0, :, 1]), [1 / 2, 1 / 3, 1 / 3])
    np.testing.assert_allclose(np.exp(b.table[2]), 1.0)


def test_factors_of_one_class() -> None:
    """A scope of one class has that one column, the same as in the table of all classes."""
    table = table_of_rows()
    every = fit_network(table, table.schema, scopes_of(((), (0,))), 1.0, 2**24)
    for label in (0, 1):
        own = fit_network(table, table.schema, scopes_of(((), (0,)), label), 1.0, 2**24)
        for one, all_ in zip(own.factors, every.factors, strict=True):
            np.testing.assert_array_equal(one.table, all_.table[..., label])


def test_names() -> None:
    """Parents are told by the user's names, in the order that is asked for."""
    table = table_of_rows()
    assert in_names(((1,), ()), table.schema).parents == {0: (1,), 1: ()}
    assert list(in_names(((1,), ()), table.schema, (1, 0)).parents) == [1, 0]


def test_a_table_that_would_not_fit() -> None:
    """A scope that passes max_cells is an error that names its columns, before anything is counted."""
    table = table_of_rows()
    with pytest.raises(ValueError, match="the table of column 1, column 0 with 2 classes would have 8 cells"):
        fit_network(table, table.schema, scopes_of(((), (0,))), 1.0, 7)
