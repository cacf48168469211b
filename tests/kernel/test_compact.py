"""Integers into columns of bytes, on every set of instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coded import unaligned
from savvybayes import _kernel


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64])
@pytest.mark.parametrize("spare", [0, 2])
@pytest.mark.parametrize(
    "shape", [(0, 3), (1, 1), (5, 0), (127, 4), (5000, 7), (300, 8), (4099, 21), (33, 15), (129, 16), (700, 33)]
)
def test_integers_become_bytes(dtype: type[np.signedinteger[Any]], shape: tuple[int, int], spare: int) -> None:
    """A column of integers among 0..255 becomes the same numbers in bytes, another becomes None; strides are kept."""
    rng = np.random.default_rng(0)
    greatest = min(255, np.iinfo(dtype).max)
    integers = rng.integers(0, greatest + 1, (shape[0], shape[1] + spare)).astype(dtype)
    integers = integers[:, spare // 2 : shape[1] + spare // 2]
    for j, column in enumerate(_kernel.to_bytes(integers)):
        assert column is not None
        assert column.dtype == np.uint8
        np.testing.assert_array_equal(column, integers[:, j])
    if integers.size:
        limits = np.iinfo(dtype)
        for stranger in {256, limits.max, limits.min, -1} - {*range(256)}:
            if not limits.min <= stranger <= limits.max:
                continue
            integers[-1, 0] = stranger
            first, *others = _kernel.to_bytes(integers)
            assert first is None
            assert all(other is not None for other in others)


def test_bytes_of_other_arrays() -> None:
    """What is no array of rows of integers or doubles, or of such as lie askew, is an error."""
    integers = np.zeros((4, 4), np.int64)
    for array in (np.zeros((2, 2), np.float32), np.zeros((2, 2), bool), integers[:, ::2], unaligned(integers)):
        with pytest.raises(ValueError, match=r"numbers|doubles"):
            _kernel.to_bytes(array)


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (127, 4), (5000, 7), (300, 8), (4099, 21), (33, 15), (129, 16)])
def test_doubles_become_bytes(shape: tuple[int, int]) -> None:
    """A column of whole numbers among 0..255 becomes bytes, be there -0.0; any other number leaves it as it is."""
    doubles = np.random.default_rng(0).integers(0, 256, shape).astype(np.float64)
    doubles[doubles == 7] = -0.0
    for j, column in enumerate(_kernel.to_bytes(doubles)):
        assert column is not None
        np.testing.assert_array_equal(column, doubles[:, j])
    for stranger in (-1.0, 256.0, 0.5, 255.0001, np.nan, np.inf, -np.inf, 1e300, -5e-324, 2.0**32, -(2.0**32), 2.0**64):
        for row in {0, shape[0] // 2, shape[0] - 1} if shape[0] else ():
            own = doubles.copy()
            own[row, -1] = stranger
            *others, last = _kernel.to_bytes(own)
            assert last is None
            assert all(other is not None for other in others)
