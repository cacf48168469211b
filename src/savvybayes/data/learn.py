"""A schema from a source: which columns are categories, where ordered ones are cut, which values there are."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from savvybayes.data.columns import Array, Kind, as_date
from savvybayes.data.discretize import MOST_KEYS, ValueMap, mdlp_cuts, quantile_cuts
from savvybayes.data.schema import Attribute, Schema, category, check_sizes, ordered
from savvybayes.data.source import ColumnType, Source
from savvybayes.data.survey import AskBins, AskMap, AskValues, Findings, Question, Seen, Survey
from savvybayes.parameters import is_whole

# A gigabyte of counts, of one column.
LARGEST_MAP = 2**27

# Half a gigabyte of counts, of the columns that are looked at together.
MOST_ENTRIES = 2**26

CategoricalFeatures: TypeAlias = str | Iterable[str | int]
Discretizer: TypeAlias = str | int | Mapping[Any, Sequence[Any]]


def learn_schema(
    source: Source, categorical_features: CategoricalFeatures = "from_dtype", discretizer: Discretizer = "mdlp"
) -> tuple[Schema, Findings]:
    """Learn the kinds, the categories and the cut points of a source's columns.

    The findings are returned, too: they tell the rows and the weights that were met.
    """
    categories = categorical_positions(source.columns, categorical_features)
    return ask(source, _questions(source.columns, categories, discretizer), discretizer)


def ask(source: Source, questions: Sequence[Question], discretizer: Discretizer) -> tuple[Schema, Findings]:
    """Put one question to each column of a source; where that is what it tells, cut it.

    One fold suffices, unless the value maps of all columns would need much memory; the findings are the last one's.
    """
    attributes: list[Attribute] = []
    if any(isinstance(question, AskMap) for question in questions):
        _check_map_size(source)
    for group in _groups(source):
        findings = source.fold(Survey(tuple(questions[group]), group.start))
        maps = [answer for answer in findings.answers if isinstance(answer, ValueMap)]
        cuts = iter(_cuts(maps, discretizer))
        for type_, question, answer in zip(source.columns[group], questions[group], findings.answers, strict=True):
            if isinstance(answer, ValueMap):
                attributes.append(_from_map(type_, answer, next(cuts)))
            elif isinstance(question, AskBins):
                attributes.append(ordered(type_, question.cuts, answer))
            else:
                attributes.append(category(type_, answer))
        del maps
    check_sizes(attributes)
    return Schema(tuple(attributes), findings.classes), findings


def _check_map_size(source: Source) -> None:
    """Raise where the value map of one column alone would take much memory: where classes are as many as rows."""
    if source.most_classes and source.most_rows:
        entries = min(source.most_rows, 2 * MOST_KEYS) * source.most_classes
        if entries > LARGEST_MAP:
            raise ValueError(
                f"y has {source.most_classes} classes in {source.most_rows} rows, too many to cut columns of numbers "
                "by: it looks like an identifier or a quantity. Give fewer classes, or no ordered columns"
            )


def _groups(source: Source) -> Iterator[slice]:
    """Columns that are looked at together: so many that their value maps have at most `MOST_ENTRIES` counts."""
    n_columns = len(source.columns)
    step = max(1, MOST_ENTRIES // (MOST_KEYS * source.most_classes)) if source.most_classes else n_columns
    return (slice(begin, min(begin + step, n_columns)) for begin in range(0, n_columns, step))


def categorical_positions(types: Sequence[ColumnType], wanted: CategoricalFeatures) -> set[int]:
    """The positions of the columns that are categories: by their type, all, or also those that are listed."""
    by_type = {i for i, type_ in enumerate(types) if type_.kind in ("label", "boolean")}
    if isinstance(wanted, str):
        if wanted == "from_dtype":
            return by_type
        if wanted == "all":
            return set(range(len(types)))
        raise ValueError(f"categorical_features={wanted!r}: give 'from_dtype', 'all', or a list of names or positions")
    if not isinstance(wanted, Iterable):
        raise TypeError(f"categorical_features={wanted!r}: give 'from_dtype', 'all', or a list of names or positions")
    return by_type | {find_column(types, column, "categorical_features") for column in wanted}


def warn_of_light_weights(findings: Findings) -> None:
    """Warn where the weights say that there are fewer rows than there are."""
    if findings.weight < findings.rows * (1 - 1e-9):
        warnings.warn(
            f"the weights of {findings.rows} rows sum to {findings.weight:.6g}: a row of weight w counts as w rows, so "
            "these are little evidence. Scale the weights so that they sum to the number of rows, if that is meant",
            UserWarning,
            stacklevel=3,
        )


def check_discretizer(discretizer: Any) -> None:
    """Raise unless this is "mdlp", a number of bins, or a mapping."""
    bins = is_whole(discretizer) and discretizer >= 2
    if not (bins or isinstance(discretizer, Mapping) or (isinstance(discretizer, str) and discretizer == "mdlp")):
        raise ValueError(
            f"discretizer={discretizer!r}: give 'mdlp', a whole number of quantile bins (at least 2), "
            "or a mapping from column to cut points"
        )


def find_column(types: Sequence[ColumnType], column: Any, parameter: str) -> int:
    """The position of a column that a user named, or gave the position of."""
    names = [type_.name for type_ in types]
    if is_whole(column):
        if 0 <= column < len(names):
            return int(column)
        raise ValueError(f"{parameter}: there is no column {column}; positions go from 0 to {len(names) - 1}")
    if isinstance(column, str) and column in names:
        return names.index(column)
    near = difflib.get_close_matches(str(column), [name for name in names if isinstance(name, str)], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    if isinstance(column, bool | np.bool_):
        hint = "; give names or positions, not a mask"
    if not any(isinstance(name, str) for name in names):
        hint = "; the columns have no names, give positions"
    raise ValueError(f"{parameter}: there is no column {column!r}{hint}")


def _questions(types: Sequence[ColumnType], categories: set[int], discretizer: Discretizer) -> tuple[Question, ...]:
    check_discretizer(discretizer)
    given: dict[int, tuple[float, ...]] = {}
    if isinstance(discretizer, Mapping):
        for column, points in discretizer.items():
            position = find_column(types, column, "discretizer")
            if position in given:
                raise ValueError(f"discretizer: column {types[position].name!r} is named twice")
            if position in categories:
                raise ValueError(f"discretizer: column {column!r} is a category, which has no cut points")
            given[position] = _check_points(column, points, types[position].kind)
    return tuple(
        AskValues() if i in categories else AskBins(given[i]) if i in given else AskMap() for i in range(len(types))
    )


def _check_points(column: Any, points: Any, kind: Kind) -> tuple[float, ...]:
    """A user's cut points as numbers; of dates and durations as microseconds."""
    wrong = ValueError(
        f"discretizer: the cut points of column {column!r} must be finite numbers (of a date, dates) in rising order, "
        f"each once; not {points!r}"
    )
    if isinstance(points, str | Real) or not isinstance(points, Iterable):
        raise wrong
    try:
        floats = _microseconds(list(points), kind) if kind in ("date", "duration") else np.array(list(points), float)
    except (TypeError, ValueError):
        raise wrong from None
    if floats.ndim != 1 or not np.isfinite(floats).all() or (np.diff(floats) <= 0).any():
        raise wrong
    return tuple(floats.tolist())


def _microseconds(points: list[Any], kind: Kind) -> Array:
    """Dates or durations as numbers; what is none is NaN."""
    times = np.array([as_date(point) for point in points], dtype="M8[us]" if kind == "date" else "m8[us]")
    floats = times.astype(np.int64).astype(np.float64)
    numbers = np.array([isinstance(point, Real) and not isinstance(point, np.timedelta64) for point in points], bool)
    floats[np.isnat(times) | numbers] = np.nan
    return floats


def _cuts(maps: Sequence[ValueMap], discretizer: Any) -> list[Array]:
    if is_whole(discretizer):
        return [quantile_cuts(map_, int(discretizer)) for map_ in maps]
    return mdlp_cuts(maps)


def _from_map(type_: ColumnType, map_: ValueMap, cuts: Array) -> Attribute:
    bins = np.unique(np.searchsorted(cuts, map_.least, side="left"))
    return ordered(type_, tuple(cuts.tolist()), Seen(frozenset(bins.tolist()), bool(map_.missing.any())))
