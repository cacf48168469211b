"""KDB against the plain twin, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from coded import random_rows
from raw import RawTable, assert_posteriors, raw_tables, table_shapes
from savvybayes import KDB, TAN, NaiveBayes

bounded = settings(deadline=None, max_examples=100)
alphas = st.sampled_from((1.0, 0.5, 1e-3, 20.0))
thetas = st.sampled_from((None, None, 0.0, 0.03, 0.2))


@given(raw_tables(), st.integers(0, 4), thetas, alphas)
@bounded
def test_order_parents_and_posteriors_are_the_twin_s(
    table: RawTable, k: int, theta: float | None, alpha: float
) -> None:
    """Missing, unseen and constant values, weights of 0 and others: structure and posteriors are the twin's."""
    model = table.fit(KDB(k, theta=theta, alpha=alpha))
    parents, order = oracles.kdb(table.data(), k, theta)
    found = model.structure_.parents
    assert found == table.in_columns(parents)
    assert list(found) == list(table.in_columns(parents, order))
    assert_posteriors(model, table, parents, alpha)


@given(raw_tables(min_columns=2), st.integers(1, 2), st.sampled_from((6, 8, 12, 18, 27, 36)))
@bounded
def test_parents_that_make_a_table_too_large_are_left_out(table: RawTable, k: int, max_cells: int) -> None:
    """A parent whose table would pass `max_cells` is passed over for the next; an attribute too large is an error."""
    data = table.data()
    model = KDB(k, max_cells=max_cells)
    if not all(oracles.fits(data, (i,), len(data.labels), max_cells) for i in range(data.n)):
        with pytest.raises(ValueError, match="max_cells is"):
            table.fit(model)
        return
    parents, _ = oracles.kdb(data, k, None, max_cells)
    assert table.fit(model).structure_.parents == table.in_columns(parents)
    assert_posteriors(model, table, parents, 1.0)


HAND_X = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1]])
HAND_Y = np.array([0, 0, 0, 0, 1, 1, 1, 1])


def test_kdb_by_hand() -> None:
    """A table of eight rows, order, parents and posteriors worked out on paper."""
    # I(X_0; Y): X_0 = 0 has classes 3:0, X_0 = 1 has 1:4: log 2 - 5/8 H(1/5) = .693 - 5/8 * .500 = .380
    # I(X_1; Y): 2:2 and 2:2: 0
    # I(X_2; Y): 4:2 and 0:2: log 2 - 6/8 H(1/3) = .693 - 6/8 * .637 = .216.  Order: X_0, X_2, X_1.
    # I(X_2; X_0 | Y) = 0: X_2 is constant in class 0, X_0 in class 1.
    # I(X_1; X_2 | Y) = 1/2 * 0 + 1/2 log 2 = .347: in class 1 each is the other's opposite.
    # I(X_1; X_0 | Y) = 1/2 * (1/2 log 4/3 + 1/4 log 2/3 + 1/4 log 2) + 1/2 * 0 = 1/2 * .216 = .108
    model = KDB(1, categorical_features="all").fit(HAND_X, HAND_Y)
    assert list(model.structure_.parents.items()) == [(0, ()), (2, (0,)), (1, (2,))]
    # x = (1, 1, 0):
    # class 0: 1/2 * P(x0=1) (1+1)/(4+2) * P(x2=0|x0=1) (1+1)/(1+2) * P(x1=1|x2=0) (2+1)/(4+2) = 1/2 1/3 2/3 1/2 = 1/18
    # class 1: 1/2 * (4+1)/(4+2) * P(x2=0|x0=1) (2+1)/(4+2) * P(x1=1|x2=0) (2+1)/(2+2) = 1/2 5/6 1/2 3/4 = 5/32
    # 1/18 = 16/288, 5/32 = 45/288
    np.testing.assert_allclose(model.predict_proba(np.array([[1, 1, 0]])), [[16 / 61, 45 / 61]], rtol=1e-14)
    # x = (1, 1, ?): X_2 has no factor, and X_1's table is that of X_1 alone:
    # class 0: 1/2 * 1/3 * (2+1)/(4+2) = 1/12; class 1: 1/2 * 5/6 * (2+1)/(4+2) = 5/24
    np.testing.assert_allclose(model.predict_proba(np.array([[1, 1, 9]])), [[2 / 7, 5 / 7]], rtol=1e-14)


@pytest.mark.parametrize(
    ("k", "theta", "parents"),
    [
        (0, None, {0: (), 2: (), 1: ()}),
        (2, None, {0: (), 2: (0,), 1: (2, 0)}),
        (2, 0.0, {0: (), 2: (), 1: (2, 0)}),  # I(X_2; X_0 | Y) = 0 is not above 0
        (2, 0.03, {0: (), 2: (), 1: (2, 0)}),
        (1, 0.03, {0: (), 2: (), 1: (2,)}),
        (2, 0.2, {0: (), 2: (), 1: (2,)}),
        (2, 0.4, {0: (), 2: (), 1: ()}),
        (9, -1.0, {0: (), 2: (0,), 1: (2, 0)}),
    ],
)
def test_k_and_theta_by_hand(k: int, theta: float | None, parents: dict[int, tuple[int, ...]]) -> None:
    """On the same table, what k and theta let in."""
    model = KDB(k, theta=theta, categorical_features="all").fit(HAND_X, HAND_Y)
    assert model.structure_.parents == parents
    assert list(model.structure_.parents) == [0, 2, 1]


def test_without_parents_it_is_naive_bayes() -> None:
    """With k = 0, or a theta that none passes, KDB is naive Bayes, to 1e-14."""
    table = random_rows(300, (2, 3, 4, 2), 3)
    naive = NaiveBayes(categorical_features="all").fit(table.codes, table.classes)
    wanted = naive.predict_log_proba(table.codes)
    for model in (KDB(0), KDB(3, theta=10.0)):
        model.set_params(categorical_features="all").fit(table.codes, table.classes)
        np.testing.assert_allclose(model.predict_log_proba(table.codes), wanted, rtol=0, atol=1e-14)


def test_two_attributes_are_tan_or_its_mirror() -> None:
    """Of two attributes KDB(1) and TAN join both: the same joint tables, smoothed from one end or from the other."""
    table = random_rows(20_000, (2, 3), 2)
    kdb, tan = (model.set_params(categorical_features="all") for model in (KDB(1), TAN()))
    kdb.fit(table.codes, table.classes)
    tan.fit(table.codes, table.classes)
    np.testing.assert_allclose(kdb.predict_proba(table.codes), tan.predict_proba(table.codes), atol=1e-3)


def test_tables_have_an_axis_for_each_parent() -> None:
    """Each factor is the child, its parents, strongest first, and the classes; one more value each for unknown."""
    model = KDB(2, categorical_features="all").fit(HAND_X, HAND_Y)
    assert table_shapes(model) == {((0,), -1): (3, 2), ((2, 0), -1): (3, 3, 2), ((1, 2, 0), -1): (3, 3, 3, 2)}


def test_an_attribute_of_sixty_thousand_values() -> None:
    """Such an attribute has no parents and is none, where its tables are too large, and others have theirs."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60_000)
    noise = [y ^ (rng.random(60_000) < 0.2) for _ in range(2)]
    X = np.stack([np.arange(60_000), *noise], axis=1)
    model = KDB(2, categorical_features="all", max_cells=200_000).fit(X, y)
    assert {child: sorted(own) for child, own in model.structure_.parents.items()} in (
        {0: [], 1: [], 2: [1]},
        {0: [], 2: [], 1: [2]},
    )


def test_alpha_of_zero() -> None:
    """Without smoothing an empty cell of a table is an error that names it; a table without empty cells is none."""
    rows = [[a, b] for a in "ab" for b in "cd"]
    classes = ["x"] * 4 + ["y"] * 4
    full = RawTable([*rows * 4, *rows[:3] * 4], [*classes * 2, *classes, *"xyxx"], None, [["a", "d"], ["b", "e"]])
    model = full.fit(KDB(1, alpha=0))
    assert_posteriors(model, full, oracles.kdb(full.data(), 1)[0], 0.0)
    with pytest.raises(ValueError, match=r"alpha=0, and no row of class 1 has column 0 = 0: give an alpha above 0"):
        KDB(2, alpha=0, categorical_features="all").fit(HAND_X, HAND_Y)


@pytest.mark.parametrize("k", [-1, 1.5, "2", None, True])
def test_k_must_be_a_whole_number(k: object) -> None:
    """A k below 0, or that is no whole number, is an error that says so."""
    with pytest.raises(ValueError, match=r"k=.*: give a whole number of at least 0"):
        KDB(k).fit(HAND_X, HAND_Y)  # type: ignore[arg-type]


@pytest.mark.parametrize("theta", [float("nan"), float("inf"), "0.03", True])
def test_theta_must_be_a_number(theta: object) -> None:
    """A theta that is no finite number is an error that says so."""
    with pytest.raises(ValueError, match=r"theta=.*: give a finite number, or None"):
        KDB(1, theta=theta).fit(HAND_X, HAND_Y)  # type: ignore[arg-type]
