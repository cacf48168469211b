"""What was learnt of the columns: the codes of values, of missing and of unknown ones; what it prints."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas
import pytest
from numpy.typing import NDArray

import checks
from savvybayes import TAN, ChowLiu, NaiveBayes, _kernel
from savvybayes.data.columns import Labels, Numbers
from savvybayes.data.schema import MOST_VALUES, Attribute, Schema, category, check_sizes, ordered
from savvybayes.data.source import ColumnType, RawBlock
from savvybayes.data.survey import AskBins, AskValues, Findings, Seen
from sources import memory_source

# Its stubs, where they are installed, know less than it does.
pd: Any = pandas

CLASSES = np.array(["no", "yes"])


def codes_of(attribute: Attribute, column: Numbers | Labels) -> list[int]:
    """The codes that a column gets, found by counting pairs with the row's number."""
    rows = len(column)
    schema = Schema(
        (attribute, ordered(ColumnType("row", "number"), [i + 0.5 for i in range(rows - 1)], _bins(rows))), CLASSES
    )
    numbers = Numbers(np.arange(rows))
    block = schema.block(RawBlock(0, (column, numbers), None, None), (0, 1))
    assert block.rows == rows
    found: list[int] = (
        np.exp(block.log_probabilities(np.zeros(attribute.size + 1), [_identity(attribute)])).argmax(1).tolist()
    )
    return found


def _identity(attribute: Attribute) -> tuple[list[int], int, NDArray[np.float64]]:
    """A log table over the attribute that gives the code away: one "class" for each code."""
    return [0], -1, 9 * np.eye(attribute.size + 1)


def _bins(n: int) -> Seen:
    return Seen(frozenset(range(n)), missing=False)


def label_column(values: list[Any]) -> Labels:
    """A column of labels, None where missing."""
    distinct = tuple(dict.fromkeys(value for value in values if value is not None))
    return Labels(np.array([-1 if v is None else distinct.index(v) for v in values], dtype=np.int32), distinct)


def test_codes_of_labels() -> None:
    """A label has its place among those seen; missing the last one if it was seen; all else is unknown."""
    seen = category(ColumnType("a", "label"), Seen(frozenset({"b", "a"}), missing=True))
    assert (seen.values, seen.size) == (("a", "b"), 3)
    assert codes_of(seen, label_column(["b", "a", None, "z", "A", "b "])) == [1, 0, 2, 3, 3, 3]
    whole = category(ColumnType("a", "label"), Seen(frozenset({"b", "a"}), missing=False))
    assert codes_of(whole, label_column(["b", "a", None, "z"])) == [1, 0, 2, 2]
    assert codes_of(whole, label_column([None, None])) == [2, 2]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2", "u1", "O"])
def test_codes_of_categories_that_are_numbers(dtype: str) -> None:
    """A category that is a number is that number, in whatever type it comes."""
    seen = category(ColumnType("a", "number"), Seen(frozenset({3, 7, 200}), missing=True))
    given = [7, 3, 200, 4, 0, 255]
    expected = [1, 0, 2, 4, 4, 4]
    if dtype == "O":
        assert codes_of(seen, label_column([*given, None, 7.0])) == [*expected, 3, 1]
    else:
        assert codes_of(seen, Numbers(np.array(given, dtype=dtype))) == expected
    assert codes_of(seen, Numbers(np.array([np.nan, 7.5, -7, 1e300]))) == [3, 4, 4, 4]


@pytest.mark.parametrize("values", [{-5, 0, 70_000}, {0.25, 3.5, -1e300}, {2**52, 2**52 + 1}, {-(2**40), 2**40}])
def test_codes_of_numbers_far_apart(values: set[float]) -> None:
    """Numbers are found by value, near or far apart, fractions too; their neighbours are unknown."""
    seen = category(ColumnType("a", "number"), Seen(frozenset(values), missing=False))
    numbers = np.array(sorted(values), dtype=np.float64)
    assert codes_of(seen, Numbers(numbers)) == list(range(len(values)))
    beside = np.concatenate([np.nextafter(numbers, -np.inf), np.nextafter(numbers, np.inf)])
    beside = beside[~np.isin(beside, numbers)]
    assert set(codes_of(seen, Numbers(beside))) == {len(values)}


def test_codes_of_integers_that_are_no_doubles() -> None:
    """Integers beyond 2^53 are told from their neighbours, which have the same double."""
    values = {2**53, 2**53 + 1, 2**62 + 3}
    seen = category(ColumnType("a", "number"), Seen(frozenset(values), missing=False))
    given = np.array([2**53, 2**53 + 1, 2**62 + 3, 2**62, 2**53 + 2])
    assert codes_of(seen, Numbers(given)) == [0, 1, 2, 3, 3]
    assert codes_of(seen, Numbers(given.astype(np.uint64))) == [0, 1, 2, 3, 3]
    small = category(ColumnType("a", "number"), Seen(frozenset({1, 2**53 - 1}), missing=False))
    assert codes_of(small, Numbers(np.array([2**53 - 1, 2**63 - 1, -(2**63), 1]))) == [1, 2, 2, 0]


def test_codes_of_truth_values() -> None:
    """Truth values, numbers 0 and 1, and objects of both are one."""
    seen = category(ColumnType("a", "boolean"), Seen(frozenset({True, False}), missing=False))
    assert codes_of(seen, Numbers(np.array([True, False]))) == [1, 0]
    assert codes_of(seen, Numbers(np.array([1.0, 0.0, np.nan, 2.0]))) == [1, 0, 2, 2]
    assert codes_of(seen, label_column([True, 0, None, "True"])) == [1, 0, 2, 2]


def test_codes_of_ordered_columns() -> None:
    """A number has the code of its bin; a value at a cut goes left; a bin that training did not see is unknown."""
    seen = ordered(ColumnType("a", "number"), [0.0, 1.0, 2.0], Seen(frozenset({0, 1, 3}), missing=True))
    assert (seen.size, seen.labels) == (4, ("<= 0", "(0, 1]", "> 2", "missing"))
    values = [-1e300, 0, -0.0, 5e-324, 1.0, 1.5, 2.0, 2.1, np.nan]
    assert codes_of(seen, Numbers(np.array(values))) == [0, 0, 0, 1, 1, 4, 4, 2, 3]
    whole = ordered(ColumnType("a", "number"), [0.5], Seen(frozenset({0, 1}), missing=False))
    assert codes_of(whole, Numbers(np.array([0, 1, 1], dtype=np.uint8))) == [0, 1, 1]
    assert codes_of(whole, Numbers(np.array([False, True]))) == [0, 1]
    assert codes_of(whole, label_column([None, None])) == [2, 2]


@pytest.mark.parametrize("n_values", [254, 255, 256, 1000, MOST_VALUES])
@pytest.mark.parametrize("missing", [False, True])
def test_width_of_codes(n_values: int, missing: bool) -> None:
    """Up to 255 seen values (missing counted) codes take 8 bits, up to 65,535 they take 16, unknown ones included."""
    if n_values == MOST_VALUES and missing:
        n_values -= 1
    seen = category(ColumnType("a", "number"), Seen(frozenset(range(n_values)), missing=missing))
    check_sizes([seen])
    size = n_values + missing
    assert seen.size == size
    assert seen.dtype == (np.uint8 if size <= 255 else np.uint16)
    schema = Schema((seen,), CLASSES)
    column = Numbers(np.array([0, n_values - 1, -1, np.nan]))
    block = schema.block(RawBlock(0, (column,), None, None), (0,))
    table = np.zeros((size + 1, 2))
    table[[0, n_values - 1, size, size - 1 if missing else size], 0] = [1, 2, 3, 4 if missing else 3]
    scores = block.log_probabilities(np.zeros(2), [([0], -1, table)])
    expected = [1, 2, 3, 4] if missing else [1, 2, 3, 3]
    np.testing.assert_allclose(scores[:, 0] - scores[:, 1], expected, rtol=1e-13)


@pytest.mark.parametrize("kind", ["text", "number", "category"])
def test_too_many_categories(kind: str) -> None:
    """65,535 categories work; one more, a missing one counted, is an error: column, number, and what it looks like."""
    values = np.arange(MOST_VALUES + 1)
    y = values % 2
    column = {"text": values.astype(str).astype(object), "number": values.astype(float), "category": values}[kind]

    def fit(column: Any) -> Any:
        own = y[: len(column)]
        X = pd.DataFrame({"fine": own, "id": pd.Categorical(column) if kind == "category" else column})
        return NaiveBayes(categorical_features=["id"]).fit(X, own)

    assert fit(column[:-1]).schema_.attributes[1].size == MOST_VALUES
    with pytest.raises(ValueError, match=r"column 'id' has 65536 distinct values .*looks like an identifier"):
        fit(column)
    holed = column.astype(object)[:-1]
    fit(holed)
    with pytest.raises(ValueError, match=r"column 'id' has 65536 distinct values \(missing counted\)"):
        fit(np.append(holed, [None]))


def test_extended() -> None:
    """New values come between the old ones in their order, and the old codes are found in the new schema."""
    old = category(ColumnType("a", "label"), Seen(frozenset({"b", "d"}), missing=True))
    new = old.extended(Seen(frozenset({"a", "c", "d"}), missing=False))
    assert new.values == ("a", "b", "c", "d")
    assert new.missing
    assert old.codes_in(new) == [1, 3, 4]
    bins = ordered(ColumnType("a", "number"), [0, 1], Seen(frozenset({2}), missing=False))
    wider = bins.extended(Seen(frozenset({0}), missing=True))
    assert (wider.values, wider.missing, wider.cuts) == ((0, 2), True, (0, 1))
    assert bins.codes_in(wider) == [1]


def test_extended_schema() -> None:
    """A schema after further findings has their values in each column, and its own classes and cut points."""
    schema = Schema(
        (
            category(ColumnType("a", "label"), Seen(frozenset({"u"}), missing=False)),
            ordered(ColumnType("b", "number"), [0.5], Seen(frozenset({0}), missing=False)),
        ),
        CLASSES,
    )
    assert schema.kept == ()
    assert schema.left_out == ("a", "b")
    answers = (Seen(frozenset({"v"}), missing=False), Seen(frozenset({0}), missing=True))
    wider = schema.extended(Findings(np.array(["yes"]), answers, 3, 3.0))
    assert wider.kept == (0, 1)
    assert wider.names == ("a", "b")
    assert wider.sizes == (2, 2)
    assert wider.classes.tolist() == ["no", "yes"]
    assert schema.kept == ()
    with pytest.raises(ValueError, match="column 'a' has 65537 distinct values"):
        schema.extended(Findings(CLASSES, (_bins(MOST_VALUES + 1), answers[1]), 3, 3.0))


def test_questions() -> None:
    """What is asked of further rows is which values a category has, and which bins an ordered column."""
    assert category(ColumnType("a", "label"), _bins(2)).question == AskValues()
    assert ordered(ColumnType("a", "number"), [1, 2], _bins(2)).question == AskBins((1, 2))


def test_order_of_categories() -> None:
    """Categories come in rising order where they have one, otherwise numbers first, then the rest by type and text."""
    numbers = category(ColumnType("a", "number"), Seen(frozenset({10, 9, -1, 2.5}), missing=False))
    assert numbers.values == (-1, 2.5, 9, 10)
    for values in (["b", 2, "a", 10, 1.5, b"x"], [b"x", 1.5, 10, "a", 2, "b"]):
        mixed = category(ColumnType("a", "label"), Seen(frozenset(values), missing=False))
        assert mixed.values == (1.5, 2, 10, b"x", "a", "b")


def test_order_of_equal_categories() -> None:
    """The order of mixed categories does not depend on which of equal values (1, 1.0, True) stands for them."""
    orders = [
        category(ColumnType("a", "label"), Seen(frozenset([one, 0, 2, "a"]), missing=False)).values
        for one in (1, 1.0, True)
    ]
    assert orders == [orders[0]] * 3


def test_order_of_great_integers_among_text() -> None:
    """Great integers that have the same double are in their own order, whatever order they come in."""
    great = [2**60, 2**60 + 8]  # a small set of them is gone through in the order in which it was made
    for values in (great, great[::-1]):
        mixed = category(ColumnType("a", "label"), Seen(frozenset([*values, "text"]), missing=False))
        assert mixed.values == (*great, "text")


def test_great_floats_among_text() -> None:
    """A great number beside text is shown as the number that was given, not by hundreds of digits."""
    mixed = category(ColumnType("a", "label"), Seen(frozenset([1e300, "text"]), missing=False))
    assert mixed.labels == ("1e+300", "text")


def test_a_category_named_missing() -> None:
    """The text "missing" is not shown like a value that is missing."""
    attribute = category(ColumnType("a", "label"), Seen(frozenset(["missing", "x"]), missing=True))
    assert len(set(attribute.labels)) == 3


def test_classes_that_are_not_there() -> None:
    """A row of a class that the schema does not know is an error that names it; classes are found by value."""
    schema = Schema((), np.array([1, 5, 9]))
    codes = schema.codes_of(Labels(np.array([1, 0, 1], dtype=np.int32), np.array([5.0, 9.0])))
    assert codes.tolist() == [2, 1, 2]
    assert schema.codes_of(Labels(np.array([0], dtype=np.int32), np.array([1, 7]))).tolist() == [0]
    with pytest.raises(ValueError, match=r"y holds 7, which is none of the classes \[1, 5, 9\]"):
        schema.codes_of(Labels(np.array([0, 1], dtype=np.int32), np.array([1, 7])))


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_classes_that_are_dates(unit: str) -> None:
    """Classes may be dates, which predict gives back."""
    X, y = checks.categorical_table()
    dates = np.where(y == "yes", np.datetime64("2021-03-04"), np.datetime64("2020-01-02")).astype(f"M8[{unit}]")
    model = TAN().fit(X, dates)
    assert model.predict(X).dtype == dates.dtype
    checks.assert_same_bits(model.predict_proba(X), TAN().fit(X, y).predict_proba(X))


def test_equality() -> None:
    """Schemas are equal where columns and classes are."""
    X, y = checks.mixed_table()
    schema = NaiveBayes().fit(X, y).schema_
    assert schema == TAN().fit(X, y).schema_
    assert schema != NaiveBayes(discretizer=3).fit(X, y).schema_
    assert schema != NaiveBayes().fit(X, np.where(y == "cat", "dog", y)).schema_
    assert schema != "schema"
    assert hash(schema) == hash(TAN().fit(X, y).schema_)
    assert pickle.loads(pickle.dumps(schema)) == schema


def test_attributes_by_name() -> None:
    """What was learnt of a column is found by its name, by its position where columns have no names."""
    X, y = checks.mixed_table()
    schema = NaiveBayes().fit(X, y).schema_
    assert schema["width"] is schema.attributes[5]
    with pytest.raises(KeyError, match="there is no column 'wdith'"):
        schema["wdith"]
    unnamed = NaiveBayes().fit(X.to_numpy(), y).schema_
    assert unnamed[5] is unnamed.attributes[5]


def test_left_out_columns() -> None:
    """A column of one value tells nothing: it is in no structure, it is listed, and may hold anything at predict."""
    X, y = checks.mixed_table()
    X = X.assign(empty=None, holes=np.nan, half=["seen", None] * (len(y) // 2))
    model = TAN().fit(X, y)
    assert model.schema_.left_out == ("same", "noise", "empty", "holes")
    assert set(model.structure_.parents) == {"colour", "length", "count", "old", "grade", "width", "half"}
    strange = X.assign(same="else", noise=1e9, empty="something", holes=3.5)
    checks.assert_same_bits(model.predict_proba(strange), model.predict_proba(X))


@pytest.mark.parametrize("estimator", checks.classifiers(), ids=repr)
def test_nothing_left(estimator: Any) -> None:
    """With no column that tells anything the model is the prior, and its structure says so."""
    y = np.array(["no", "yes", "yes", "yes"])
    X = pd.DataFrame({"a": ["u"] * 4, "b": [1.0] * 4})
    model = estimator.fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), [[0.25, 0.75]] * 4, rtol=1e-14)
    assert model.predict(X).tolist() == ["yes"] * 4
    assert "prior of the classes" in str(model.structure_)


def test_text_of_a_schema() -> None:
    """A schema prints as a table: a line for each column with its kind and values, what is left out, the classes."""
    X = pd.DataFrame(
        {
            "colour": ["red", None, "blue", "red"],
            "size": [1.0, 2.0, np.nan, 4.0],
            "old": [True, False, True, True],
            "born": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]),
            "zone": ["x"] * 4,
        }
    )
    cuts: Any = {"size": [1.5], "born": ["2020-01-02 12:00"]}
    model = NaiveBayes(discretizer=cuts).fit(X, ["n", "y", "n", "y"])
    assert str(model.schema_).splitlines() == [
        "column  kind                values",
        "-" * 94,
        "colour  category            blue, red, missing                             3 values",
        "size    number              <= 1.5, > 1.5, missing                         3 values",
        "old     category (boolean)  False, True                                    2 values",
        "born    date                <= 2020-01-02 12:00:00, > 2020-01-02 12:00:00  2 values",
        "zone    category            x                                              one value: left out",
        "classes: n, y",
    ]


def test_text_of_many_values() -> None:
    """A column of very many values does not fill the screen."""
    X = pd.DataFrame({"a": [f"value {i}" for i in range(3000)]})
    text = str(NaiveBayes().fit(X, np.arange(3000) % 2).schema_)
    assert max(map(len, text.splitlines())) < 130
    assert "3000 values" in text


def test_text_of_many_classes() -> None:
    """Very many classes do not fill the screen either."""
    X = pd.DataFrame({"a": ["u", "v"] * 1500})
    text = str(NaiveBayes().fit(X, np.arange(3000) % 1500).schema_)
    assert max(map(len, text.splitlines())) < 130


def test_no_attribute_is_taken_for_another() -> None:
    """Each attribute is coded by its own column: permuting kept columns permutes codes, whatever their kinds."""
    X, y = checks.mixed_table()
    source = memory_source(X, y)
    schema = NaiveBayes().fit(X, y).schema_
    whole = schema.block(source.block, schema.kept)
    for place, i in enumerate(schema.kept):
        alone = schema.block(source.block, (i,))
        assert alone.sizes == [schema.attributes[i].size]
        assert alone.count_scopes([((0,), -1)]).tolist() == whole.count_scopes([((place,), -1)]).tolist()


@pytest.mark.parametrize(
    ("train", "later", "message"),
    [
        ([1.0, 2, 3, 4], ["a", "b", "a", "b"], "'a' held numbers in training and now holds text or other labels .*'a'"),
        ([1.0, 2, 3, 4], pd.to_datetime(["2020-01-01"] * 4), "'a' held numbers in training and now holds dates"),
        (
            pd.to_datetime(["2020-01-01", "2020-01-02"] * 2),
            [1.0, 2, 3, 4],
            "'a' held dates in training and now holds numbers .*1",
        ),
        (pd.to_timedelta([1, 2, 3, 4]), pd.to_datetime(["2020-01-01"] * 4), "'a' held durations .* now holds dates"),
    ],
)
def test_another_kind_at_predict(train: Any, later: Any, message: str) -> None:
    """An ordered column that holds something else at predict is an error: column, what it held, what it holds."""
    model = NaiveBayes(discretizer=2).fit(pd.DataFrame({"a": train}), [0, 1, 0, 1])
    with pytest.raises(ValueError, match=f"column {message}"):
        model.predict(pd.DataFrame({"a": later}))
    nothing = pd.DataFrame({"a": pd.Series([None] * 4, dtype=object)})
    np.testing.assert_allclose(model.predict_proba(nothing), 0.5)


def test_another_kind_in_a_column_that_told_nothing() -> None:
    """A column that told nothing in training, as one that is missing all over, may hold anything at predict."""
    X = pd.DataFrame({"a": [np.nan] * 4, "b": [1.0] * 4, "c": ["u", "v"] * 2})
    model = NaiveBayes().fit(X, [0, 1, 0, 1])
    asked = X.assign(a="hello", b=pd.Timestamp("2020-01-01"))
    np.testing.assert_array_equal(model.predict_proba(asked), model.predict_proba(X))


def test_numbers_that_are_no_text() -> None:
    """Where text such as "1" was learnt and the number 1 is met, all is unknown, which is most likely not meant."""
    X = pd.DataFrame({"a": ["1", "2"] * 2, "b": ["u", "v"] * 2})
    model = NaiveBayes().fit(X, [0, 1, 0, 1])
    with pytest.warns(
        UserWarning, match=r"column 'a' held text or other labels \(such as '1'\) .* numbers \(such as 1\)"
    ):
        model.predict(X.assign(a=[1, 2, 1, 2]))
    model.predict(X.assign(a=[7, 8, 7, 8]))


def test_kernel_agrees_on_unknown() -> None:
    """The code after all seen values is the unknown one, which counts refuse: nothing unknown is counted."""
    schema = Schema((category(ColumnType("a", "label"), Seen(frozenset({"u", "v"}), missing=False)),), CLASSES)
    target = Labels(np.array([0, 1], dtype=np.int32), CLASSES)
    block = schema.block(RawBlock(0, (label_column(["u", "w"]),), target, None), (0,))
    assert isinstance(block, _kernel.Block)
    with pytest.raises(ValueError, match="unknown values"):
        block.count_scopes([((0,), -1)])


def test_two_classifiers_share_a_schema() -> None:
    """Different learners see the same schema, for it does not depend on them."""
    X, y = checks.mixed_table()
    assert ChowLiu().fit(X, y).schema_ == NaiveBayes().fit(X, y).schema_
