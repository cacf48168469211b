"""What kind of number a user gave."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

_TRUTH: tuple[type, ...] = (bool, np.bool_)


def is_whole(value: Any) -> bool:
    """Whether this is a whole number, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, _TRUTH)


def is_real(value: Any) -> bool:
    """Whether this is a finite number, and no truth value."""
    if not isinstance(value, Real) or isinstance(value, _TRUTH):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False
