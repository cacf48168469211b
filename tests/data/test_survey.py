"""The questions to raw columns and their answers, which add up over blocks."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from savvybayes.data.columns import Labels, Numbers
from savvybayes.data.discretize import ValueMap
from savvybayes.data.source import RawBlock
from savvybayes.data.survey import AskBins, AskMap, AskValues, Findings, Seen, Survey, numbers_of


def block(*columns: Any, y: Any = None, weights: Any = None) -> RawBlock:
    """A raw block of numbers, or of labels given as lists of strings."""
    target = None
    if y is not None:
        values, codes = np.unique(y, return_inverse=True)
        target = Labels(codes.astype(np.int32), values)
    data = tuple(column if isinstance(column, Numbers | Labels) else Numbers(np.asarray(column)) for column in columns)
    return RawBlock(0, data, target, None if weights is None else np.asarray(weights, dtype=np.float64))


def seen(findings: Findings, i: int = 0) -> Seen:
    """The values that were seen in a column."""
    answer = findings.answers[i]
    assert isinstance(answer, Seen)
    return answer


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"])
def test_values_of_numbers(dtype: str) -> None:
    """The distinct values of a column of numbers are Python's numbers, whole ones int, whatever its type."""
    found = seen(Survey((AskValues(),))(block(np.array([3, 1, 3, 7], dtype=dtype), y=[0, 1, 0, 1])))
    assert found == Seen(frozenset({1, 3, 7}), missing=False)
    assert {type(value) for value in found.values} == {int}


def test_values_of_floats() -> None:
    """Fractions stay floats, -0.0 is 0, and NaN is missing."""
    found = seen(Survey((AskValues(),))(block([0.5, -0.0, 0.0, np.nan, -2.0], y=[0, 1, 0, 1, 1])))
    assert found == Seen(frozenset({0.5, 0, -2}), missing=True)
    assert sorted(map(repr, found.values)) == ["-2", "0", "0.5"]


def test_values_of_truth_values_and_labels() -> None:
    """Truth values stay truth values; labels are those that occur, not all that are known."""
    labels = Labels(np.array([2, -1, 0, 2], dtype=np.int32), ("a", "b", "c"))
    findings = Survey((AskValues(), AskValues()))(block([True, True, False, True], labels, y=[0, 1, 0, 1]))
    assert {repr(value) for value in seen(findings).values} == {"True", "False"}
    assert seen(findings, 1) == Seen(frozenset({"a", "c"}), missing=True)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_that_are_no_doubles(dtype: Any) -> None:
    """Integers beyond 2^53 are told apart, where the nearest doubles would not be."""
    big = [2**53, 2**53 + 1, 2**62 + 1, 2**62 + 2, 2**63 - 1, 2**63 - 2]
    found = seen(Survey((AskValues(),))(block(np.array(big, dtype=dtype), y=[0, 1] * 3)))
    assert found.values == frozenset(big)


def test_rows_of_weight_zero_are_absent() -> None:
    """What only rows of weight 0 have is not seen: values, missing ones, classes, keys of maps."""
    labels = Labels(np.array([0, 1, -1], dtype=np.int32), ("a", "b"))
    raw = block(labels, [1.0, 2.0, np.nan], [1.0, 2.0, np.nan], y=["u", "v", "w"], weights=[2, 0, 0])
    findings = Survey((AskValues(), AskMap(), AskBins((1.5,))))(raw)
    assert findings.classes.tolist() == ["u"]
    assert (findings.rows, findings.weight) == (1, 2)
    assert seen(findings) == Seen(frozenset({"a"}), missing=False)
    map_ = findings.answers[1]
    assert isinstance(map_, ValueMap)
    assert map_.least.tolist() == [1]
    assert map_.counts.tolist() == [[2]]
    assert map_.missing.tolist() == [0]
    assert seen(findings, 2) == Seen(frozenset({0}), missing=False)


def test_bins() -> None:
    """A bin is numbered by the cuts below it; a value equal to a cut goes left; missing is noted."""
    found = seen(Survey((AskBins((0.0, 1.0, 2.0)),))(block([-5, 0.0, 1.5, 2.0, np.nan], y=[0] * 5)))
    assert found == Seen(frozenset({0, 2}), missing=True)
    assert seen(Survey((AskBins(()),))(block([1, 2], y=[0, 1]))).values == {0}
    assert seen(Survey((AskBins((0.5,)),))(block([True, False], y=[0, 1]))).values == {0, 1}


def test_bins_of_a_column_without_numbers() -> None:
    """A column of labels that is missing all over has no bin, only a missing value."""
    nothing = Labels(np.full(2, -1, dtype=np.int32), ())
    assert np.isnan(numbers_of(nothing)).all()
    assert seen(Survey((AskBins((0.5,)),))(block(nothing, y=[0, 1]))) == Seen(frozenset(), missing=True)


def test_findings_add() -> None:
    """Findings of blocks with different classes add up to those of all rows, whichever comes first."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=40)
    labels = rng.integers(5, size=40).astype(np.int32)
    y = np.array(["b"] * 10 + ["a", "c"] * 10 + ["d"] * 10)
    survey = Survey((AskMap(), AskValues(), AskBins((0.0,))))

    def part(rows: slice) -> Findings:
        return survey(block(numbers[rows], Labels(labels[rows], tuple("pqrst")), numbers[rows], y=y[rows]))

    whole = part(slice(0, 40))
    first, second, third = part(slice(0, 10)), part(slice(10, 30)), part(slice(30, 40))
    for total in (first + second + third, third + (first + second), second + third + first):
        assert total.classes.tolist() == ["a", "b", "c", "d"]
        assert (total.rows, total.weight) == (40, 40)
        assert total.answers[1:] == whole.answers[1:]
        ours, theirs = total.answers[0], whole.answers[0]
        assert isinstance(ours, ValueMap)
        assert isinstance(theirs, ValueMap)
        assert ours.least.tolist() == theirs.least.tolist()
        assert ours.counts.tolist() == theirs.counts.tolist()


def test_no_rows_add_nothing() -> None:
    """The findings of a block without rows leave others as they are."""
    survey = Survey((AskMap(), AskValues()))
    some = survey(block([1.0, 2.0], [1, 2], y=["a", "b"]))
    for total in (some + survey(some_none := block([], [], y=[])), survey(some_none) + some):
        assert total.classes.tolist() == ["a", "b"]
        assert total.rows == 2
        assert seen(total, 1) == seen(some, 1)
        map_ = total.answers[0]
        assert isinstance(map_, ValueMap)
        assert map_.counts.tolist() == [[1, 0], [0, 1]]


def test_without_target() -> None:
    """Values can be asked of a block that has no target."""
    findings = Survey((AskValues(),))(block([1, 2]))
    assert findings.classes.shape == (0,)
    assert seen(findings).values == {1, 2}


def test_questions_and_findings_travel() -> None:
    """A survey and its findings are small values that pickle."""
    survey = Survey((AskValues(), AskMap(), AskBins((1.0, 2.0))))
    raw = block([1, 2], [1.0, 2.0], [1.0, 2.0], y=[0, 1])
    assert pickle.loads(pickle.dumps(survey)) == survey
    assert len(pickle.dumps(survey)) < 1000
    travelled = pickle.loads(pickle.dumps(survey(raw)))
    assert travelled.answers[0] == survey(raw).answers[0]
    assert (travelled + survey(raw)).rows == 4
