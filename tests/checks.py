"""The laws that every classifier keeps, as functions of an estimator: item 9 of the house style.

`LAWS` lists them. What they are checked with is drawn here too: tables with strings, numbers, truth values and holes.
"""

from __future__ import annotations

import dataclasses
import itertools
import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone

import savvybayes
from sources import ShuffledBlocks, memory_source

# Their probabilities depend on which attribute is the root: not on the order of the attributes, but for smoothing.
ROOTED = ("TAN", "ChowLiu")


def classifiers() -> list[Any]:
    """One of each public classifier, as its constructor makes it."""
    public = [getattr(savvybayes, name) for name in savvybayes.__all__]
    return [kind() for kind in public if isinstance(kind, type) and issubclass(kind, ClassifierMixin)]


def mixed_table(rows: int = 300, seed: int = 0) -> tuple[Any, NDArray[Any]]:
    """Strings, whole and other numbers, truth values, categories, holes; and three classes that they tell of."""
    rng = np.random.default_rng(seed)
    label = rng.integers(3, size=rows)

    def told(strength: float, n_values: int) -> NDArray[Any]:
        return np.where(rng.random(rows) < strength, label, rng.integers(n_values, size=rows))

    first = told(0.5, 4)
    colour = np.array(["red", "green", "blue", "white"], dtype=object)[first]
    colour[rng.random(rows) < 0.1] = None
    length = label + rng.normal(size=rows)
    length[rng.random(rows) < 0.1] = np.nan
    X = pd.DataFrame(
        {
            "colour": colour,
            "length": length,
            "count": told(0.4, 6),
            "old": (first + told(0.3, 3)) % 2 == 0,
            "grade": pd.Categorical(np.array(list("dcba"))[(first + told(0.4, 4)) % 4]),
            "width": length + rng.normal(size=rows),
            "same": "constant",
            "noise": rng.normal(size=rows),
        }
    )
    return X, np.array(["cat", "ant", "bee"])[label]


def categorical_table(rows: int = 600, seed: int = 0, n_columns: int = 5) -> tuple[Any, NDArray[Any]]:
    """Strings that tell of two classes and of each other, without ties; every cell of any two has rows."""
    rng = np.random.default_rng(seed)
    label = rng.integers(2, size=rows)
    columns: list[NDArray[Any]] = [label]
    for j in range(n_columns):
        before = columns[int(rng.integers(len(columns)))]
        kept = rng.random(rows) < 0.2 + 0.1 * j
        columns.append(np.where(kept, before, rng.integers(3, size=rows)))
    names = [f"x{j}" for j in range(n_columns)]
    X = pd.DataFrame({name: np.array(["u", "v", "w"])[codes] for name, codes in zip(names, columns[1:], strict=True)})
    return X, np.array(["no", "yes"])[label]


def whole_weights(rows: int, seed: int = 0) -> NDArray[np.float64]:
    """Weights of 0, 1, 2 and 3."""
    return np.random.default_rng(seed).integers(4, size=rows).astype(np.float64)


def assert_same_bits(a: Any, b: Any, where: str = "") -> None:
    """Fail unless two values are equal, the arrays inside them to the last bit."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        assert isinstance(a, np.ndarray), where
        assert isinstance(b, np.ndarray), where
        assert a.shape == b.shape, where
        assert a.dtype.kind == b.dtype.kind, where
        if a.dtype.kind in "OU":
            assert a.tolist() == b.tolist(), where
        else:
            assert a.tobytes() == b.tobytes(), f"{where}: {np.abs(a - b).max() if a.dtype.kind == 'f' else (a, b)}"
    elif dataclasses.is_dataclass(a) and not isinstance(a, type):
        assert type(a) is type(b), where
        for field in dataclasses.fields(a):
            assert_same_bits(getattr(a, field.name), getattr(b, field.name), f"{where}.{field.name}")
    elif isinstance(a, Mapping):
        assert list(a) == list(b), where
        for key in a:
            assert_same_bits(a[key], b[key], f"{where}[{key!r}]")
    elif isinstance(a, Sequence) and not isinstance(a, str):
        assert type(a) is type(b), where
        assert len(a) == len(b), where
        for i, (one, other) in enumerate(zip(a, b, strict=True)):
            assert_same_bits(one, other, f"{where}[{i}]")
    else:
        assert type(a) is type(b), f"{where}: {a!r} and {b!r}"
        assert a == b, where


def assert_same_model(a: Any, b: Any) -> None:
    """Fail unless two fitted classifiers have learnt the same, to the last bit."""
    for name in ("schema_", "classes_", "structure_", "model_"):
        assert_same_bits(getattr(a, name), getattr(b, name), name)


def fitted(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """A clone of the estimator that has learnt this."""
    return clone(estimator).fit(X, y, sample_weight)


def probabilities_sum_to_one(estimator: Any) -> None:
    """Probabilities are between 0 and 1 and sum to 1; their logarithms, the most probable class and the score agree."""
    X, y = mixed_table()
    model = fitted(estimator, X, y)
    proba = model.predict_proba(X)
    assert proba.shape == (len(y), 3)
    assert model.classes_.tolist() == ["ant", "bee", "cat"]
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-13)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), proba, rtol=1e-13)
    assert (model.predict(X) == model.classes_[proba.argmax(axis=1)]).all()
    assert model.score(X, y) == (model.predict(X) == y).mean()
    assert model.score(X, y) > 0.5  # by chance it would be a third


def each_row_stands_alone(estimator: Any) -> None:
    """A row's probabilities do not depend on what else is asked."""
    X, y = mixed_table()
    model = fitted(estimator, X, y)
    whole = model.predict_proba(X)
    assert_same_bits(np.concatenate([model.predict_proba(X.iloc[:1]), model.predict_proba(X.iloc[1:])]), whole)
    assert_same_bits(model.predict_proba(X.iloc[::-1]), np.ascontiguousarray(whole[::-1]))


def blocks_change_nothing(estimator: Any) -> None:
    """Cutting the rows into blocks changes no bit of what is learnt, with and without weights."""
    X, y = mixed_table()
    for seed, weights in itertools.product(range(3), [None, whole_weights(len(y))]):
        source = memory_source(X, y, weights)
        blocks = ShuffledBlocks(source, np.random.default_rng(seed))
        assert_same_model(clone(estimator).fit(blocks), clone(estimator).fit(source))
        assert_same_model(clone(estimator).fit(source), fitted(estimator, X, y, weights))


def permuted_rows_change_nothing(estimator: Any) -> None:
    """The order of the rows changes no bit of what is learnt."""
    X, y = mixed_table()
    weights = whole_weights(len(y))
    order = np.random.default_rng(3).permutation(len(y))
    assert_same_model(fitted(estimator, X, y), fitted(estimator, X.iloc[order], y[order]))
    assert_same_model(fitted(estimator, X, y, weights), fitted(estimator, X.iloc[order], y[order], weights[order]))


def weights_are_repetitions(estimator: Any) -> None:
    """A row of whole weight w is w rows, one of weight 0 none, to the last bit and in categories and cut points too."""
    X, y = mixed_table()
    weights = whole_weights(len(y))
    repeated = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted = fitted(estimator, X, y, weights)
    assert_same_model(weighted, fitted(estimator, X.iloc[repeated], y[repeated]))
    assert_same_model(fitted(estimator, X, y, np.ones(len(y))), fitted(estimator, X, y))
    assert_same_model(fitted(estimator, X, y, np.full(len(y), 2)), fitted(estimator, *_twice(X, y)))


def weight_zero_is_absent(estimator: Any) -> None:
    """Rows of weight 0 leave no trace: no category, no class, no cut point, no missing value."""
    X, y = mixed_table()
    ghosts = X.iloc[:4].copy()
    ghosts["colour"] = ["black", "red", None, "red"]
    ghosts["length"] = [1e9, np.nan, -1e9, 0.0]
    ghosts["same"] = ["other", None, "other", "constant"]
    ghosts["noise"] = np.nan
    both = pd.concat([X, ghosts, X])
    labels = np.concatenate([y, ["zebra", "ant", "ant", "zebra"], y])
    weights = np.concatenate([np.ones(len(y)), np.zeros(4), np.zeros(len(y))])
    assert_same_model(fitted(estimator, both, labels, weights), fitted(estimator, X, y))


def relabelled_classes_permute_the_answer(estimator: Any) -> None:
    """Other names for the classes, in another order, give the same columns in that order."""
    X, y = mixed_table()
    names = {"ant": "z", "bee": "x", "cat": "y"}
    model = fitted(estimator, X, y)
    renamed = fitted(estimator, X, np.array([names[label] for label in y]))
    assert renamed.classes_.tolist() == ["x", "y", "z"]
    np.testing.assert_allclose(renamed.predict_proba(X), model.predict_proba(X)[:, [1, 2, 0]], rtol=1e-9)


def relabelled_categories_change_nothing(estimator: Any) -> None:
    """Other names for categories, in another order, change no probability; nor do numbers that rise otherwise."""
    X, y = mixed_table()
    renamed = X.copy()
    renamed["colour"] = X["colour"].map({"red": "a", "green": "d", "blue": "c", "white": "b"})
    renamed["grade"] = X["grade"].astype(str).map({"a": 3, "b": -1, "c": 70_000, "d": 0}).astype("category")
    renamed["old"] = np.where(X["old"], "brand new", "long ago")
    renamed["noise"] = 5 * X["noise"] - 3
    model, other = fitted(estimator, X, y), fitted(estimator, renamed, y)
    np.testing.assert_allclose(other.predict_proba(renamed), model.predict_proba(X), rtol=1e-9)
    assert other.structure_ == model.structure_


def permuted_attributes_change_nothing(estimator: Any) -> None:
    """Where there are no ties and no root, the order of the attributes changes no probability.

    The tables of TAN and of Chow-Liu trees depend on the root through smoothing alone: they are compared unsmoothed,
    where the joint of a tree is the same from every root, if every cell has rows.
    """
    X, y = categorical_table()
    if type(estimator).__name__ in ROOTED:
        estimator = clone(estimator).set_params(alpha=0)
    model = fitted(estimator, X, y)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(X.shape[1])
        other = fitted(estimator, X.iloc[:, order], y)
        np.testing.assert_allclose(other.predict_proba(X.iloc[:, order]), model.predict_proba(X), rtol=1e-9)


def unseen_values_are_left_out(estimator: Any) -> None:
    """A value that training did not see, a new category or a hole alike, is as if the attribute were not there.

    The expected probabilities are counted here, from the rows and the learnt parents, without that attribute.
    """
    X, y = categorical_table()
    weights = whole_weights(len(y))
    model = fitted(estimator, X, y, weights)
    expected = by_hand(model, X, y, weights, alpha=estimator.alpha)
    np.testing.assert_allclose(model.predict_log_proba(X), expected, rtol=0, atol=1e-11)
    for unseen in (["x0"], ["x3"], ["x1", "x4"], list(X)):
        expected = by_hand(model, X, y, weights, alpha=estimator.alpha, unknown=unseen)
        for value in ("never seen", None, np.nan, 17):
            strange = X.astype(object).copy()
            strange[unseen] = value
            np.testing.assert_allclose(model.predict_log_proba(strange), expected, rtol=0, atol=1e-11)
    prior = [np.log(weights[y == label].sum() / weights.sum()) for label in model.classes_]
    np.testing.assert_allclose(expected, np.broadcast_to(prior, expected.shape), rtol=0, atol=1e-11)


def holes_are_unseen_or_a_value(estimator: Any) -> None:
    """A missing number is unknown where training saw none, and a value of its own where it did."""
    X, y = mixed_table()
    full = X.assign(length=X["length"].fillna(0.0), width=X["width"].fillna(0.0))
    holes = full.assign(length=np.nan)
    model = fitted(estimator, full, y)
    assert not model.schema_.attributes[1].missing
    np.testing.assert_allclose(model.predict_proba(holes).sum(axis=1), 1)
    nothing = pd.DataFrame({name: [None] for name in X.drop(columns=["colour"])}).assign(colour="black")[list(X)]
    prior = np.array([(y == label).mean() for label in model.classes_])
    np.testing.assert_allclose(model.predict_proba(nothing)[0], prior, rtol=1e-12)
    told = full.assign(length=np.where(y == "bee", np.nan, full["length"]))
    assert (fitted(estimator, told, y).predict(holes) == "bee").mean() > 0.75


def copies_predict_the_same(estimator: Any) -> None:
    """Pickling keeps predictions to the last bit; a clone learns the same anew; fitting twice is fitting once."""
    X, y = mixed_table()
    model = fitted(estimator, X, y)
    loaded = pickle.loads(pickle.dumps(model))
    assert_same_model(loaded, model)
    assert_same_bits(loaded.predict_proba(X), model.predict_proba(X))
    assert_same_model(clone(model).fit(X, y), model)
    other, labels = categorical_table()
    assert_same_model(pickle.loads(pickle.dumps(model)).fit(other, labels), fitted(estimator, other, labels))


def threads_change_nothing(estimator: Any) -> None:
    """The number of threads changes no bit of what is learnt or predicted."""
    X, y = mixed_table(rows=10_000)
    one, many = (fitted(clone(estimator).set_params(n_threads=n), X, y) for n in (1, 5))
    assert_same_model(one, many)
    assert_same_bits(one.predict_proba(X), many.predict_proba(X))


def nothing_of_the_users_is_changed(estimator: Any) -> None:
    """Neither the table, the target, the weights nor the constructor's parameters are changed by fitting."""
    X, y = mixed_table()
    weights = whole_weights(len(y))
    before = X.copy(deep=True), y.copy(), weights.copy(), repr(estimator)
    own = clone(estimator)
    parameters = {name: id(value) for name, value in own.get_params().items()}
    own.fit(X, y, weights).predict(X)
    pd.testing.assert_frame_equal(X, before[0])
    assert_same_bits([y, weights], [before[1], before[2]])
    assert {name: id(value) for name, value in own.get_params().items()} == parameters
    assert repr(own) == before[3]


LAWS: tuple[Callable[[Any], None], ...] = (
    probabilities_sum_to_one,
    each_row_stands_alone,
    blocks_change_nothing,
    permuted_rows_change_nothing,
    weights_are_repetitions,
    weight_zero_is_absent,
    relabelled_classes_permute_the_answer,
    relabelled_categories_change_nothing,
    permuted_attributes_change_nothing,
    unseen_values_are_left_out,
    holes_are_unseen_or_a_value,
    copies_predict_the_same,
    threads_change_nothing,
    nothing_of_the_users_is_changed,
)


def by_hand(
    model: Any, X: Any, y: NDArray[Any], weights: NDArray[Any], alpha: float, unknown: Sequence[str] = ()
) -> NDArray[np.float64]:
    """The log-probabilities of a table of strings by the model's parents, counted row by row; some attributes unknown.

    ``P(y) prod_i (N(x_i, pa_i, y) + alpha) / (N(pa_i, y) + alpha r_i)``, without the unknown ones.
    """
    parents, classes = model.structure_.parents, model.classes_.tolist()
    values = {name: X[name].to_numpy() for name in X}
    sizes = {name: len(set(column[weights > 0])) for name, column in values.items()}
    scores = np.zeros((len(X), len(classes)))
    for c, label in enumerate(classes):
        own = weights * (y == label)
        of_class = parents.get(label) if isinstance(parents.get(label), Mapping) else parents
        scores[:, c] = np.log(own.sum())
        for child, every_parent in of_class.items():
            if child in unknown:
                continue
            known = [name for name in every_parent if name not in unknown]
            with_child = _count_alike([values[name] for name in [child, *known]], own)
            without = _count_alike([values[name] for name in known], own)
            scores[:, c] += np.log((with_child + alpha) / (without + alpha * sizes[child]))
    scores -= scores.max(axis=1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))


def _count_alike(columns: Sequence[NDArray[Any]], weights: NDArray[Any]) -> NDArray[np.float64]:
    """For each row the weight of the rows that are like it in these columns."""
    rows = list(zip(*columns, strict=True)) if columns else [()] * len(weights)
    total: dict[tuple[Any, ...], float] = {}
    for row, weight in zip(rows, weights, strict=True):
        total[row] = total.get(row, 0.0) + weight
    return np.array([total[row] for row in rows])


def _twice(X: Any, y: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    return pd.concat([X, X]), np.concatenate([y, y])
