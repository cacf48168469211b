"""A schema from a source: which columns are categories, where ordered ones are cut, and what is wrong with a wish."""

from __future__ import annotations

import datetime as dt
import warnings
from typing import Any

import numpy as np
import pandas
import pytest

import checks
from savvybayes import KDB, TAN, NaiveBayes
from savvybayes.data import learn
from savvybayes.data.learn import categorical_positions, check_discretizer, find_column, learn_schema
from savvybayes.data.source import ColumnType, MemorySource
from sources import memory_source

# Its stubs, where they are installed, know less than it does.
pd: Any = pandas

TYPES = [
    ColumnType("colour", "label"),
    ColumnType("length", "number"),
    ColumnType("old", "boolean"),
    ColumnType("born", "date"),
    ColumnType("took", "duration"),
]


def schema_of(X: Any, y: Any = None, **parameters: Any) -> Any:
    """What is learnt of a frame's columns."""
    y = np.arange(len(X)) % 2 if y is None else y
    return learn_schema(memory_source(X, y), **parameters)[0]


def numbers(n: int = 60) -> Any:
    """Two columns of numbers, and a class that changes in the middle of the first."""
    return pd.DataFrame({"a": np.arange(n, dtype=float), "b": np.arange(n)[::-1] % 7})


def half(n: int = 60) -> Any:
    """The class that changes in the middle."""
    return np.arange(n) >= n // 2


def test_categories_by_type() -> None:
    """Strings and truth values are categories; numbers, dates and durations are ordered."""
    assert categorical_positions(TYPES, "from_dtype") == {0, 2}
    assert categorical_positions(TYPES, "all") == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    "wanted",
    [["length"], [1], (1,), {"length"}, np.array(["length"]), np.array([1]), pd.Index(["length"]), ["length", 1, 0]],
    ids=repr,
)
def test_listed_categories(wanted: Any) -> None:
    """Listed columns, by name or position, are categories in addition to those that their type makes so."""
    assert categorical_positions(TYPES, wanted) == {0, 1, 2}


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (["lenght"], "categorical_features: there is no column 'lenght'; did you mean 'length'?"),
        (["Length"], "categorical_features: there is no column 'Length'; did you mean 'length'?"),
        (["xyzzy"], "categorical_features: there is no column 'xyzzy'"),
        ([5], "categorical_features: there is no column 5; positions go from 0 to 4"),
        ([-1], "categorical_features: there is no column -1; positions go from 0 to 4"),
        ([1.0], "categorical_features: there is no column 1.0"),
        ([None], "categorical_features: there is no column None"),
        ("colour", "categorical_features='colour': give 'from_dtype', 'all', or a list of names or positions"),
        (None, "categorical_features=None: give 'from_dtype', 'all', or a list of names or positions"),
        (3, "categorical_features=3: give 'from_dtype', 'all', or a list of names or positions"),
    ],
    ids=repr,
)
def test_bad_categories(wanted: Any, message: str) -> None:
    """A column that is not there is an error that names it, and the nearest that is; so is what is no list."""
    with pytest.raises((TypeError, ValueError)) as caught:
        categorical_positions(TYPES, wanted)
    assert str(caught.value).startswith(message)


def test_a_mask_of_categories() -> None:
    """A mask, which other estimators take, is not taken for columns 0 and 1; the error says what would be right."""
    with pytest.raises(ValueError, match=r"names or positions|mask"):
        categorical_positions(TYPES, [True, False, False, False, False])


def test_positions_where_there_are_no_names() -> None:
    """An array has no names: a name is an error that says so."""
    unnamed = [ColumnType(0, "number"), ColumnType(1, "number")]
    assert find_column(unnamed, 1, "categorical_features") == 1
    assert find_column(unnamed, np.int32(0), "categorical_features") == 0
    with pytest.raises(ValueError, match="there is no column 'a'; the columns have no names, give positions"):
        find_column(unnamed, "a", "categorical_features")
    with pytest.raises(ValueError, match="there is no column True"):
        find_column(unnamed, True, "categorical_features")


def test_names_that_look_like_positions() -> None:
    """A column named "1" is found by that text, the second column by the number 1."""
    types = [ColumnType("1", "number"), ColumnType("0", "number")]
    assert find_column(types, "1", "discretizer") == 0
    assert find_column(types, 1, "discretizer") == 1


@pytest.mark.parametrize("discretizer", ["mdlp", 2, 500, np.int64(5), {}, {"a": [1]}])
def test_good_discretizers(discretizer: Any) -> None:
    """The word "mdlp", whole numbers from 2 on and mappings are discretisers."""
    check_discretizer(discretizer)


@pytest.mark.parametrize(
    "discretizer", ["MDLP", "quantile", "", 1, 0, -3, 2.0, True, None, [1, 2], ("mdlp",), np.array([1, 2])], ids=repr
)
def test_unknown_discretizers(discretizer: Any) -> None:
    """Anything else is an error that shows it and says what there is."""
    message = "give 'mdlp', a whole number of quantile bins .at least 2., or a mapping from column to cut points"
    with pytest.raises(ValueError, match=message):
        check_discretizer(discretizer)
    X, y = checks.mixed_table()
    with pytest.raises(ValueError, match=message):
        TAN(discretizer=discretizer).fit(X, y)


def test_mdlp() -> None:
    """By default a column is cut where the class changes, and one that tells nothing is left whole."""
    schema = schema_of(numbers(), half())
    assert schema.attributes[0].cuts == (29.5,)
    assert schema.attributes[1].cuts == ()
    assert schema.left_out == ("b",)


def test_quantiles() -> None:
    """A whole number is that many bins of as much weight each as values allow."""
    schema = schema_of(numbers(), half(), discretizer=4)
    assert schema.attributes[0].cuts == (14.5, 29.5, 44.5)
    assert schema.attributes[1].cuts == (1.5, 3.5, 5.5)  # 0 .. 3 nine times, 4 .. 6 eight
    weights = np.where(np.arange(60) < 10, 5, 1)
    weighted = learn_schema(memory_source(numbers(), half(), weights), discretizer=2)[0]
    assert weighted.attributes[0].cuts == (9.5,)


def test_quantiles_more_than_values() -> None:
    """More bins than values give each value its own, and no empty bin."""
    (attribute,) = schema_of(numbers()[["b"]], half(), discretizer=1000).attributes
    assert attribute.cuts == (0.5, 1.5, 2.5, 3.5, 4.5, 5.5)
    assert attribute.size == 7


@pytest.mark.parametrize("column", ["a", 0, np.int64(0), np.str_("a")])
@pytest.mark.parametrize("points", [[10, 20.5], (10, 20.5), np.array([10, 20.5]), range(10, 21, 10), pd.Series([10.0])])
def test_given_cut_points(column: Any, points: Any) -> None:
    """Cut points may be given by name or position, as any sequence; other columns are cut by "mdlp"."""
    schema = schema_of(numbers(), half(), discretizer={column: points})
    assert schema.attributes[0].cuts == tuple(float(point) for point in points)
    assert schema.attributes[0].values == tuple(range(len(points) + 1))
    assert schema.attributes[1].cuts == ()


def test_no_cut_points() -> None:
    """A column given no cut point is one bin, and is left out, though "mdlp" would cut it."""
    schema = schema_of(numbers(), half(), discretizer={"a": []})
    assert schema.attributes[0].cuts == ()
    assert "a" in schema.left_out


def test_bins_without_rows() -> None:
    """A bin between given cut points in which training has no row is not a value; at predict it is unknown."""
    X, y = numbers(), half()
    cuts: Any = {"a": [-5, 9.5, 99.5, 200], "b": [-1, 3]}
    model = NaiveBayes(discretizer=cuts).fit(X, y)
    assert model.schema_.attributes[0].labels == ("(-5, 9.5]", "(9.5, 99.5]")
    asked = pd.DataFrame({"a": [150.0, -7, 999, 5], "b": [3.0] * 4})
    without = NaiveBayes(discretizer={"b": [-1, 3]}).fit(X[["b"]], y).predict_proba(asked[["b"]])
    np.testing.assert_allclose(model.predict_proba(asked)[:3], without[:3], rtol=1e-14)
    assert abs(model.predict_proba(asked)[3, 0] - without[3, 0]) > 0.1


@pytest.mark.parametrize(
    "points",
    [
        ["2020-01-20", "2020-02-10 12:00"],
        [dt.date(2020, 1, 20), dt.datetime(2020, 2, 10, 12)],
        [np.datetime64("2020-01-20"), np.datetime64("2020-02-10T12", "ns")],
        [pd.Timestamp("2020-01-20"), pd.Timestamp("2020-02-10 12:00")],
        np.array(["2020-01-20T00", "2020-02-10T12"], dtype="M8[h]"),
        pd.to_datetime(["2020-01-20 00:00", "2020-02-10 12:00"]),
        pd.Series(pd.to_datetime(["2020-01-20 00:00", "2020-02-10 12:00"])),
    ],
    ids=["strings", "dates", "datetime64", "timestamps", "array", "index", "series"],
)
def test_cut_points_of_dates(points: Any) -> None:
    """Cut points of dates may be given in all the ways in which dates are."""
    X = pd.DataFrame({"born": pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(60), unit="D")})
    (attribute,) = schema_of(X, half(), discretizer={"born": points}).attributes
    assert attribute.labels == (
        "<= 2020-01-20",
        "(2020-01-20, 2020-02-10 12:00:00]",
        "> 2020-02-10 12:00:00",
    )


def test_cut_points_of_dates_with_a_zone() -> None:
    """Cut points with a zone are the moments they mean, and warn of nothing."""
    X = pd.DataFrame({"born": pd.to_datetime("2020-01-01", utc=True) + pd.to_timedelta(np.arange(60), unit="D")})
    points = [pd.Timestamp("2020-01-20 02:00", tz="Etc/GMT-2"), dt.datetime(2020, 2, 10, tzinfo=dt.UTC)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (attribute,) = schema_of(X, half(), discretizer={"born": points}).attributes
    assert attribute.labels == ("<= 2020-01-20", "(2020-01-20, 2020-02-10]", "> 2020-02-10")


@pytest.mark.parametrize(
    "points",
    [[dt.timedelta(hours=9), dt.timedelta(days=1)], [np.timedelta64(9, "h"), np.timedelta64(1, "D")], ["9h", "1D"]],
    ids=["timedelta", "timedelta64", "strings"],
)
def test_cut_points_of_durations(points: Any) -> None:
    """Cut points of durations may be given as durations."""
    if points == ["9h", "1D"]:
        points = pd.to_timedelta(points)
    X = pd.DataFrame({"took": pd.to_timedelta(np.arange(60), unit="h")})
    (attribute,) = schema_of(X, half(), discretizer={"took": points}).attributes
    assert attribute.labels == ("<= 9:00:00", "(9:00:00, 1 day, 0:00:00]", "> 1 day, 0:00:00")


@pytest.mark.parametrize(
    "points",
    [[2, 1], [1, 1], [np.nan], [0, np.inf], ["x"], "12", 3, None, [[1], [2]], [None], [1j], {"a": 1}],
    ids=repr,
)
def test_bad_cut_points(points: Any) -> None:
    """Cut points that do not rise, or are no finite numbers, are an error that names the column and shows them."""
    with pytest.raises(ValueError, match=r"cut points of column 'a' must be finite numbers .* in rising order"):
        schema_of(numbers(), half(), discretizer={"a": points})


@pytest.mark.parametrize(
    "points",
    [[pd.NaT], [None], [np.datetime64("NaT")], ["soon"], [pd.NaT, pd.Timestamp("2020-01-02")], [2020], [2020.5]],
    ids=repr,
)
def test_bad_cut_points_of_dates(points: Any) -> None:
    """What is no date is no cut point of a date: not NaT, and not a number, which could mean anything."""
    X = pd.DataFrame({"born": pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(60), unit="D")})
    with pytest.raises(ValueError, match="cut points of column 'born'"):
        schema_of(X, half(), discretizer={"born": points})


def test_learnt_cut_points_can_be_given_again() -> None:
    """The cut points that a schema shows can be given to another classifier, those of dates too."""
    X = numbers().assign(
        born=pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(60), unit="D"),
        took=pd.to_timedelta(np.arange(60), unit="h"),
    )
    learnt = schema_of(X, half(), discretizer=3)
    given = {attribute.name: attribute.points for attribute in learnt.attributes}
    assert schema_of(X, half(), discretizer=given) == learnt


@pytest.mark.parametrize(
    ("discretizer", "message"),
    [
        ({"lenght": [1]}, "discretizer: there is no column 'lenght'; did you mean 'length'?"),
        ({8: [1]}, "discretizer: there is no column 8; positions go from 0 to 7"),
        ({"colour": [1]}, "discretizer: column 'colour' is a category, which has no cut points"),
        ({"old": [0.5]}, "discretizer: column 'old' is a category, which has no cut points"),
        ({"count": [3]}, "discretizer: column 'count' is a category, which has no cut points"),
    ],
    ids=repr,
)
def test_cut_points_of_other_columns(discretizer: Any, message: str) -> None:
    """Cut points of a column that is not there, or is a category, are an error."""
    X, y = checks.mixed_table()
    with pytest.raises(ValueError, match="discretizer: ") as caught:
        KDB(discretizer=discretizer, categorical_features=["count"]).fit(X, y)
    assert str(caught.value).startswith(message)


def test_one_column_named_twice() -> None:
    """One column given cut points by name and by position is an error: one of them would be ignored."""
    with pytest.raises(ValueError, match="'a'"):
        schema_of(numbers(), half(), discretizer={"a": [1], 0: [2]})


def test_findings_are_given_back() -> None:
    """The rows and the weight that were met are known after learning."""
    X, y = checks.mixed_table()
    weights = checks.whole_weights(len(y))
    schema, findings = learn_schema(memory_source(X, y, weights))
    assert findings.rows == np.count_nonzero(weights)
    assert findings.weight == weights.sum()
    assert findings.classes.tolist() == schema.classes.tolist() == ["ant", "bee", "cat"]


@pytest.mark.parametrize("discretizer", ["mdlp", 4, {"length": [0.5]}])
def test_columns_in_groups(monkeypatch: pytest.MonkeyPatch, discretizer: Any) -> None:
    """Where value maps would need much memory columns are looked at in groups, in a fold each: the same is learnt."""
    X, y = checks.mixed_table()
    source = memory_source(X, y, checks.whole_weights(len(y)))
    whole, findings = learn_schema(source, ["count"], discretizer)
    folds: list[Any] = []

    def fold(self: MemorySource, request: Any) -> Any:
        folds.append(request)
        return request(self.block)

    monkeypatch.setattr(MemorySource, "fold", fold)
    monkeypatch.setattr(learn, "MOST_ENTRIES", 3 * 2**14 * 3)  # three columns with three classes
    grouped, last = learn_schema(source, ["count"], discretizer)
    assert len(folds) == 3  # of eight columns
    assert grouped == whole
    assert (last.rows, last.weight) == (findings.rows, findings.weight)
    monkeypatch.setattr(learn, "MOST_ENTRIES", 1)
    assert learn_schema(source, ["count"], discretizer)[0] == whole


def test_columns_are_in_their_order() -> None:
    """A schema has its attributes in the order of the columns, whatever their kinds."""
    X, y = checks.mixed_table()
    assert [attribute.name for attribute in schema_of(X, y).attributes] == list(X)
    assert [attribute.cuts is None for attribute in schema_of(X, y).attributes] == [
        True,
        False,
        False,
        True,
        True,
        False,
        True,
        False,
    ]
