"""Values, bins and tables as text for people."""

from __future__ import annotations

import pytest

from savvybayes.data.columns import Kind
from savvybayes.data.display import bin_labels, point_label, table_text, value_label

DAY = 86_400e6  # microseconds


@pytest.mark.parametrize(
    ("point", "kind", "label"),
    [
        (1.5, "number", "1.5"),
        (2.0, "number", "2"),
        (-0.25, "boolean", "-0.25"),
        (0.1 + 0.2, "number", "0.3"),
        (1e-7, "number", "1e-07"),
        (123456789.125, "number", "123456789.1"),
        (0.0, "date", "1970-01-01"),
        (18262 * DAY, "date", "2020-01-01"),
        (18262.5 * DAY, "date", "2020-01-01 12:00:00"),
        (-1.5 * DAY, "date", "1969-12-30 12:00:00"),
        (1.5e6, "date", "1970-01-01 00:00:01.500000"),
        (90 * 60e6, "duration", "1:30:00"),
        (3 * DAY, "duration", "3 days, 0:00:00"),
        (-60e6, "duration", "-1 day, 23:59:00"),
        (1e19, "date", "1e+19 microseconds"),
        (-1e19, "date", "-1e+19 microseconds"),
        (1e300, "duration", "1e+300 microseconds"),
    ],
)
def test_points(point: float, kind: Kind, label: str) -> None:
    """A number is short, a date a date, a duration a duration; those outside the calendar do not fail."""
    assert point_label(point, kind) == label


def test_bins() -> None:
    """A value equal to a cut goes left, which the labels say; without cuts there is one bin."""
    assert bin_labels([], "number") == ["any"]
    assert bin_labels([1.0], "number") == ["<= 1", "> 1"]
    assert bin_labels([1.0, 2.5, 4.0], "number") == ["<= 1", "(1, 2.5]", "(2.5, 4]", "> 4"]


def test_bins_between_close_cuts() -> None:
    """Cuts that differ late are shown so that the bins are told apart."""
    labels = bin_labels([1.0, 1.0 + 1e-12, 1.0 + 2e-12], "number")
    assert len(set(labels)) == 4


@pytest.mark.parametrize(("value", "label"), [("red", "red"), (1, "1"), (True, "True"), (2.5, "2.5"), (b"x", "b'x'")])
def test_values(value: object, label: str) -> None:
    """A category is shown as it is written."""
    assert value_label(value) == label


def test_tables() -> None:
    """Columns are as wide as their widest cell, the head is underlined, and long cells are cut."""
    text = table_text([("a", "bb"), ("long", "x"), ("s", "y" * 100)])
    assert text.splitlines() == [
        "a     bb",
        "-" * 66,
        "long  x",
        "s     " + "y" * 57 + "...",
    ]


def test_cells_of_several_lines() -> None:
    """A value with a line break in it does not break the table."""
    text = table_text([("a", "b"), ("one\ntwo", "x")])
    assert len(text.splitlines()) == 3
