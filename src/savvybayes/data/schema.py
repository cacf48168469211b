"""What was learnt of a user's columns: kinds, categories, cut points; and with it, rows as codes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from savvybayes import _kernel
from savvybayes.data.columns import Array, Data, Kind, Labels, Name, Numbers
from savvybayes.data.display import bin_labels, shortened, table_text, value_label, value_labels
from savvybayes.data.source import ColumnType, RawBlock
from savvybayes.data.survey import AskBins, AskValues, Findings, Question, Seen, numbers_of
from savvybayes.parameters import is_real

# One code more, "unknown", must fit into 16 bits too.
MOST_VALUES = 2**16 - 1


class Coding(NamedTuple):
    """How numbers become codes: bins between rising numbers, or rising numbers themselves, and the code of each."""

    bins: bool
    numbers: tuple[float, ...]
    codes: tuple[int, ...]
    dtype: type[np.unsignedinteger[Any]]

    def coder(self) -> _kernel.Coder:
        """What the kernels take."""
        return _kernel.Coder(
            self.bins, np.array(self.numbers, dtype=np.float64), np.array(self.codes, dtype=self.dtype)
        )


@dataclass(frozen=True)
class Attribute:
    """What was learnt of one column.

    Attributes
    ----------
    name : str or int
        The column's name, its position where it has none.
    kind : str
        What its type says it is: a number, boolean, label, date or duration.
    cuts : tuple of float, or None
        The cut points of an ordered column (dates and durations in microseconds); None for a category.
    values : tuple
        What was seen in training, in the order of the codes: categories, or numbers of bins.
    missing : bool
        Whether training saw a missing value, which then is a value of its own, the last.
    """

    name: Name
    kind: Kind
    cuts: tuple[float, ...] | None
    values: tuple[Any, ...]
    missing: bool

    @property
    def size(self) -> int:
        """The number of seen values; this is also the code of an unknown one."""
        return len(self.values) + self.missing

    @property
    def labels(self) -> tuple[str, ...]:
        """The seen values in the order of their codes, for people."""
        if self.cuts is None:
            shown = value_labels(self.values, self.kind, taken=("missing",) * self.missing)
        else:
            bins = bin_labels(self.cuts, self.kind)
            shown = [bins[i] for i in self.values]
        return (*shown, "missing") if self.missing else tuple(shown)

    def described(self, code: int) -> str:
        """That a row has this value, for people: ``colour = red``, ``age in (18, 30]``, ``column 3 > 5``."""
        name = self.name if isinstance(self.name, str) else f"column {self.name}"
        label = self.labels[code]
        if self.cuts is None or code == len(self.values):
            return f"{name} = {label}"
        return f"{name} in {label}" if label.startswith("(") else f"{name} {label}"

    @property
    def dtype(self) -> type[np.unsignedinteger[Any]]:
        """The type of its codes."""
        return np.uint8 if self.size <= 255 else np.uint16

    @property
    def points(self) -> tuple[Any, ...] | None:
        """The cut points as the column's own kind of value, such as dates: what `discretizer` takes."""
        if self.cuts is None or self.kind not in ("date", "duration"):
            return self.cuts
        unit = "M8[us]" if self.kind == "date" else "m8[us]"
        return tuple(np.array(self.cuts).astype(np.int64).astype(unit))

    @property
    def question(self) -> Question:
        """What is to be asked of further rows, the cut points being settled."""
        return AskValues() if self.cuts is None else AskBins(self.cuts)

    def extended(self, seen: Seen) -> Attribute:
        """The attribute after more rows: their values, too, are values seen."""
        values = _sorted(seen.values.union(self.values))
        return Attribute(self.name, self.kind, self.cuts, values, self.missing or seen.missing)

    def codes_in(self, other: Attribute) -> list[int]:
        """The code in `other`, an extension of this attribute, of each value."""
        code_of = {value: code for code, value in enumerate(other.values)}
        codes = [code_of[value] for value in self.values]
        return [*codes, other.size - 1] if self.missing else codes

    def check_kind(self, column: Data, kind: Kind) -> None:
        """Raise where an ordered attribute meets a column that has something else in it."""
        if kind == self.kind or {kind, self.kind} == {"number", "boolean"}:
            return
        if self.cuts is None:
            return
        if self.kind == "number" and isinstance(column, Labels) and all(map(is_real, column.values)):
            return
        if isinstance(column, Numbers):
            present = column.values[~np.isnan(column.values)] if column.values.dtype.kind == "f" else column.values
            example = value_label(present[0].item()) if len(present) else None
        else:
            positions, _ = column.seen(None)
            example = repr(column.values[positions[0]]) if positions else None
        if example is not None:
            raise ValueError(
                f"column {self.name!r} held {_PLURAL[self.kind]} in training and now holds {_PLURAL[kind]} "
                f"(such as {example}): give it as {_PLURAL[self.kind]}"
            )

    def warn_of_lookalikes(self, column: Data, kind: Kind) -> None:
        """Warn where a category knows none of a column's values but others that read the same: 1 for "1"."""
        if self.cuts is not None or kind == self.kind:
            return
        labels = column if isinstance(column, Labels) else column.as_labels()
        positions, _ = labels.seen(None)
        met = [labels.values[i] for i in positions]
        alike = {str(value): value for value in self.values}
        if set(met).isdisjoint(self.values) and (strangers := [value for value in met if str(value) in alike]):
            warnings.warn(
                f"column {self.name!r} held {_PLURAL[self.kind]} (such as {alike[str(strangers[0])]!r}) in training "
                f"and now holds {_PLURAL[kind]} (such as {strangers[0]!r}): all are taken as unknown",
                UserWarning,
                stacklevel=4,
            )

    def coding(self, column: Data) -> tuple[Array, Coding]:
        """Numbers that stand for a column's values, and how they become codes."""
        missing = self.size - 1 if self.missing else self.size
        if self.cuts is not None:
            bins = [self.size] * (len(self.cuts) + 1)
            for code, bin_ in enumerate(self.values):
                bins[bin_] = code
            return numbers_of(column), Coding(True, self.cuts, (*bins, missing), self.dtype)
        if isinstance(column, Numbers) and self.is_numeric:
            codes = (*range(len(self.values)), missing, self.size)
            return column.values, Coding(False, self.values, codes, self.dtype)
        labels = column if isinstance(column, Labels) else column.as_labels()
        known = {value: code for code, value in enumerate(self.values)}
        own = [known.get(value, self.size) for value in labels.values]
        positions = tuple(range(-1, len(own)))
        return labels.codes, Coding(False, positions, (missing, *own, missing, self.size), self.dtype)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether all values are numbers that doubles can hold."""
        return self.cuts is not None or all(
            isinstance(value, int | float) and (isinstance(value, float) or -(2**53) < value < 2**53)
            for value in self.values
        )


_PLURAL = {
    "number": "numbers",
    "boolean": "truth values",
    "label": "text or other labels",
    "date": "dates",
    "duration": "durations",
}


@dataclass(frozen=True, eq=False)
class Schema:
    """What was learnt of a table's columns, and its classes. Prints as a table.

    Attributes
    ----------
    attributes : tuple of Attribute
        One for each column, in the order of the columns.
    classes : ndarray
        The classes, in the order of `np.unique`.
    """

    attributes: tuple[Attribute, ...]
    classes: Array

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return self.attributes == other.attributes and np.array_equal(self.classes, other.classes)

    def __hash__(self) -> int:
        return hash(self.attributes)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The columns that tell something: those with more than one value."""
        return tuple(i for i, attribute in enumerate(self.attributes) if attribute.size > 1)

    @property
    def left_out(self) -> tuple[Name, ...]:
        """The names of the columns with one value only, which no structure has."""
        return tuple(attribute.name for attribute in self.attributes if attribute.size <= 1)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The names of the kept columns."""
        return tuple(self.attributes[i].name for i in self.kept)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of values of the kept columns."""
        return tuple(self.attributes[i].size for i in self.kept)

    def __getitem__(self, name: Name) -> Attribute:
        """What was learnt of the column of this name (its position, where columns have no names)."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise KeyError(f"there is no column {name!r}")

    def extended(self, findings: Findings) -> Schema:
        """The schema after more rows, whose values are new categories or bins where they are new."""
        attributes = tuple(
            attribute.extended(answer) if isinstance(answer, Seen) else attribute
            for attribute, answer in zip(self.attributes, findings.answers, strict=True)
        )
        check_sizes(attributes)
        return Schema(attributes, self.classes)

    def checked(self, types: Sequence[ColumnType], columns: Sequence[Data]) -> Schema:
        """The schema for these columns; raise where one is ordered here and of another kind there.

        A column of which no value was seen yet may turn out to be one of labels.
        """
        attributes = []
        for attribute, type_, column in zip(self.attributes, types, columns, strict=True):
            if not attribute.values and attribute.cuts is not None and type_.kind == "label":
                attribute = Attribute(attribute.name, "label", None, (), attribute.missing)
            attribute.check_kind(column, type_.kind)
            attributes.append(attribute)
        return Schema(tuple(attributes), self.classes)

    def block(self, raw: RawBlock, columns: Sequence[int]) -> _kernel.Block:
        """The rows of a raw block as codes of some columns."""
        sizes = [self.attributes[i].size for i in columns]
        codes = []
        coders: dict[Coding, _kernel.Coder] = {}  # where attributes are thousands, most have the same values
        for i in columns:
            numbers, coding = self.attributes[i].coding(raw.columns[i])
            if coding not in coders:
                coders[coding] = coding.coder()
            codes.append((numbers, coders[coding]))
        if raw.target is None:
            return _kernel.Block(raw.rows, sizes, codes)
        return _kernel.Block(raw.rows, sizes, codes, self.codes_of(raw.target), len(self.classes), raw.weights)

    def codes_of(self, target: Labels) -> Array:
        """The index of each row's class."""
        positions, _ = target.seen(None)
        values = np.asarray(target.values)
        codes = np.zeros(len(values), dtype=np.int32)
        known = {value: i for i, value in enumerate(self.classes.tolist())}
        for position in positions:
            value = values[position].item() if isinstance(values[position], np.generic) else values[position]
            if value not in known:
                raise ValueError(f"y holds {value!r}, which is none of the classes {self.classes.tolist()}")
            codes[position] = known[value]
        return target.recoded(codes)

    def __str__(self) -> str:
        rows = [("column", "kind", "values", "")]
        for attribute in self.attributes:
            kind = attribute.kind if attribute.cuts is not None else f"category ({attribute.kind})"
            kind = "category" if kind == "category (label)" else kind
            note = "one value: left out" if attribute.size <= 1 else f"{attribute.size} values"
            rows.append((str(attribute.name), kind, ", ".join(attribute.labels), note))
        classes = ", ".join(value_label(c) for c in self.classes.tolist())
        return table_text(rows) + "\n" + shortened(f"classes: {classes}", 120)


def check_sizes(attributes: Sequence[Attribute]) -> None:
    """Raise where a column has more values than can be coded."""
    for attribute in attributes:
        if attribute.size > MOST_VALUES:
            raise ValueError(
                f"column {attribute.name!r} has {attribute.size} distinct values (missing counted); a category may "
                f"have at most {MOST_VALUES}. It looks like an identifier: drop it, group its values, or, if it is a "
                "quantity, give it as numbers and do not list it in categorical_features"
            )


def _sorted(values: frozenset[Any]) -> tuple[Any, ...]:
    """In rising order where they have one, otherwise numbers first, then by type and text."""
    try:
        return tuple(sorted(values))
    except TypeError:
        return tuple(sorted(values, key=_mixed_order))


def _as_number(value: Any) -> Any:
    """A number as one, whichever of equal ones (1, 1.0, True) came first."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return int(value) if isinstance(value, bool) else value


def _mixed_order(value: Any) -> tuple[Any, ...]:
    """Numbers by their size, then others by type and text."""
    return (0, value) if isinstance(value, Real) else (1, type(value).__name__, str(value))


def category(type_: ColumnType, seen: Seen) -> Attribute:
    """A column of categories."""
    values = _sorted(seen.values)
    if type_.kind == "boolean":
        values = tuple(map(bool, values))
    elif any(isinstance(value, Real) and not isinstance(value, bool) for value in values):
        values = tuple(_as_number(value) for value in values)
    return Attribute(type_.name, type_.kind, None, values, seen.missing)


def ordered(type_: ColumnType, cuts: Sequence[float], seen: Seen) -> Attribute:
    """A column of numbers, cut into bins."""
    return Attribute(type_.name, type_.kind, tuple(cuts), _sorted(seen.values), seen.missing)
