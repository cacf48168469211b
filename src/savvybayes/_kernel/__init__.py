"""The compiled core: blocks of coded rows, and what can be asked of one."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

try:
    from savvybayes._kernel._core import (
        Block,
        Coder,
        code_columns,
        conditional_information,
        distinct,
        grid,
        instructions,
        mdlp_cuts,
        mirror,
        pair_information,
        set_thread_limit,
        thread_limit,
        to_bytes,
        value_maps,
    )
except ImportError as error:
    raise ImportError(
        "the compiled core of savvybayes cannot be loaded: in a source checkout build it with `make test` or "
        "`pip install -e .`"
    ) from error

Doubles: TypeAlias = NDArray[np.float64]
Bounds: TypeAlias = tuple[int, int]

__all__ = [
    "Block",
    "Bounds",
    "Coder",
    "Doubles",
    "code_columns",
    "conditional_information",
    "distinct",
    "grid",
    "instructions",
    "mdlp_cuts",
    "mirror",
    "pair_information",
    "set_thread_limit",
    "thread_limit",
    "to_bytes",
    "value_maps",
]
