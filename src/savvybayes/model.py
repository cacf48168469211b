"""Models: look-ups summed. A model knows no training data.

``score(x)[y] = log P(y) + sum over factors f of T_f[cell_f(x), y]``, and ``P(y|x) = softmax(score(x))``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from savvybayes import _kernel
from savvybayes.counts import Scope


@dataclass(frozen=True, eq=False)
class Factor:
    """A log table over a scope.

    Its axes are the scope's attributes, each with one more value than was seen, "unknown", and last the class. The
    factor of one class alone (its scope has a label) has that one column.
    """

    scope: Scope
    table: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Product:
    """The prior's entry of each class, plus the entries that a row meets in the factors' tables."""

    log_prior: NDArray[np.float64]
    factors: tuple[Factor, ...]

    def log_proba(self, block: _kernel.Block) -> NDArray[np.float64]:
        """The logarithms of the classes' probabilities, for each row."""
        tables = [(factor.scope.attributes, factor.scope.label, factor.table) for factor in self.factors]
        return block.log_probabilities(self.log_prior, tables)
