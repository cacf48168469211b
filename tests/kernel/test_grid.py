"""The grid on which quantities are compared, against whole-number arithmetic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from savvybayes._kernel import grid

bounded = settings(deadline=None, max_examples=500)

finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)
# Where the two roundings meet: multiples of 2^-41, and numbers of 30 to 32 significant bits.
halves = st.builds(lambda m, e: m * 2.0**e, st.integers(-(2**33), 2**33), st.integers(-45, 10))
sizes_of_information = st.floats(0.0, 10.0)
numbers = st.one_of(finite, halves, sizes_of_information, st.sampled_from((0.0, -0.0, 4096.0, 4095.9999999999995)))


def on_grid(value: float) -> float:
    """Put one value on the grid."""
    return float(grid(np.array([value]))[0])


@given(numbers)
@bounded
def test_the_grid_is_that_of_whole_numbers(value: float) -> None:
    """The nearest multiple of 2^-40, then 30 leading bits, halves to even, to the bit and the sign."""
    found = on_grid(value)
    wanted = oracles.grid(value)
    assert found == wanted
    assert math.copysign(1, found) == math.copysign(1, wanted)


@given(numbers)
@bounded
def test_grid_points_stay(value: float) -> None:
    """What is on the grid is not moved again, and the grid is the same on both sides of zero."""
    assert on_grid(on_grid(value)) == on_grid(value)
    assert on_grid(-value) == -on_grid(value)


@given(numbers, numbers)
@bounded
def test_the_grid_keeps_order(a: float, b: float) -> None:
    """Of two values the greater never becomes the lesser: comparing on the grid is an ordering."""
    assert on_grid(min(a, b)) <= on_grid(max(a, b))


@given(st.floats(2.0**-10, 4096.0), st.integers(-4, 4))
@bounded
def test_rounding_errors_meet(value: float, steps: int) -> None:
    """A grid point with some units of error in its last place returns to itself."""
    point = on_grid(value)
    wrong = point
    for _ in range(abs(steps)):
        wrong = math.nextafter(wrong, math.inf if steps > 0 else -math.inf)
    assert on_grid(wrong) == point


def test_the_grid_by_hand() -> None:
    """Cases worked out on paper."""
    step = 2.0**-40
    assert on_grid(step) == step
    assert on_grid(step / 2) == 0.0  # a half goes to the even multiple, 0
    assert on_grid(1.5 * step) == 2 * step  # to the even multiple, 2
    assert on_grid(2.5 * step) == 2 * step
    assert on_grid(0.51 * step) == step
    assert on_grid(5e-324) == 0.0
    # 1 has its 30 bits down to 2^-29: the half step is 2^-30.
    assert on_grid(1 + 2.0**-29) == 1 + 2.0**-29
    assert on_grid(1 + 2.0**-30) == 1.0
    assert on_grid(1 + 3 * 2.0**-30) == 1 + 2.0**-28
    assert on_grid(1 + 2.0**-30 + 2.0**-40) == 1 + 2.0**-29
    # Rounded twice: 1 + 2^-30 + 2^-41 is first the half between two multiples of 2^-40, and goes to 1 + 2^-30.
    assert on_grid(1 + 2.0**-30 + 2.0**-41) == 1.0
    # A carry goes through: all 31 bits set become the next power of two.
    assert on_grid(2.0**31 - 1) == 2.0**31
    assert on_grid(2.0**30 - 1) == 2.0**30 - 1


def test_what_is_no_number_stays_so() -> None:
    """Infinities and NaN pass through, since minus infinity marks what is no candidate."""
    found = grid(np.array([math.inf, -math.inf, math.nan]))
    assert found[:2].tolist() == [math.inf, -math.inf]
    assert math.isnan(found[2])


def test_arrays_of_any_shape() -> None:
    """The answer has the shape of the argument, also where its memory is strided, reversed, read-only or empty."""
    values = np.linspace(0, 1, 60).reshape(3, 4, 5) ** 3
    wanted = np.array([oracles.grid(v) for v in values.ravel().tolist()]).reshape(values.shape)
    np.testing.assert_array_equal(grid(values), wanted)
    np.testing.assert_array_equal(grid(values[::2, ::-1, 1:4]), wanted[::2, ::-1, 1:4])
    np.testing.assert_array_equal(grid(values.T), wanted.T)
    np.testing.assert_array_equal(grid(np.broadcast_to(values[0, 0, :1], (4, 1))), np.tile(wanted[0, 0, :1], (4, 1)))
    read_only = values.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(grid(read_only), wanted)
    np.testing.assert_array_equal(read_only, values)
    assert grid(np.zeros((0, 3))).shape == (0, 3)
    assert grid(np.array(0.5)).shape == ()


@pytest.mark.parametrize("wrong", [None, 1.0, "1", [1.0], np.array(["1"]), np.array([1 + 1j]), np.array([None])])
def test_what_is_no_array_of_numbers_is_refused(wrong: Any) -> None:
    """Anything but an array of real numbers is a TypeError."""
    with pytest.raises(TypeError):
        grid(wrong)
