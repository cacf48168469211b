"""Sources: whatever blocks the rows lie in and wherever those live, the same is learnt, to the last bit."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

import checks
from savvybayes import KDB, TAN, ChowLiu, MDLPDiscretizer, NaiveBayes
from savvybayes.data.columns import Labels, Numbers
from savvybayes.data.discretize import MOST_KEYS
from savvybayes.data.learn import learn_schema
from savvybayes.data.source import MemorySource, RawBlock
from savvybayes.data.survey import AskMap, Survey
from sources import ShuffledBlocks, memory_source

LEARNERS = [*checks.classifiers(), KDB(0), KDB(3, theta=0.01), TAN(discretizer=7), ChowLiu(alpha=0.1)]

each_learner = pytest.mark.parametrize("estimator", LEARNERS, ids=repr)


def many_numbers(rows: int = 50_000) -> tuple[Any, NDArray[Any]]:
    """Columns of more distinct values than a value map keeps apart, of several shapes, with cuts to find."""
    rng = np.random.default_rng(1)
    label = rng.integers(3, size=rows)
    plain = label + rng.normal(size=rows)
    wild = (label - 1.2 + rng.normal(size=rows)) * 10.0 ** rng.uniform(-200, 200, size=rows)
    holes = np.where(rng.random(rows) < 0.05, np.nan, rng.random(rows) ** (label + 1))
    whole = rng.integers(0, 2**40, size=rows) + label * 2**38
    narrow = 1 + (plain * 1e-12).astype(np.float32).astype(np.float64)
    return pd.DataFrame({"plain": plain, "wild": wild, "holes": holes, "whole": whole, "narrow": narrow}), label


def identifiers(rows: int = 4000) -> tuple[Any, NDArray[Any]]:
    """Categories of very many values, text and numbers, of which most blocks know few."""
    rng = np.random.default_rng(2)
    label = rng.integers(2, size=rows)
    X = pd.DataFrame(
        {
            "town": [f"town {i}" for i in rng.integers(300, size=rows) + 100 * label],
            "code": rng.integers(-60, 60, size=rows) * (label + 1),
            "mixed": [[1, "1", 2.5, None, "x"][i] for i in rng.integers(5, size=rows)],
            "far": rng.integers(2**53, 2**53 + 4, size=rows),
        }
    )
    return X, np.array(["no", "yes"])[label]


@each_learner
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_mixed_columns(estimator: Any, weighted: bool, seed: int) -> None:
    """Strings, categories, numbers, truth values and holes in random blocks give the model of the whole."""
    X, y = checks.mixed_table(rows=997, seed=seed)
    source = memory_source(X, y, checks.whole_weights(len(y)) if weighted else None)
    blocks = ShuffledBlocks(source, np.random.default_rng(seed))
    checks.assert_same_model(clone(estimator).fit(blocks), clone(estimator).fit(source))


@each_learner
def test_categories_of_many_values(estimator: Any) -> None:
    """Categories of which each block knows only some, numbers among them, give the model of the whole."""
    X, y = identifiers()
    estimator = clone(estimator).set_params(categorical_features="all")
    source = memory_source(X, y)
    blocks = ShuffledBlocks(source, np.random.default_rng(5))
    checks.assert_same_model(clone(estimator).fit(blocks), clone(estimator).fit(source))


@pytest.mark.parametrize("estimator", [TAN(), NaiveBayes(discretizer=40), KDB(1)], ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_more_numbers_than_keys(estimator: Any, weighted: bool) -> None:
    """Columns of more than 2^14 distinct values, so that value maps are coarsened, give the same cuts and model."""
    X, y = many_numbers()
    assert all(X[name].nunique() > MOST_KEYS for name in X)
    source = memory_source(X, y, checks.whole_weights(len(y)) if weighted else None)
    whole = clone(estimator).fit(source)
    assert all(len(attribute.cuts) > 0 for attribute in whole.schema_.attributes)
    for seed in range(2):
        blocks = ShuffledBlocks(source, np.random.default_rng(seed))
        checks.assert_same_model(clone(estimator).fit(blocks), whole)


@each_learner
def test_blocks_in_another_process(estimator: Any) -> None:
    """Blocks that live in another process answer as they would here."""
    X, y = checks.mixed_table(rows=500)
    source = memory_source(X, y, checks.whole_weights(len(y)))
    blocks = ShuffledBlocks(source, np.random.default_rng(0), processes=True)
    checks.assert_same_model(clone(estimator).fit(blocks), clone(estimator).fit(source))


def test_many_numbers_in_another_process() -> None:
    """Value maps that were coarsened in another process add up like those from here."""
    X, y = many_numbers()
    source = memory_source(X, y)
    blocks = ShuffledBlocks(source, np.random.default_rng(0), processes=True, rows=[1, 24_999, 1, 20_000, 4_999])
    checks.assert_same_model(TAN().fit(blocks), TAN().fit(source))


def test_many_classes() -> None:
    """With 300 classes, of which each block knows few, columns of numbers are cut alike in blocks and as a whole."""
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(300), rng.integers(300, size=2700)])
    X = (y[:, None] * rng.integers(1, 9, size=20)) % 50 + rng.normal(size=(3000, 20))
    source = memory_source(X, y)
    whole = NaiveBayes().fit(source)
    assert sum(attribute.size - 1 for attribute in whole.schema_.attributes) > 20
    checks.assert_same_model(NaiveBayes().fit(ShuffledBlocks(source, rng)), whole)


@each_learner
def test_blocks_of_a_row_each(estimator: Any) -> None:
    """Blocks of one row each, which know one value a column and one class, give the model of the whole."""
    X, y = checks.mixed_table(rows=60)
    source = memory_source(X, y, checks.whole_weights(len(y)))
    blocks = ShuffledBlocks(source, np.random.default_rng(0), rows=[1] * 60)
    checks.assert_same_model(clone(estimator).fit(blocks), clone(estimator).fit(source))


@each_learner
def test_blocks_without_weight(estimator: Any) -> None:
    """A block whose rows all have weight 0 adds nothing, nor does a block without rows."""
    X, y = checks.mixed_table()
    weights = np.where(np.arange(len(y)) < 100, 0.0, 1.0)
    source = memory_source(X, y, weights)
    blocks = ShuffledBlocks(source, np.random.default_rng(0), rows=[40, 60, 0, 100, 100, 0])
    checks.assert_same_model(clone(estimator).fit(blocks), checks.fitted(estimator, X[100:], y[100:]))


def test_fractional_weights() -> None:
    """Fractional weights, whose sums depend on their order, give the same probabilities to 1e-9."""
    X, y = checks.mixed_table(rows=2000)
    source = memory_source(X, y, np.random.default_rng(0).uniform(0.5, 2, size=len(y)))
    whole = TAN().fit(source)
    for seed in range(3):
        cut = TAN().fit(ShuffledBlocks(source, np.random.default_rng(seed)))
        assert cut.structure_ == whole.structure_
        np.testing.assert_allclose(cut.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


def test_equal_values_of_different_types() -> None:
    """Which of equal values of different types (1, 1.0, True) a block met first does not change codes or labels."""
    y = np.array(["no", "yes", "no", "yes", "no", "yes"])
    ways = [
        [1, 1.0, True, 0, "a", 2.5],
        [True, 1.0, 1, 0, "a", 2.5],
        [1.0, 1, True, 0, "a", 2.5],
    ]
    models = [
        NaiveBayes().fit(pd.DataFrame({"a": pd.Series(values, dtype=object), "b": list("uvuvuv")}), y)
        for values in ways
    ]
    for model in models[1:]:
        checks.assert_same_bits(model.model_, models[0].model_)
        assert model.schema_.attributes[0].labels == models[0].schema_.attributes[0].labels


def test_discretizer_on_rows_in_another_order() -> None:
    """The transformer finds the same cuts, to the last bit, in whatever order the rows of many numbers come."""
    X, y = many_numbers()
    order = np.random.default_rng(0).permutation(len(y))
    cuts = MDLPDiscretizer().fit(X, y).cut_points_
    checks.assert_same_bits(MDLPDiscretizer().fit(X.iloc[order], y[order]).cut_points_, cuts)
    assert min(map(len, cuts)) > 0


def test_the_maps_of_many_numbers_are_coarse() -> None:
    """The tables above do what they are for: their maps are coarsened, and by different numbers of bits."""
    X, y = many_numbers()
    maps: Any = memory_source(X, y).fold(Survey((AskMap(),) * X.shape[1])).answers
    assert [len(map_.least) <= MOST_KEYS for map_ in maps] == [True] * 5
    levels = {name: map_.level for name, map_ in zip(X, maps, strict=True)}
    assert min(levels.values()) > 0
    assert len(set(levels.values())) >= 4


def test_fit_takes_a_source_alone() -> None:
    """A source brings its own target and weights; beside it neither may be given."""
    X, y = checks.mixed_table()
    source = memory_source(X, y)
    with pytest.raises(ValueError, match="a Source brings its own target and weights"):
        TAN().fit(source, y)
    with pytest.raises(ValueError, match="a Source brings its own target and weights"):
        TAN().fit(source, sample_weight=np.ones(len(y)))


def test_names_and_width_come_from_the_source() -> None:
    """A model that was fitted to a source knows names and width, and predicts frames of those names."""
    X, y = checks.mixed_table()
    model = TAN().fit(memory_source(X, y))
    assert model.n_features_in_ == 8
    assert model.feature_names_in_.tolist() == list(X)
    checks.assert_same_bits(model.predict_proba(X), TAN().fit(X, y).predict_proba(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.rename(columns={"noise": "voice"}))
    X_array = X.to_numpy()
    assert not hasattr(model.fit(memory_source(X_array, y)), "feature_names_in_")
    assert model.predict_proba(X_array).shape == (len(y), 3)


def test_source_without_target() -> None:
    """A source that has no target is refused in words that say so."""
    X, y = checks.mixed_table()
    blocks = ShuffledBlocks(memory_source(X, y), np.random.default_rng(0), rows=[150, 150])
    blocks.blocks = [RawBlock(b.number, b.columns, None, None) for b in blocks.blocks]
    with pytest.raises(ValueError, match=r"target|y has no class"):
        TAN().fit(blocks)


@pytest.mark.parametrize("rows", [[300], [1, 99, 200], [150, 150]])
def test_order_of_the_targets_values(rows: list[int]) -> None:
    """A source may know its classes in any order, as dictionaries of files do: they come in that of `np.unique`."""
    X, y = checks.mixed_table()
    whole = memory_source(X, y)
    blocks = ShuffledBlocks(whole, np.random.default_rng(0), rows=rows)
    for i in range(len(rows) - 1, -1, -2):  # every other block: were all alike, no cut would show a mistake
        block = blocks.blocks[i]
        assert block.target is not None
        last = len(block.target.values) - 1
        backwards = Labels(np.int32(last) - block.target.codes, np.asarray(block.target.values)[::-1])
        blocks.blocks[i] = RawBlock(block.number, block.columns, backwards, block.weights)
    checks.assert_same_model(TAN().fit(blocks), TAN().fit(whole))


def test_source_of_one_class() -> None:
    """A source of one class is refused once its rows were looked at, and what was learnt before stays."""
    X, y = checks.mixed_table()
    model = TAN().fit(X, y)
    before = model.predict_proba(X)
    one = memory_source(pd.DataFrame({"other": range(10)}), np.zeros(10))
    with pytest.raises(ValueError, match=r"y has one class, 0\.0"):
        model.fit(ShuffledBlocks(one, np.random.default_rng(0)))
    checks.assert_same_bits(model.predict_proba(X), before)


def test_raw_blocks() -> None:
    """A raw block gives its rows, those of positive weight, and travels without its scratch."""
    block = RawBlock(
        3,
        (Numbers(np.array([1.0, 2.0, 3.0])), Labels(np.array([0, -1, 1]), ("u", "v"))),
        Labels(np.array([0, 1, 1]), np.array(["no", "yes"])),
        np.array([1.0, 0.0, 2.0]),
    )
    assert block.rows == 3
    present = block.present()
    assert present.number == 3
    numbers, labels = present.columns
    assert isinstance(numbers, Numbers)
    assert numbers.values.tolist() == [1, 3]
    assert isinstance(labels, Labels)
    assert labels.codes.tolist() == [0, 1]
    assert present.weights is not None
    assert present.weights.tolist() == [1, 2]
    assert present.target is not None
    assert present.target.codes.tolist() == [0, 1]
    assert present.present() is present
    block.scratch["codes"] = np.zeros(10**6)
    travelled = pickle.dumps(block)
    assert len(travelled) < 10_000
    assert pickle.loads(travelled).scratch == {}


def test_the_awkward_source_is_awkward() -> None:
    """The source these tests use has consecutive numbered blocks, one of them of one row, which know only their own."""
    X, y = checks.mixed_table()
    whole = memory_source(X, y)
    for seed in range(20):
        blocks = ShuffledBlocks(whole, np.random.default_rng(seed)).blocks
        assert 2 <= len(blocks) <= 8
        assert [block.number for block in blocks] == list(range(len(blocks)))
        assert min(block.rows for block in blocks) == 1
        assert sum(block.rows for block in blocks) == len(y)
        lengths = np.concatenate([block.columns[1].values for block in blocks if isinstance(block.columns[1], Numbers)])
        checks.assert_same_bits(lengths, X["length"].to_numpy())
        colours = [block.columns[0] for block in blocks]
        read = [c.values[i] if i >= 0 else None for c in colours if isinstance(c, Labels) for i in c.codes]
        assert read == X["colour"].astype(object).where(X["colour"].notna(), None).tolist()
        single = next(block for block in blocks if block.rows == 1)
        assert single.target is not None
        assert len(single.target.values) == 1


def test_schema_alone() -> None:
    """The schema is learnt in one fold, however many columns there are."""
    X, y = checks.mixed_table()
    source = memory_source(X, y)
    asked: list[Any] = []

    class Counting(ShuffledBlocks):
        def fold(self, request: Any) -> Any:
            asked.append(request)
            return super().fold(request)

    schema, findings = learn_schema(Counting(source, np.random.default_rng(0)))
    assert len(asked) == 1
    assert findings.rows == len(y)
    assert isinstance(source, MemorySource)
    assert schema == learn_schema(source)[0]
