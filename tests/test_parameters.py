"""What kind of number a user gave."""

from __future__ import annotations

import decimal
import fractions
from typing import Any

import numpy as np
import pytest

from savvybayes.parameters import is_real, is_whole


@pytest.mark.parametrize("value", [0, 1, -3, 10**30, np.int8(3), np.uint64(3), np.int64(-3)])
def test_whole_numbers(value: Any) -> None:
    """Whole numbers of Python and NumPy are whole, and real where a double can hold them."""
    assert is_whole(value)
    assert is_real(value)


@pytest.mark.parametrize(
    "value", [0.0, 2.0, -1.5, 1e308, 5e-324, np.float32(1), np.float64(0.5), fractions.Fraction(1, 3)]
)
def test_real_numbers(value: Any) -> None:
    """Finite numbers that are not of a whole type are real, and not whole, even where their value is."""
    assert is_real(value)
    assert not is_whole(value)


@pytest.mark.parametrize(
    "value",
    [True, False, np.True_, None, "1", b"1", 1j, [1], np.array(1), np.array([1]), decimal.Decimal(1), object()],
    ids=repr,
)
def test_no_numbers(value: Any) -> None:
    """Truth values, text, arrays and the like are neither."""
    assert not is_whole(value)
    assert not is_real(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), np.float32("nan"), np.float64("inf")])
def test_not_finite(value: Any) -> None:
    """NaN and the infinite are not real numbers here."""
    assert not is_real(value)
    assert not is_whole(value)


def test_beyond_doubles() -> None:
    """A whole number that no double can hold is not real; asking does not fail."""
    assert is_whole(10**400)
    assert not is_real(10**400)
